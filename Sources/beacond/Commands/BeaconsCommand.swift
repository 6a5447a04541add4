import BluetoothLE
import Inspection
import Linux

enum BeaconsCommand: Command {
  static let name = "beacons"
  static let summary = "who is in a capture or in the air, how often and how loud"
  static let help = """
    Usage: beacond beacons [--json|--yaml] CAPTURE|-...
           beacond beacons [--json|--yaml] [OPTION...] live

    Lists the beacons of one or more captures, or those in the air: packets, mean interval, RSSI, address, telemetry.

      --json                  one object a beacon
      --yaml                  regions and beacons to paste into the configuration

    Of what is in the air:

      --for T                 hears for a time, as in 1min, instead of 10s; Ctrl-C ends it earlier
      --config FILE           the adapters and how to scan are that configuration's, instead of the installed one's
      --source hci|bluez|auto instead of bluetooth.source of the configuration

    A capture that is called 'live' is given as ./live.

    Exit codes: 0, 64 usage, 65 not a capture or cut short (what was good is counted), 66 no input, 69 no Bluetooth or no
    adapter, 74 cannot write, 77 a capability is missing, 78 faults in the configuration.

    """

  static func run(_ arguments: [String]) throws(CommandFailure) {
    let options = try Options(arguments, flags: ["--json", "--yaml"], values: Listening.values)
    guard !options.positional.isEmpty else { throw CommandFailure(.usage, "no capture given, and not 'live'.") }
    guard !options.has("--json") || !options.has("--yaml") else {
      throw CommandFailure(.usage, "--json and --yaml exclude each other.")
    }
    let standardOutput = FileDescriptor.standardOutput
    var output = OutputBuffer(standardOutput)
    var census = BeaconCensus()
    var failure: CommandFailure?
    if options.positional == ["live"] {
      var listening = try Listening.open(options, for: 10)
      var decoder = ReportDecoder(joiningFragments: true)
      listening.hear { packet in
        _ = decoder.decode(packet) { census.count($0, at: packet.time) }
      }
    } else if let option = Listening.values.first(where: { options.value($0) != nil }) {
      throw CommandFailure(.usage, "\(option): it is for 'live'.")
    } else {
      failure = count(options.positional, &census, &output)
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

  /// Counts captures up to one that cannot be read, and says why it cannot.
  private static func count(
    _ captures: [String], _ census: inout BeaconCensus, _ output: inout OutputBuffer
  ) -> CommandFailure? {
    for capture in captures {
      do throws(CommandFailure) {
        try count(capture, &census, &output)
      } catch {
        return error
      }
    }
    return nil
  }

  private static func count(
    _ argument: String, _ census: inout BeaconCensus, _ output: inout OutputBuffer
  ) throws(CommandFailure) {
    var input = try CaptureInput(argument)
    var decoder = ReportDecoder(joiningFragments: true)
    defer { decoder.finish { census.count($0, at: $1.time) } }
    try input.forEachPacket(&output) { packet, _ in
      _ = decoder.decode(packet) { census.count($0, at: packet.time) }
    }
  }
}
