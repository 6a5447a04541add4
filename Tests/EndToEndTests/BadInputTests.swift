import Foundation
import TestSupport
import Testing

private let commands = ["decode", "beacons", "replay"]

struct BadInputTests {
  struct Input: Sendable, CustomTestStringConvertible {
    let name: String
    let octets: [UInt8]
    let says: String
    /// Reports that stand before the fault.
    var good = 0

    var testDescription: String { name }

    static let all: [Input] = [
      Input(name: "text", octets: Array("Dear all,\nplease find attached\n".utf8), says: "text"),
      Input(name: "nothing", octets: [], says: "empty"),
      Input(name: "gzip", octets: [0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6], says: "gzip"),
      Input(name: "noise", octets: [UInt8](repeating: 0xa5, count: 300), says: "not a capture"),
      Input(
        name: "Ethernet", octets: HandmadeCaptures.pcap(.little, linkType: 1, [.init(TwoPackets.event)]),
        says: "link type 1 "),
      Input(
        name: "Ethernet in pcapng",
        octets: HandmadeCaptures.section(.little) + HandmadeCaptures.interface(.little, linkType: 1)
          + HandmadeCaptures.enhancedPacket(.little, TwoPackets.event), says: "link type 1 "),
      Input(name: "another version", octets: HandmadeCaptures.btsnoop(1002, version: 9, []), says: "version 9"),
      Input(name: "another datalink", octets: HandmadeCaptures.btsnoop(1003, []), says: "link type 1003"),
      Input(
        name: "cut in a record", octets: TwoPackets.capture.dropLast(), says: "cut short in record 2, at octet", good: 1
      ),
      Input(name: "cut in a header", octets: Array(TwoPackets.capture.prefix(10)), says: "cut short"),
      Input(
        name: "a record too large", octets: TwoPackets.capture + [UInt8](repeating: 0xff, count: 24), says: "record 3",
        good: 2),
      Input(name: "no hex", octets: Array("> 04 3E\n> 04 XY\n".utf8), says: "not a hex digit"),
    ]
  }

  @Test(arguments: Input.all, commands)
  func badInputIsOneLineAndCode65(_ input: Input, command: String) throws {
    let outcome = try run(command == "replay" ? [command, "--quiet"] : [command], onFile: input.octets)
    #expect(outcome.code == 65)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.error.hasPrefix("beacond \(command): "))
    #expect(outcome.error.contains("lobby.capture"))
    #expect(outcome.error.contains(input.says))
  }

  @Test(arguments: Input.all)
  func whatWasGoodBeforeTheFaultIsWritten(_ input: Input) throws {
    #expect(try run(["decode", "--format", "tsv"], onFile: input.octets).lines.count == input.good)
    #expect(try run(["decode", "--format", "json"], onFile: input.octets).lines.count == input.good)
    let census = try run(["beacons", "--json"], onFile: input.octets)
    #expect(census.lines.count == (input.good > 0 ? 1 : 0))
    if input.good > 0 { #expect(census.output.contains("\"packets\":\(input.good),")) }
  }

  @Test(arguments: commands)
  func aFileThatIsNotThereOrAFolderIsCode66(_ command: String) throws {
    for path in ["/nowhere/lobby.btsnoop", "/"] {
      let outcome = try Beacond.run([command, path])
      #expect(outcome.code == 66)
      #expect(outcome.output == "")
      #expect(outcome.errorLines.count == 1)
      #expect(outcome.error.hasPrefix("beacond \(command): \(path): "))
    }
  }

  /// Root reads everything; the program is run as nobody then.
  @Test(.enabled(if: access("/usr/bin/setpriv", X_OK) == 0 || getuid() != 0, "nobody to be: no setpriv"))
  func aFileThatMayNotBeReadIsCode66() throws {
    try withTemporaryFolder { folder in
      let path = folder + "/secret"
      try Data(TwoPackets.capture).write(to: URL(fileURLWithPath: path))
      chmod(path, 0)
      let program = try Beacond.copyForOthers(in: folder)
      let isRoot = getuid() == 0
      let outcome = try Beacond.run(
        ["decode", path], program: program,
        through: isRoot ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [])
      #expect(outcome.code == 66)
      #expect(outcome.error == "beacond decode: \(path): cannot open: Permission denied\n")
    }
  }

  @Test func captureAfterCaptureIsReadUntilOneFails() throws {
    try withTemporaryFolder { folder in
      try Data(TwoPackets.capture).write(to: URL(fileURLWithPath: folder + "/good"))
      let outcome = try Beacond.run(["decode", "--format", "tsv", folder + "/good", folder + "/none", folder + "/good"])
      #expect(outcome.code == 66)
      #expect(outcome.lines.count == 2)
      let both = try Beacond.run(["decode", "--format", "tsv", folder + "/good", folder + "/good"])
      #expect(both.code == 0)
      #expect(both.lines.count == 4)
    }
  }

  @Test(arguments: ["tsv", "json", "text"])
  func aFullDiskIsCode74(_ format: String) throws {
    let outcome = try Beacond.run(["decode", "--format", format, "-"], input: TwoPackets.capture, output: "/dev/full")
    #expect(outcome.code == 74)
    #expect(outcome.error == "beacond decode: standard output: cannot write: No space left on device\n")
  }

  @Test func aFullDiskIsCode74ForHexHelpAndTheOtherCommands() throws {
    #expect(try Beacond.run(["decode", "02 01 06"], output: "/dev/full").code == 74)
    let help = try Beacond.run(["--help"], output: "/dev/full")
    #expect(help.code == 74)
    #expect(help.error == "beacond: standard output: cannot write: No space left on device\n")
    #expect(try Beacond.run(["beacons", "-"], input: TwoPackets.capture, output: "/dev/full").code == 74)
    #expect(try Beacond.run(["replay", "-"], input: TwoPackets.capture, output: "/dev/full").code == 74)
  }
}
