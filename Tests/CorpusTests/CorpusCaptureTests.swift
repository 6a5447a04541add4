import BluetoothLE
import Foundation
import Inspection
import Linux
import Scanning
import TestSupport
import Testing

/// The captures of the corpus against the lists that other decoders made of them.
@Suite(.enabled(if: Corpus.folder != nil, "the corpus is not here: set BEACOND_CORPUS to its folder"))
struct CorpusCaptureTests {
  /// Names of the captures that have a list, with the folder they are in.
  static var captures: [String] {
    guard let folder = Corpus.folder else { return [] }
    let lists = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/oracle/golden")) ?? []
    return lists.filter { $0.hasSuffix(".tsv.gz") }.map { String($0.dropLast(7)) }.sorted()
  }

  private func path(_ name: String) throws -> String {
    let folder = try #require(Corpus.folder)
    let path = folder + "/captures/" + name
    return FileManager.default.fileExists(atPath: path) ? path : folder + "/captures/derived/" + name
  }

  private func golden(_ name: String) throws -> [UInt8] {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/gzip")
    process.arguments = ["-dc", try #require(Corpus.folder) + "/oracle/golden/\(name).tsv.gz"]
    process.standardOutput = pipe
    try process.run()
    let list = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return Array(list)
  }

  /// The lines that a capture's reports make, each with its end, up to where the capture breaks off.
  private func lines(_ name: String, _ format: ReportFormat) throws -> [[UInt8]] {
    var stream = CaptureStream(try FileDescriptor(reading: try path(name)))
    var decoder = ReportDecoder(joiningFragments: format != .tsv)
    let writer = ReportWriter(format, beaconsOnly: false)
    var output = OutputBuffer(.standardError)
    defer { output.discard() }
    var lines: [[UInt8]] = []
    func takeLine(_ output: inout OutputBuffer) {
      output.withWaiting { if !$0.isEmpty { lines.append(Array($0)) } }
      output.discard()
    }
    do throws(CaptureStream.Failure) {
      while try stream.refill() {
        try stream.read { packet in
          let malformed = decoder.decode(packet) { report in
            writer.put(report, of: packet, into: &output)
            takeLine(&output)
          }
          if let malformed { writer.put(malformed, of: packet, into: &output) }
          takeLine(&output)
        }
      }
    } catch {
      guard case .capture(.cutShort) = error else {
        Issue.record("\(error)")
        return []
      }
    }
    return lines
  }

  @Test func thereAreCaptures() {
    #expect(!Self.captures.isEmpty)
  }

  @Test(arguments: captures)
  func theListOfACaptureIsTheOneThatOtherDecodersMade(_ name: String) throws {
    let list = Array(try lines(name, .tsv).joined())
    let golden = try golden(name)
    #expect(list == golden)
  }

  @Test(arguments: captures)
  func theJSONOfACaptureAgreesWithItsList(_ name: String) throws {
    let json = try lines(name, .json).map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
    }
    for object in json {
      #expect(object["record"] is NSNumber)
      #expect(object["adStructures"] is [Any])
      #expect(object["frames"] is [Any])
    }
    let list = try lines(name, .tsv).flatMap { line in
      String(decoding: line, as: UTF8.self).split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false)
      }
    }
    // Directed reports are not in the list; an event's missing reports are one object and a line each.
    let listed = json.filter { $0["kind"] as? String != "hci0b" }.flatMap { object in
      [[String: Any]](repeating: object, count: object["missing"] as? Int ?? 1)
    }
    // Where fragments came, objects stand for several lines.
    let hasFragments = list.contains { columns in
      columns[2] == "hci0d" && (UInt16(columns[3].dropFirst(2), radix: 16) ?? 0) & 0x60 == 0x20
    }
    if hasFragments {
      #expect(listed.count <= list.count)
      return
    }
    try #require(listed.count == list.count)
    for (object, columns) in zip(listed, list) {
      try #require(columns.count == 9)
      #expect((object["record"] as? Int).map(String.init) == String(columns[0]))
      if object["missing"] != nil {
        #expect(object["kind"] as? String == "cut")
        continue
      }
      #expect(object["kind"] as? String == String(columns[2]))
      #expect(object["addressType"] as? Int == Int(columns[4]))
      // An address cut short is in the list as far as it goes, an anonymous one as it was sent.
      let isWhole = columns[5].count == 17 && columns[4] != "255"
      #expect(object["address"] as? String == (isWhole ? String(columns[5]) : nil))
      #expect(object["rssi"] as? Int == (columns[6] == "127" ? nil : Int(columns[6])))
      #expect(object["crc"] as? String ?? "-" == String(columns[7]))
      #expect(object["data"] as? String == String(columns[8]))
    }
  }

  /// Captures of up to 4 KB are cut everywhere, longer ones at 24 places.
  @Test(arguments: captures)
  func aCutCaptureGivesTheFirstPacketsOfTheWhole(_ name: String) throws {
    let octets = Array(try Data(contentsOf: URL(fileURLWithPath: try path(name))))
    let whole = ReadCapture(octets)
    let step = octets.count <= 4096 ? 1 : octets.count / 24
    for length in stride(from: 0, to: octets.count, by: step) {
      let cut = ReadCapture(octets[..<length])
      // The text of hcidump does not say how long a packet is: its last one may be shorter.
      let sure = name.hasPrefix("hcidump") ? cut.packets.dropLast() : cut.packets[...]
      #expect(sure == whole.packets.prefix(sure.count), "cut at octet \(length)")
    }
    #expect(ReadCapture(octets, inPiecesOf: 4093) == whole)
  }
}
