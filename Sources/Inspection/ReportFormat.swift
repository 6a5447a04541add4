import BluetoothLE
import Linux
import Scanning

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

  package func put(_ captured: CapturedReport, into output: inout OutputBuffer) {
    if beaconsOnly {
      guard case .report(let report) = captured.content, report.isSound else { return }
      var frames = Frames(report.data)
      guard let first = frames.next() else { return }
      if format == .json {
        output.put(beaconsJSON: captured, report, first, &frames)
        return
      }
    }
    switch format {
    case .json: output.put(json: captured)
    case .tsv: output.put(tsv: captured)
    case .text: output.put(text: captured, beaconsOnly: beaconsOnly)
    }
  }
}

extension CapturedReport {
  /// The word for where a report came from.
  var kind: StaticString {
    switch content {
    case .report(let report): report.source.kind
    case .malformed: "cut"
    }
  }
}

extension AdvertisingReport.Source {
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
