import BluetoothLE
import Inspection
import Linux

/// Decodes packets as the program does and checks every line that it would write of them.
package struct ReportChecks: ~Copyable {
  private var joined = ReportDecoder(joiningFragments: true)
  private var single = ReportDecoder(joiningFragments: false)
  private var output = OutputBuffer(.standardError)

  package init() {}

  package mutating func take(_ packet: CapturedPacket) {
    var reports = 0
    let fault = single.decode(packet) { report in
      reports += 1
      precondition(report.data.count <= packet.octets.count, "more data than the packet has")
      check(report, packet, fields: 9, &output)
    }
    if let fault {
      precondition(fault.missing >= 0 && fault.missing <= 255, "an event announces at most 255 reports")
      ReportWriter(.json, beaconsOnly: false).put(fault, of: packet, into: &output)
      expectLine(&output)
    }
    var whole = 0
    _ = joined.decode(packet) { report in
      whole += 1
      precondition(report.data.count <= max(packet.octets.count, AdvertisementAssembler.longestData))
      check(report, packet, fields: 9, &output)
    }
    precondition(whole <= reports, "joining makes reports fewer")
  }

  /// At the end of a capture: nothing may stay open.
  package mutating func finish(_ packet: CapturedPacket) {
    var open = 0
    joined.finish { report, _ in
      open += 1
      precondition(
        report.extendedEventType.dataStatus != .moreToCome, "what is given out is given out as whole or truncated")
      check(report, packet, fields: 9, &output)
    }
    precondition(open <= AdvertisementAssembler.capacity)
    joined.finish { _, _ in preconditionFailure("a chain is given out once") }
  }
}

/// A report in every format.
private func check(
  _ report: AdvertisingReport, _ packet: CapturedPacket, fields: Int, _ output: inout OutputBuffer
) {
  for beaconsOnly in [false, true] {
    ReportWriter(.json, beaconsOnly: beaconsOnly).put(report, of: packet, into: &output)
    if beaconsOnly, output.count == 0 { continue }
    expectLine(&output)
  }
  ReportWriter(.tsv, beaconsOnly: false).put(report, of: packet, into: &output)
  output.withWaiting { line in
    let tabs = line.count { $0 == 0x09 }
    precondition(line.isEmpty ? report.source == .directed : tabs == fields - 1, "a list line of \(tabs) tabs")
  }
  output.discard()
  ReportWriter(.text, beaconsOnly: false).put(report, of: packet, into: &output)
  output.withWaiting { text in
    precondition(text.last == 0x0a, "text without an end")
    // A name from the air reaches the terminal harmless.
    precondition(text.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x0a }, "text that acts on a terminal")
  }
  output.discard()
}

/// One JSON value and a line end wait.
private func expectLine(_ output: inout OutputBuffer) {
  output.withWaiting { line in
    precondition(line.last == 0x0a, "a line without an end")
    precondition(isJSONLine(UnsafeRawBufferPointer(rebasing: line.dropLast())), String(decoding: line, as: UTF8.self))
  }
  output.discard()
}
