import BluetoothLE
import Linux

/// How advertising reports are written.
package enum ReportFormat: String, CaseIterable, Sendable {
  case text, json, tsv
}

/// Writes advertising reports, one line each, in one of the formats.
package struct ReportWriter {
  package let format: ReportFormat
  /// Only reports that carry a beacon's frame, and of those the frames.
  package let beaconsOnly: Bool

  package init(_ format: ReportFormat, beaconsOnly: Bool) {
    self.format = format
    self.beaconsOnly = beaconsOnly
  }

  package func put(_ report: AdvertisingReport, of packet: CapturedPacket, into output: inout OutputBuffer) {
    switch format {
    case .json where beaconsOnly: output.put(beaconsJSON: report, packet)
    case .json: output.put(json: report, packet)
    case .tsv where isWanted(report): output.put(tsv: report, packet)
    case .text where isWanted(report): output.put(text: report, packet, beaconsOnly: beaconsOnly)
    case .tsv, .text: break
    }
  }

  private func isWanted(_ report: AdvertisingReport) -> Bool {
    guard beaconsOnly else { return true }
    var frames = Frames(report.data)
    return report.isSound && frames.next() != nil
  }

  package func put(_ event: MalformedEvent, of packet: CapturedPacket, into output: inout OutputBuffer) {
    guard !beaconsOnly else { return }
    switch format {
    case .json: output.put(json: event, packet)
    case .tsv: output.put(tsv: event, packet)
    case .text: output.put(text: event, packet)
    }
  }
}

extension AdvertisingReport.Source {
  /// The word for where a report came from.
  var kind: StaticString {
    switch self {
    case .legacy: "hci02"
    case .extended: "hci0d"
    case .directed: "hci0b"
    case .linkLayer: "ll"
    case .payload: "ad"
    }
  }
}
