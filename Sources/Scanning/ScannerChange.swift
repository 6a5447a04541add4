import Proximity

/// What is said of an adapter beside a recording: that it stopped scanning, or scans again.
package struct ScannerChange: Hashable, Sendable {
  /// Since the first packet.
  package var seconds: Double
  /// Number of the adapter in the recording.
  package var adapter: Int
  package var report: ScannerReport

  package init(seconds: Double, adapter: Int, _ report: ScannerReport) {
    self.seconds = seconds
    self.adapter = adapter
    self.report = report
  }
}

extension ScannerChange {
  /// Why a list of changes cannot be read.
  package struct Fault: Error, CustomStringConvertible {
    /// From 1.
    package let line: Int
    package let message: String

    package var description: String { "\(line): \(message)" }
  }

  private static let mostSeconds = 1e9

  /// Reads lines of seconds since the first packet, the adapter's number, its state and, optionally, a reason:
  /// `60.5 0 stopped unplugged`. What follows a `#` is a comment.
  package static func list(_ text: String) throws(Fault) -> [ScannerChange] {
    var changes: [ScannerChange] = []
    // A line end of two characters is one character of a String.
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      var content = line.prefix { $0 != "#" }
      while content.last?.isBlank == true { content.removeLast() }
      let fields = content.split(maxSplits: 3) { $0.isBlank }
      if fields.isEmpty { continue }
      changes.append(try change(fields, line: index + 1))
    }
    return changes
  }

  private static func change(_ fields: [Substring], line: Int) throws(Fault) -> ScannerChange {
    guard fields.count >= 3 else {
      throw Fault(line: line, message: "a line is seconds, adapter, state and a reason, as in '60 0 stopped unplugged'")
    }
    guard let seconds = Double(fields[0]), seconds >= 0, seconds <= mostSeconds else {
      throw Fault(line: line, message: "'\(fields[0])' is not a number of seconds since the first packet")
    }
    guard let adapter = UInt16(fields[1]) else {
      throw Fault(line: line, message: "'\(fields[1])' is not the number of an adapter")
    }
    guard let state = ScannerState(rawValue: String(fields[2])) else {
      throw Fault(line: line, message: "'\(fields[2])' is not a state; it is one of scanning, degraded, stopped")
    }
    let reason = fields.count > 3 ? String(fields[3]) : "as told"
    let report = ScannerReport(state, name: "hci\(adapter)", reason: reason)
    return ScannerChange(seconds: seconds, adapter: Int(adapter), report)
  }
}

extension Character {
  fileprivate var isBlank: Bool { self == " " || self == "\t" }
}
