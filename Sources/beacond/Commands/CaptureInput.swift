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
    let descriptor = try Self.open(argument)
    name = argument == "-" ? "standard input" : argument
    stream = CaptureStream(descriptor)
  }

  private static func open(_ argument: String) throws(CommandFailure) -> FileDescriptor {
    if argument == "-" { return .standardInput }
    do throws(SystemError) {
      return try FileDescriptor(reading: argument)
    } catch {
      throw CommandFailure(.noInput, "\(argument): \(error)")
    }
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
      switch error {
      case .system(let error): throw CommandFailure(.noInput, "\(name): \(error)")
      case .capture(let error): throw CommandFailure(.badData, "\(name): \(error)")
      }
    }
    try output.check()
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
