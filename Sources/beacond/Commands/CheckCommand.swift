import Daemon
import Linux

enum CheckCommand: Command {
  static let name = "check"
  static let summary = "whether the configuration is good, and what it watches"
  static let help = """
    Usage: beacond check [--config FILE]

    Reads the configuration and says what it means: what is watched, what is off, by which adapters and rights the user
    who asks would hear, and whether he could write the log. If something is wrong with it,
    every fault is a line on standard error, FILE:LINE:COLUMN: KEY: what is wrong; what it must be.

      --config FILE   instead of \(Configuration.standardPath); where that is missing, the defaults hold

    Exit codes: 0 good, 64 usage, 66 the file cannot be read, 74 cannot write, 78 faults.

    """

  static func run(_ arguments: [String]) throws(CommandFailure) {
    let options = try Options(arguments, values: ["--config"])
    guard options.positional.isEmpty else { throw CommandFailure(.usage, "the file is given with --config.") }
    let (configuration, origin) = try Configuration.load(options.value("--config"))
    let standardOutput = FileDescriptor.standardOutput
    var output = OutputBuffer(standardOutput)
    let bluetooth = BluetoothCheck.lines(configuration.bluetooth).joined(separator: "\n")
    output.put(string: "\(origin)\n\(configuration.summary)\n\(bluetooth)\n\(logFolder(configuration.log.folder))\n")
    try output.check()
  }

  private static func logFolder(_ path: String) -> String {
    switch Folder.prospect(path) {
    case .writable: "\(path): this user can write the log there"
    case .makeable: "\(path): not there yet; this user can make it"
    case .forbidden(let folder):
      "\(path): this user cannot write the log there, for want of the right to write in \(folder)"
    }
  }
}

extension Configuration {
  /// The configuration that a command works with, and a line on where it comes from; the faults of a bad one are
  /// written to standard error.
  ///
  /// Without a path it is the installed file, and where there is none the defaults.
  static func load(_ path: String?) throws(CommandFailure) -> (Configuration, origin: String) {
    let file = path ?? standardPath
    do throws(ConfigurationFailure) {
      return (try Configuration(contentsOf: file), "\(file): good")
    } catch {
      switch error {
      case .unreadable(let error):
        if path == nil, error.isNoSuchFile { return (Configuration(), "no \(file): the defaults") }
        throw CommandFailure(.noInput, "\(file): \(error)")
      case .faulty(let faults):
        try? FileDescriptor.standardError.write(faults.text(file: file))
        let count = faults.listed.count + faults.omitted
        throw CommandFailure(.configuration, "\(file): \(count == 1 ? "1 fault" : "\(count) faults")")
      }
    }
  }
}
