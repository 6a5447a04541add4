import BluetoothLE
import Linux
import Scanning

/// A capture that a command reads, and what to call it.
struct CaptureInput: ~Copyable {
  let name: String
  private var stream: CaptureStream

  /// Opens a file, or standard input for `-`.
  init(_ argument: String) throws(CommandFailure) {
    // Before any member has a value: Swift 6.0.3 crashes on a throw between two of them.
    let descriptor = try FileDescriptor(capture: argument)
    name = captureName(argument)
    stream = CaptureStream(descriptor)
  }

  /// Calls `body` with each packet, and flushes the output before every wait for more of the capture.
  mutating func forEachPacket(
    _ output: inout OutputBuffer, _ body: (CapturedPacket, inout OutputBuffer) -> Void
  ) throws(CommandFailure) {
    try forEachChunk(&output) { stream, output throws(CaptureStream.Failure) in
      try stream.read { body($0, &output) }
    }
  }

  /// Calls `body` with what is in memory of the capture, and flushes the output before every wait for more.
  mutating func forEachChunk(
    _ output: inout OutputBuffer,
    _ body: (inout CaptureStream, inout OutputBuffer) throws(CaptureStream.Failure) -> Void
  ) throws(CommandFailure) {
    var progress = Progress(size: stream.size)
    defer { progress.end() }
    do throws(CaptureStream.Failure) {
      while try stream.refill() {
        try body(&stream, &output)
        output.flush()
        if output.failure != nil { break }
        progress.update(stream.position)
      }
    } catch {
      output.flush()
      throw CommandFailure(error, of: name)
    }
    try output.check()
  }
}

/// What to call the capture that an argument names.
private func captureName(_ argument: String) -> String { argument == "-" ? "standard input" : argument }

extension FileDescriptor {
  /// Opens the capture that an argument names; `-` is standard input.
  fileprivate init(capture argument: String) throws(CommandFailure) {
    if argument == "-" {
      self = .standardInput
      return
    }
    do throws(SystemError) {
      self = try FileDescriptor(reading: argument)
    } catch {
      throw CommandFailure(.noInput, "\(argument): \(error)")
    }
  }
}

extension CommandFailure {
  /// Several as one; nil for none. The first one's code counts.
  init?(_ failures: [CommandFailure]) {
    guard let first = failures.first else { return nil }
    self.init(first.code, failures.map { $0.message }.joined(separator: "\n  "))
  }

  fileprivate init(_ failure: CaptureStream.Failure, of name: String) {
    switch failure {
    case .system(let error): self.init(.noInput, "\(name): \(error)")
    case .capture(let error): self.init(.badData, "\(name): \(error)")
    }
  }
}

/// Captures that a command reads as one, in the order of time.
struct CaptureInputs {
  private var names: [String] = []
  private var captures: MergedCaptures
  private var progress: Progress

  /// Opens files, and standard input for `-`. `interval` is the time in seconds from packet to packet in captures without
  /// times.
  init(_ arguments: [String], interval: Double?) throws(CommandFailure) {
    guard arguments.count <= MergedCaptures.most else {
      throw CommandFailure(.usage, "\(arguments.count) captures given; \(MergedCaptures.most) is the most.")
    }
    guard arguments.count(where: { $0 == "-" }) <= 1 else {
      throw CommandFailure(.usage, "standard input is given twice.")
    }
    captures = MergedCaptures(interval: interval)
    for argument in arguments {
      captures.add(CaptureStream(try FileDescriptor(capture: argument)))
      names.append(captureName(argument))
    }
    progress = Progress(size: captures.size)
  }

  /// When the first packet of a capture in a file was heard, and whether it says that hearing begins; nil where there is
  /// none, which whoever reads it says.
  static func first(of argument: String) throws(CommandFailure) -> (reading: ReplayClock.Reading, isStart: Bool)? {
    var capture = try CaptureInputs([argument], interval: nil)
    guard capture.areFiles else { return nil }
    var first: (ReplayClock.Reading, Bool)?
    _ = capture.forEachPacket(
      waiting: { first == nil },
      { packet, reading in
        if first != nil { return }
        if case .start = RecordingNote(packet) { first = (reading, true) } else { first = (reading, false) }
      })
    return first
  }

  /// Whether reading never waits for somebody who writes.
  var areFiles: Bool { captures.size != nil }

  /// Calls `body` with each packet, and `waiting` before more is read: false ends it early. Gives what went wrong; a
  /// capture that cannot be read on does not end the others.
  mutating func forEachPacket(
    waiting: () -> Bool, _ body: (CapturedPacket, ReplayClock.Reading) -> Void
  ) -> [CommandFailure] {
    var failures: [CommandFailure] = []
    captures.forEachPacket(
      waiting: { position in
        progress.update(position)
        return waiting()
      },
      failed: { number, failure in failures.append(CommandFailure(failure, of: names[number])) }, body)
    progress.end()
    for number in captures.withoutTimes {
      failures.append(
        CommandFailure(
          .usage,
          "\(names[number]): the capture has no times; give the time between packets, as in --interval 100ms."))
    }
    return failures
  }
}

extension OutputBuffer {
  /// Writes what waits; throws if any of it could not be written.
  mutating func check() throws(CommandFailure) {
    flush()
    if let failure { throw CommandFailure(.cannotWrite, "standard output: \(failure)") }
  }
}

/// How far a long capture was read, on standard error where a person looks at it and at nothing else.
private struct Progress {
  /// Shorter captures are read before a person wonders.
  private static let worthShowing: Int64 = 32 << 20

  private let size: Int64?
  private var shown = -1

  init(size: Int64?) {
    let isWatched = FileDescriptor.standardError.isTerminal && !FileDescriptor.standardOutput.isTerminal
    self.size = isWatched ? size.flatMap { $0 >= Self.worthShowing ? $0 : nil } : nil
  }

  mutating func update(_ position: UInt64) {
    guard let size else { return }
    let percent = Int(position * 100 / UInt64(size))
    guard percent != shown else { return }
    shown = percent
    try? FileDescriptor.standardError.write("\r\(percent) % read")
  }

  func end() {
    if shown >= 0 { try? FileDescriptor.standardError.write("\r\u{1b}[K") }
  }
}
