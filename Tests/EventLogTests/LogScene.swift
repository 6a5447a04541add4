import BluetoothLE
import EventLog
import Foundation
import Linux
import TestSupport

/// A folder for one test, removed with it.
final class TemporaryFolder: Sendable {
  /// In memory where there is such a folder: these tests make thousands of files.
  private static let place =
    FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : FileManager.default.temporaryDirectory.path

  let path = "\(place)/beacond-log-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The log of the test: a folder that is not there yet.
  var log: String { path + "/events" }

  /// The names of the log's segments.
  var segments: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: log)) ?? []
    return names.filter { $0.hasSuffix(".jsonl") }.sorted()
  }

  func content(_ name: String) -> [UInt8] { Array(FileManager.default.contents(atPath: "\(log)/\(name)") ?? Data()) }

  func write(_ octets: some Sequence<UInt8>, _ name: String) throws {
    try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: true)
    try Data(octets).write(to: URL(fileURLWithPath: "\(log)/\(name)"))
  }

  /// The numbers of all lines of all segments, in the order of their names.
  var sequences: [UInt64] {
    segments.flatMap { name in
      content(name).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map { octets in
        withMemory(octets) { LogLine($0)?.sequence ?? 0 }
      }
    }
  }
}

/// A clock that a test sets.
final class TestClock: Sendable {
  private let state = Guarded((time: logTime(0), isSynchronized: true))

  func set(_ milliseconds: Int64, isSynchronized: Bool = true) {
    state.withLock { $0 = (logTime(milliseconds), isSynchronized) }
  }

  var log: LogClock {
    LogClock(now: { self.state.withLock { $0.time } }, isSynchronized: { self.state.withLock { $0.isSynchronized } })
  }
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
