import EventLog
import Foundation
import Linux
import TestSupport
import Testing

/// A folder with a log in it, and the command that reads it.
struct EventsScene {
  let folder: String

  var log: String { folder + "/events" }
  var cursor: String { folder + "/cursor" }

  /// The name of the segment that begins with an event.
  func segment(_ first: Int) -> String {
    let digits = String(first)
    return "\(log)/\(String(repeating: "0", count: 20 - digits.count))\(digits).jsonl"
  }

  /// Writes a segment, or appends to it.
  func write(_ first: Int, _ lines: String...) throws {
    try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: true)
    let earlier = FileManager.default.contents(atPath: segment(first)) ?? Data()
    try (earlier + Data(lines.joined().utf8)).write(to: URL(fileURLWithPath: segment(first)))
  }

  func events(_ arguments: String...) throws -> Beacond.Outcome {
    try Beacond.run(["events", "--folder", log] + arguments)
  }

  func follow(_ arguments: String...) throws -> Follower {
    try Follower(["events", "--folder", log, "-f"] + arguments, errors: folder + "/errors")
  }
}

/// Calls `body` with a scene that is gone afterwards.
func withEventsScene(_ body: (EventsScene) throws -> Void) throws {
  try withTemporaryFolder { try body(EventsScene(folder: $0)) }
}

extension Beacond.Outcome {
  /// The numbers of the events that were written.
  var sequences: [UInt64] { lines.map { sequence(Substring($0)) } }
}

/// The number of an event's line; 0 for none.
func sequence(_ line: Substring) -> UInt64 {
  line.hasPrefix(#"{"seq":"#) ? UInt64(line.dropFirst(7).prefix { $0 != "," }) ?? 0 : 0
}

/// The program while it runs.
final class Follower {
  struct TookTooLong: Error {}

  private let process = Process()
  private let pipe = Pipe()
  private let errorPath: String
  private var waiting = Data()

  init(_ arguments: [String], errors: String) throws {
    errorPath = errors
    process.executableURL = URL(fileURLWithPath: Beacond.path)
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    try Data().write(to: URL(fileURLWithPath: errors))
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
    // Or the end of the output would never come.
    try pipe.fileHandleForWriting.close()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// The next line; nil at the end.
  func line() throws -> Substring? {
    while true {
      if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: waiting[..<end], as: UTF8.self)
        waiting = waiting[(end + 1)...]
        return Substring(line)
      }
      let descriptor = pipe.fileHandleForReading.fileDescriptor
      guard Wakeup.poll([descriptor], until: BootClock.now + 60_000_000_000) else { throw TookTooLong() }
      let more = pipe.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      waiting += more
    }
  }

  /// The numbers of the next events.
  func sequences(_ count: Int) throws -> [UInt64] {
    try (0..<count).compactMap { _ in try line().map(sequence) }
  }

  /// The numbers of all events up to the end.
  func rest() throws -> [UInt64] {
    var sequences: [UInt64] = []
    while let line = try line() { sequences.append(sequence(line)) }
    return sequences
  }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Waits for its end; the exit code, negative for a signal.
  func end() -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// What it has said so far.
  var errors: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }
}
