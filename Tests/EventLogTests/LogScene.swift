import BluetoothLE
import EventLog
import Foundation
import Linux
import TestSupport

extension TemporaryFolder {
  /// The numbers of all lines of all segments, in the order of their names.
  var sequences: [UInt64] {
    segments.flatMap { name in
      content(name).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map { octets in
        withMemory(octets) { LogLine($0)?.sequence ?? 0 }
      }
    }
  }
}

/// A clock since boot that a test sets, in milliseconds.
final class TestClock: Sendable {
  private let time = Guarded<Int64>(0)

  func set(_ milliseconds: Int64) {
    time.withLock { $0 = milliseconds * 1_000_000 }
  }

  var sinceBoot: @Sendable () -> Int64 { { self.time.withLock { $0 } } }
}

extension LogStore {
  /// Writes lines as one group, until it is written.
  func write(_ lines: String..., isDurable: Bool = true) throws(LogFailure) {
    var group = LogGroup(Array(lines.joined().utf8), isDurable: isDurable)
    try write(&group)
  }
}

/// Everything that a reader is given until there is no more.
func readLog(_ reader: LogReader) throws(LogFailure) -> [UInt64] {
  var sequences: [UInt64] = []
  while try reader.readAvailable({ if case .line(let line) = $0 { sequences.append(line.sequence) } }) > 0 {}
  return sequences
}
