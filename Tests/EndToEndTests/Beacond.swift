import Foundation
import TestSupport
import Testing

/// The built program, run as a person runs it.
struct Beacond {
  /// Beside the tests, where the build puts it.
  static let path = folder + "/beacond"
  static let folder: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: tests).deletingLastPathComponent().path
  }()

  struct Outcome {
    let code: Int32
    let output: String
    let error: String

    var lines: [Substring] { output.split(separator: "\n") }
    var errorLines: [Substring] { error.split(separator: "\n", omittingEmptySubsequences: false).dropLast() }
  }

  /// A copy of the program in a folder that other users then reach; gives its path.
  ///
  /// Another process makes it: what is forked here meanwhile would hold it open for writing, and it could not be run.
  static func copyForOthers(in folder: String) throws -> String {
    let program = folder + "/beacond"
    let outcome = try run([path, program], program: "/bin/cp")
    try #require(outcome.code == 0)
    chmod(folder, 0o755)
    chmod(program, 0o755)
    return program
  }

  /// Runs it, or another program of the build, to its end; `input` goes to its standard input, through a pipe.
  static func run(
    _ arguments: [String], program: String = path, input: [UInt8] = [], output target: String? = nil,
    through launcher: [String] = []
  ) throws -> Outcome {
    try withTemporaryFolder { folder in
      let process = Process()
      let command = launcher + [program] + arguments
      process.executableURL = URL(fileURLWithPath: command[0])
      process.arguments = Array(command.dropFirst())
      let outputPath = target ?? folder + "/output"
      let errorPath = folder + "/error"
      if target == nil { try Data().write(to: URL(fileURLWithPath: outputPath)) }
      try Data().write(to: URL(fileURLWithPath: errorPath))
      process.standardOutput = FileHandle(forWritingAtPath: outputPath)
      process.standardError = FileHandle(forWritingAtPath: errorPath)
      let pipe = Pipe()
      process.standardInput = pipe
      try process.run()
      // A program that does not read its input ends the pipe; that is no fault of the test's.
      signal(SIGPIPE, SIG_IGN)
      try? pipe.fileHandleForWriting.write(contentsOf: Data(input))
      try? pipe.fileHandleForWriting.close()
      process.waitUntilExit()
      let output = target == nil ? try String(contentsOfFile: outputPath, encoding: .utf8) : ""
      try checkEvents(arguments, output)
      let code = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
      return Outcome(code: code, output: output, error: try String(contentsOfFile: errorPath, encoding: .utf8))
    }
  }
}

/// Every event line that any test gets from the program is to fit the schema.
private func checkEvents(_ arguments: [String], _ output: String) throws {
  guard arguments.first == "replay", output.hasPrefix("{") else { return }
  let fault = try EventSchema.fault(in: output.split(separator: "\n"))
  #expect(fault == nil)
}

/// Calls `body` with a folder that is gone afterwards.
func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory.path + "/beacond-\(UUID().uuidString)"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try body(folder)
}

/// Runs a command on a file of these octets.
func run(_ arguments: [String], onFile octets: [UInt8]) throws -> Beacond.Outcome {
  try withTemporaryFolder { folder in
    let path = folder + "/lobby.capture"
    try Data(octets).write(to: URL(fileURLWithPath: path))
    return try Beacond.run(arguments + [path])
  }
}

/// A capture in which one beacon is heard twice.
enum TwoPackets {
  static let event = [0x04] + HandmadeEvents.legacy(.init(HandmadeEvents.iBeacon))
  static let capture = HandmadeCaptures.btsnoop(
    1002, [.init(event), .init(event, time: HandmadeCaptures.btsnoopTime + 500_000)])
}
