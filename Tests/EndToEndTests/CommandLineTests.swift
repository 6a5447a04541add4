import Foundation
import TestSupport
import Testing

struct CommandLineTests {
  // MARK: Input

  @Test func aFileAndStandardInputGiveTheSame() throws {
    for format in ["tsv", "json", "text"] {
      let file = try run(["decode", "--format", format], onFile: TwoPackets.capture)
      let input = try Beacond.run(["decode", "--format=\(format)", "-"], input: TwoPackets.capture)
      #expect(file.code == 0)
      #expect(file.error == "")
      #expect(file.output == input.output)
      #expect(input.code == 0)
    }
    #expect(
      try run(["decode", "--format", "tsv"], onFile: TwoPackets.capture).lines.map { $0.split(separator: "\t")[1] }
        == ["1717228800.000000", "1717228800.500000"])
  }

  @Test func aCaptureOfThePipeIsNotLostWhenItIsCut() throws {
    let outcome = try Beacond.run(["decode", "--format", "tsv", "-"], input: TwoPackets.capture.dropLast())
    #expect(outcome.code == 65)
    #expect(outcome.lines.count == 1)
    #expect(outcome.error.hasPrefix("beacond decode: standard input: cut short in record 2"))
  }

  @Test(arguments: [
    ["0201061AFF4C000215101112131415161718191A1B1C1D1E1F00010002C5"],
    ["02 01 06 1a ff 4c 00 02 15 10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f 00 01 00 02 c5"],
    [
      "02", "01", "06", "1a", "ff", "4c", "00", "02", "15", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19",
      "1a", "1b", "1c", "1d", "1e", "1f", "00", "01", "00", "02", "c5",
    ],
    ["02010", "61aff4c000215101112131415161718191a1b1c1d1e1f00010002c5"],
  ])
  func hexIsTakenHoweverItIsWritten(_ arguments: [String]) throws {
    let outcome = try Beacond.run(["decode", "--format", "json"] + arguments)
    #expect(outcome.code == 0)
    #expect(outcome.lines.count == 1)
    #expect(outcome.output.contains("\"uuid\":\"10111213-1415-1617-1819-1a1b1c1d1e1f\",\"major\":1,\"minor\":2"))
  }

  @Test func hexOfAnEventAndOfALinkLayerPacketIsRecognised() throws {
    func hex(_ octets: [UInt8]) -> String { octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
    let packets = [
      ("hci02", TwoPackets.event), ("hci02", Array(TwoPackets.event.dropFirst())),
      ("ll", HandmadeCaptures.linkLayerPacket(HandmadeEvents.iBeacon)),
    ]
    for (kind, octets) in packets {
      let outcome = try Beacond.run(["decode", "--format", "tsv", hex(octets)])
      #expect(outcome.code == 0)
      #expect(outcome.lines.map { $0.split(separator: "\t")[2] } == [Substring(kind)])
      #expect(outcome.output.contains("\tc0:00:00:00:00:01\t"))
    }
  }

  @Test func hexWithoutAReportIsCode65() throws {
    let outcome = try Beacond.run(["decode", "043e020100"])
    #expect(outcome.code == 65)
    #expect(outcome.errorLines.count == 1)
    // An odd digit is no hex: it names a file that is not there.
    #expect(try Beacond.run(["decode", "020"]).code == 66)
  }

  @Test func beaconsOnlyLeavesOutTheRest() throws {
    let plain = [0x04] + HandmadeEvents.legacy(.init([2, 1, 6]))
    let capture = HandmadeCaptures.btsnoop(1002, [.init(plain), .init(TwoPackets.event), .init(plain)])
    for format in ["text", "json", "tsv"] {
      let outcome = try Beacond.run(["decode", "--beacons", "--format", format, "-"], input: capture)
      #expect(outcome.code == 0)
      #expect(outcome.lines.count == (format == "text" ? 2 : 1))
    }
  }

  @Test func anAdvertisementThatStaysOpenIsItsAdaptersOwn() throws {
    let fragment = HandmadeEvents.extended(.init(HandmadeEvents.iBeacon, type: 0x20))
    let capture = HandmadeCaptures.btsnoop(2001, [.init(fragment, flags: 0x0002_0003)])
    for input in [capture, capture + [0]] {
      let outcome = try Beacond.run(["decode", "--format", "json", "-"], input: input)
      #expect(outcome.code == (input == capture ? 0 : 65))
      #expect(outcome.lines.count == 1)
      #expect(outcome.output.contains("\"adapter\":2,"))
      #expect(outcome.output.contains("\"dataStatus\":\"truncated\",\"fragments\":1,"))
      #expect(outcome.output.contains("\"kind\":\"ibeacon\""))
    }
  }

  // MARK: Usage

  @Test(
    arguments: [
      (arguments: ["decode", "--formt", "tsv", "-"], says: "did you mean --format?"),
      (["decode", "--format", "xml", "-"], "it is one of text, json, tsv"),
      (["decode", "--format"], "--format wants a value"),
      (["decode", "--beacons=yes", "-"], "no option --beacons"),
      (["decode", "-x"], "no option -x"),
      (["decode"], "no capture given"),
      (["beacons"], "no capture given"),
      (["beacons", "--json", "--yaml", "-"], "exclude each other"),
      (["replay"], "no capture given"),
      (["replay", "-", "-"], "standard input is given twice"),
      (["replay"] + Array(repeating: "x", count: 65), "64 is the most"),
      (["replay", "--speed", "0", "-"], "--speed '0': it is 'max' or a number above 0"),
      (["replay", "--speed", "fast", "-"], "--speed 'fast'"),
      (["replay", "--interval", "soon", "-"], "it is a duration"),
      (["decod", "-"], "did you mean 'decode'?"),
      (["frobnicate"], "no command 'frobnicate'"),
    ] as [(arguments: [String], says: String)])
  func wrongUseIsOneLineAndCode64(arguments: [String], says: String) throws {
    let outcome = try Beacond.run(arguments)
    #expect(outcome.code == 64)
    #expect(outcome.output == "")
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.error.contains(says))
    #expect(outcome.error.contains("--help'"))
  }

  @Test func withoutACommandTheCommandsAreListed() throws {
    let outcome = try Beacond.run([])
    #expect(outcome.code == 64)
    #expect(outcome.output == "")
    #expect(outcome.error.contains("decode"))
  }

  @Test func whatFollowsTwoDashesIsNoOption() throws {
    let outcome = try Beacond.run(["decode", "--", "--format"])
    #expect(outcome.code == 66)
    #expect(outcome.error.contains("--format: cannot open"))
  }

  // MARK: Help

  @Test(arguments: ["--help", "-h", "help"])
  func theProgramsHelpListsEveryCommand(_ argument: String) throws {
    let outcome = try Beacond.run([argument])
    #expect(outcome.code == 0)
    #expect(outcome.error == "")
    for command in ["beacons", "decode", "events", "replay"] { #expect(outcome.output.contains("\n  \(command) ")) }
  }

  @Test(arguments: ["beacons", "decode", "events", "replay"], ["--help", "-h"])
  func everyCommandHasHelp(_ command: String, argument: String) throws {
    for arguments in [[command, argument], [command, "-", argument], [command, "--nonsense", argument]] {
      let outcome = try Beacond.run(arguments)
      #expect(outcome.code == 0)
      #expect(outcome.error == "")
      #expect(outcome.output.hasPrefix("Usage: beacond \(command)"))
      #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 120 })
      #expect(outcome.output.contains("Exit codes:"))
    }
  }
}
