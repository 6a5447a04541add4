import BluetoothLE
import Linux
import Simulation

/// Writes simulated scenes as captures.
enum SimulateProgram {
  private static let help = """
    Usage: beacond-simulate SCENE [--seed N] [--form 1002|2001] [--truth FILE] FILE
           beacond-simulate --list

    Writes what a gateway would have recorded of a scene as btsnoop. The same scene, seed and form give the same octets
    on every machine.

      --seed N       another chance than the scene's own
      --form 2001    Linux monitor, with adapters (default)
      --form 1002    HCI packets behind their H4 octet
      --truth FILE   also write, as JSON, where each device was and when it came, left or died
      --list         name the scenes

    Exit codes: 0, 64 usage, 74 cannot write.

    """

  private enum Failure: Error {
    case usage(String)
    case system(SystemError)
  }

  private struct Arguments {
    var positional: [String] = []
    var seed: UInt64?
    var datalink = BTSnoopWriter.Datalink.monitor
    var truth: String?

    init(_ arguments: [String]) throws(Failure) {
      var rest = arguments[...]
      while let argument = rest.popFirst() {
        guard argument.hasPrefix("-") else {
          positional.append(argument)
          continue
        }
        guard ["--seed", "--form", "--truth"].contains(argument) else { throw .usage("no option \(argument)") }
        guard let value = rest.popFirst() else { throw .usage("\(argument) wants a value") }
        switch (argument, value) {
        case ("--truth", _): truth = value
        case ("--form", "1002"): datalink = .h4
        case ("--form", "2001"): datalink = .monitor
        case ("--form", _): throw .usage("--form '\(value)': it is 1002 or 2001")
        default:
          guard let number = UInt64(value) else { throw .usage("--seed '\(value)': it is a whole number") }
          seed = number
        }
      }
    }
  }

  /// Runs the program with its arguments; gives the exit code. Source: BSD, sysexits.h.
  static func run(_ arguments: [String]) -> Int32 {
    do throws(Failure) {
      if arguments.contains("--help") || arguments.contains("-h") {
        try print(help)
      } else if arguments == ["--list"] {
        try print(Scene.all.map { "\($0.name)  \($0.summary)\n" }.joined())
      } else {
        try simulate(Arguments(arguments))
      }
      return 0
    } catch {
      switch error {
      case .usage(let message):
        try? FileDescriptor.standardError.write("beacond-simulate: \(message). 'beacond-simulate --help' says more.\n")
        return 64
      case .system(let error):
        try? FileDescriptor.standardError.write("beacond-simulate: \(error)\n")
        return 74
      }
    }
  }

  private static func simulate(_ arguments: Arguments) throws(Failure) {
    guard arguments.positional.count == 2 else { throw .usage("a scene and a file are wanted") }
    guard let scene = Scene.all.first(where: { $0.name == arguments.positional[0] }) else {
      throw .usage("no scene '\(arguments.positional[0])'; --list names them")
    }
    do throws(SystemError) {
      let file = try FileDescriptor(writing: arguments.positional[1])
      var recording = Recording(scene, seed: arguments.seed, as: arguments.datalink)
      var octets: [UInt8] = []
      while recording.append(to: &octets) {
        if octets.count >= 64 << 10 { try write(&octets, to: file) }
      }
      try write(&octets, to: file)
      guard let truth = arguments.truth else { return }
      let truthFile = try FileDescriptor(writing: truth)
      var output = OutputBuffer(truthFile)
      output.put(truthOf: scene, recording.simulator.reports)
      output.flush()
      if let failure = output.failure { throw failure }
    } catch {
      throw .system(error)
    }
  }

  private static func write(_ octets: inout [UInt8], to file: borrowing FileDescriptor) throws(SystemError) {
    let result = octets.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in try file.write(buffer) }
    }
    try result.get()
    octets.removeAll(keepingCapacity: true)
  }

  private static func print(_ text: String) throws(Failure) {
    do throws(SystemError) {
      try FileDescriptor.standardOutput.write(text)
    } catch {
      throw .system(error)
    }
  }
}
