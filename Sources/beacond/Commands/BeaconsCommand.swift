import BluetoothLE
import Inspection
import Linux

enum BeaconsCommand: Command {
  static let name = "beacons"
  static let summary = "who was heard in a capture, how often and how loud"
  static let help = """
    Usage: beacond beacons [--json|--yaml] CAPTURE|-...

    Lists the beacons of one or more captures: packets, mean interval, RSSI, address, telemetry.

      --json   one object a beacon
      --yaml   regions and beacons to paste into the configuration

    Exit codes: 0, 64 usage, 65 not a capture or cut short (what was good is counted), 66 no input, 74 cannot write.

    """

  static func run(_ arguments: [String]) throws(CommandFailure) {
    let options = try Options(arguments, flags: ["--json", "--yaml"])
    guard !options.positional.isEmpty else { throw CommandFailure(.usage, "no capture given.") }
    guard !options.has("--json") || !options.has("--yaml") else {
      throw CommandFailure(.usage, "--json and --yaml exclude each other.")
    }
    let standardOutput = FileDescriptor.standardOutput
    var output = OutputBuffer(standardOutput)
    var census = BeaconCensus()
    var failure: CommandFailure?
    for argument in options.positional {
      do throws(CommandFailure) {
        try count(argument, &census, &output)
      } catch {
        failure = error
        break
      }
    }
    if options.has("--yaml") {
      output.put(yaml: census)
    } else if options.has("--json") {
      output.put(json: census)
    } else if failure == nil || census.reports > 0 {
      output.put(text: census)
    }
    try output.check()
    if let failure { throw failure }
  }

  private static func count(
    _ argument: String, _ census: inout BeaconCensus, _ output: inout OutputBuffer
  ) throws(CommandFailure) {
    var input = try CaptureInput(argument)
    var decoder = ReportDecoder(joiningFragments: true)
    var last: UnixTime?
    defer { decoder.finish { report, _ in census.count(report, at: last) } }
    try input.forEachPacket(&output) { packet, _ in
      last = packet.time
      _ = decoder.decode(packet) { census.count($0, at: packet.time) }
    }
  }
}
