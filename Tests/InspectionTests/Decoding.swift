import BluetoothLE
import Foundation
import Inspection
import Linux
import Scanning
import TestSupport
import Testing

/// What `decode` writes about octets that a person typed.
func decoded(_ hex: String, _ format: ReportFormat, beaconsOnly: Bool = false) throws -> String {
  let octets = try kept(hex: hex)
  return written { output in
    let packet = HexPacket.packet(octets)
    let writer = ReportWriter(format, beaconsOnly: beaconsOnly)
    var decoder = ReportDecoder(joiningFragments: format != .tsv)
    let fault = decoder.decode(packet) { writer.put($0, of: packet, into: &output) }
    if let fault { writer.put(fault, of: packet, into: &output) }
    decoder.finish { report, _ in writer.put(report, of: packet, into: &output) }
  }
}

/// The JSON objects that `decode` writes.
func objects(_ hex: String, beaconsOnly: Bool = false) throws -> [[String: Any]] {
  try decoded(hex, .json, beaconsOnly: beaconsOnly).split(separator: "\n").map { line in
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }
}

extension [String: Any] {
  var frames: [[String: Any]] { self["frames"] as? [[String: Any]] ?? [] }
  var structures: [[String: String]] { self["adStructures"] as? [[String: String]] ?? [] }
  var rejected: [[String: Any]] { self["rejected"] as? [[String: Any]] ?? [] }
}

func hexText(_ octets: [UInt8]) -> String {
  octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
}
