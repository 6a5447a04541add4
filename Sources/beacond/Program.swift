import Daemon
import Linux

/// One of the program's commands.
protocol Command {
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  /// All that `--help` says.
  static var help: String { get }
  static func run(_ arguments: [String]) throws(CommandFailure)
}

/// Why a command ended early: a line for standard error and an exit code.
struct CommandFailure: Error {
  let code: ExitCode
  let message: String

  init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }
}

/// Source: BSD, sysexits.h.
enum ExitCode: Int32 {
  case usage = 64
  case badData = 65
  case noInput = 66
  case unavailable = 69
  case cannotCreate = 73
  case cannotWrite = 74
  case temporary = 75
  case notPermitted = 77
  case configuration = 78
}

enum Program {
  static var commands: [any Command.Type] {
    [
      BeaconsCommand.self, CheckCommand.self, DecodeCommand.self, EventsCommand.self, RecordCommand.self,
      ReplayCommand.self, RunCommand.self,
    ]
  }

  /// Runs the command that the arguments name; gives the exit code.
  static func run(_ arguments: [String]) -> Int32 {
    let standardError = FileDescriptor.standardError
    guard let name = arguments.first else {
      try? standardError.write(overview)
      return ExitCode.usage.rawValue
    }
    if name == "--help" || name == "-h" || name == "help" {
      return printed(overview)
    }
    guard let command = commands.first(where: { $0.name == name }) else {
      let hint = nearest(name, in: commands.map { $0.name }).map { "; did you mean '\($0)'?" } ?? ""
      try? standardError.write("beacond: no command '\(name)'\(hint) 'beacond --help' lists them.\n")
      return ExitCode.usage.rawValue
    }
    let rest = Array(arguments.dropFirst())
    if rest.contains("--help") || rest.contains("-h") {
      return printed(command.help)
    }
    do throws(CommandFailure) {
      try command.run(rest)
      return 0
    } catch {
      let hint = error.code == .usage ? " 'beacond \(name) --help' says how it is used." : ""
      try? standardError.write("beacond \(name): \(error.message)\(hint)\n")
      return error.code.rawValue
    }
  }

  private static func printed(_ text: String) -> Int32 {
    do throws(SystemError) {
      try FileDescriptor.standardOutput.write(text)
      return 0
    } catch {
      try? FileDescriptor.standardError.write("beacond: standard output: \(error)\n")
      return ExitCode.cannotWrite.rawValue
    }
  }

  private static var overview: String {
    var text = """
      beacond hears Bluetooth LE beacons, says how far each one is, and who came and left.

      Usage: beacond COMMAND [OPTION...]


      """
    for command in commands {
      text += "  \(command.name)" + String(repeating: " ", count: 10 - command.name.count) + command.summary + "\n"
    }
    return text + "\n'beacond COMMAND --help' says more about each.\n"
  }
}
