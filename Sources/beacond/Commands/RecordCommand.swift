import BluetoothLE
import Linux
import Scanning

enum RecordCommand: Command {
  static let name = "record"
  static let summary = "writes what the adapters hear into a capture, for replay on another machine"
  static let help = """
    Usage: beacond record [OPTION...] FILE|-

    Hears the air, also beside a daemon that runs, and writes a btsnoop capture: every advertising report, when it was
    heard, by which adapter, and when adapters stopped and went on. 'beacond replay' makes events of it, 'beacond decode',
    btmon -r and tshark read it. For a recording that gives the very events of a daemon: 'beacond run --record'.

    Ends at Ctrl-C, or as told:

      --for T                 after a time, as in 10min
      --max-size SIZE         before it would be larger, as in 500MB

      --beacons-only          only what carries an iBeacon, Eddystone or AltBeacon frame: neighbours' devices stay out
      --format monitor|h4     btsnoop 2001, which tells adapters apart and what they do (default), or 1002, the packets alone
      --force                 replaces a file that is there
      --config FILE           the adapters and how to scan are that configuration's, instead of the installed one's
      --source hci|bluez|auto instead of bluetooth.source of the configuration

    Exit codes: 0, 64 usage, 69 no Bluetooth or no adapter, 73 the file cannot be made, 74 not everything was written,
    77 a capability is missing, 78 faults in the configuration.

    """

  private enum Format: String, CaseIterable {
    case monitor, h4
  }

  static func run(_ arguments: [String]) throws(CommandFailure) {
    let options = try Options(
      arguments, flags: ["--beacons-only"] + RecordingOptions.flags,
      values: ["--format"] + RecordingOptions.values + Listening.values)
    guard let path = options.positional.first, options.positional.count == 1 else {
      throw CommandFailure(.usage, options.positional.isEmpty ? "no file given." : "one file is what it writes.")
    }
    var recording = try RecordingOptions(path, options)
    recording.settings.isBeaconsOnly = options.has("--beacons-only")
    if try options.choice("--format", default: Format.monitor) == .h4 { recording.settings.datalink = .h4 }
    var listening = try Listening.open(options)
    let recorder = try recording.open()
    listening.hear(into: recorder)
    if let failure = recorder.failure { throw CommandFailure(.cannotWrite, "\(recording.name): \(failure)") }
    say(
      "\(recorder.packets) packets in \(recording.name)\(recorder.isFull ? ", which has the size that was given" : "")")
  }
}
