import BluetoothLE
import Linux

/// How long and how large the log is, and how soon an event is safe.
package struct LogSettings: Hashable, Sendable {
  /// Octets of all segments together.
  package var maxSize: Int64
  package var maxAge: Duration
  /// An event is on the disk after at most this time.
  package var sync: Duration

  package init(maxSize: Int64 = 256_000_000, maxAge: Duration = .seconds(90 * 86_400), sync: Duration = .seconds(1)) {
    self.maxSize = maxSize
    self.maxAge = maxAge
    self.sync = sync
  }

  /// Octets of a segment: a 32nd of all, so that what is removed at a time is small beside what stays; no more than is
  /// looked through in a moment after a power cut; and no less than a page.
  var segmentSize: Int64 { min(max(maxSize / 32, 4 << 10), 8 << 20) }
}

/// Why the log cannot be written, or read.
package enum LogFailure: Error, Hashable, Sendable {
  /// Another process writes it; which one, where that is known.
  case locked(folder: String, process: Int32?)
  /// The folder is no longer where it was.
  case gone(folder: String)
  /// The folder that is there now holds events with numbers that were given again meanwhile.
  case ahead(folder: String, sequence: UInt64)
  /// The file of a reader's place is not what was saved.
  case damaged(file: String)
  case system(SystemError)
}

extension LogFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .locked(let folder, let process?): "\(folder) is written by process \(process) already"
    case .locked(let folder, nil): "\(folder) is written by another process already"
    case .gone(let folder): "\(folder) is gone"
    case .ahead(let folder, let sequence): "\(folder) holds another log, with events up to \(sequence)"
    case .damaged(let file): "\(file) is damaged: without it the reader does not know where it was"
    case .system(let error): error.description
    }
  }
}

extension Duration {
  /// Whole nanoseconds; saturates.
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowSum) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || overflowSum ? (seconds < 0 ? .min : .max) : sum
  }
}
