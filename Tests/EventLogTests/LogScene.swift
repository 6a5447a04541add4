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

/// A line of the log with its end; `time` is in milliseconds after 2026-12-01T08:30:00Z.
func logLine(
  _ sequence: UInt64, at time: Int64 = 0, _ event: String = "didEnter", isSynchronized: Bool = true, padding: Int = 0
) -> String {
  let text = written { $0.put(iso8601: logTime(time)) }
  let clock = isSynchronized ? "" : #","clock":"unsynchronized""#
  let name = String(repeating: "x", count: padding)
  return
    #"{"seq":\#(sequence),"time":"\#(text)","event":"\#(event)","gateway":"test"\#(clock),"region":"hall\#(name)"}"#
    + "\n"
}

func logTime(_ milliseconds: Int64) -> UnixTime {
  UnixTime(nanoseconds: 1_796_113_800_000_000_000 + milliseconds * 1_000_000)
}

func day(_ days: Int64) -> Int64 { days * 86_400_000 }

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
