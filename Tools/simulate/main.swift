import BluetoothLE
import Glibc
import Linux
import Simulation

exit(Simulate.run(Array(CommandLine.arguments.dropFirst())))

/// Makes recordings of scenes: what the project ships as fixtures, and what tests and benchmarks want at hand.
private enum Simulate {
  static let help = """
    Usage: beacond-simulate SCENE [--seed N] [--form 1002|2001] FILE
           beacond-simulate --list

    Plays a scene and writes what a gateway would have heard as a btsnoop capture: form 1002 (HCI packets, default) or
    2001 (Linux monitor). The same scene and seed (default 1) give the same octets on every machine. What is true of
    each device is printed: packets heard, first and last second.

    """

  static func run(_ arguments: [String]) -> Int32 {
    do throws(Failure) {
      try perform(arguments)
      return 0
    } catch {
      try? FileDescriptor.standardError.write("beacond-simulate: \(error.message)\n")
      return error.code
    }
  }

  private struct Failure: Error {
    let code: Int32
    let message: String
  }

  private static func perform(_ arguments: [String]) throws(Failure) {
    var rest = arguments[...]
    var words: [String] = []
    var seed: UInt64 = 1
    var datalink = BTSnoopWriter.Datalink.h4
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": return try print(help)
      case "--list": return try print(Scene.all.map { "\($0.name)  \($0.summary)\n" }.joined())
      case "--seed":
        guard let number = rest.popFirst().flatMap({ UInt64($0) }) else { throw usage("--seed wants a number") }
        seed = number
      case "--form":
        switch rest.popFirst() {
        case "1002": datalink = .h4
        case "2001": datalink = .monitor
        default: throw usage("--form is 1002 or 2001")
        }
      default: words.append(argument)
      }
    }
    guard words.count == 2 else { throw usage("a scene and a file are wanted") }
    guard let scene = Scene.all.first(where: { $0.name == words[0] }) else { throw usage("no scene '\(words[0])'") }
    let recording = Recording(scene, seed: seed)
    do throws(SystemError) {
      let file = try FileDescriptor(writing: words[1])
      let octets = recording.btsnoop(datalink)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: octets.count, alignment: 1)
      defer { buffer.deallocate() }
      buffer.copyBytes(from: octets)
      try file.write(UnsafeRawBufferPointer(buffer))
    } catch {
      throw Failure(code: 74, message: "\(words[1]): \(error)")
    }
    try print(truth(recording))
  }

  private static func truth(_ recording: Recording) -> String {
    zip(recording.scene.devices, recording.heard).map { device, heard in
      "\(device.name): \(heard.packets) packets from second \(heard.first) to \(heard.last)\n"
    }.joined()
  }

  private static func print(_ text: String) throws(Failure) {
    do throws(SystemError) {
      try FileDescriptor.standardOutput.write(text)
    } catch {
      throw Failure(code: 74, message: "standard output: \(error)")
    }
  }

  private static func usage(_ message: String) -> Failure {
    Failure(code: 64, message: message + "; --help says how it is used")
  }
}
