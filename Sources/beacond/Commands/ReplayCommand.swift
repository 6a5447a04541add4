import BluetoothLE
import EventLog
import Linux
import Proximity
import Scanning

enum ReplayCommand: Command {
  static let name = "replay"
  static let summary = "what a gateway would have said of a capture: who came, how far, who left"
  static let help = """
    Usage: beacond replay [--format auto|json|text] [--range-log interval|on-change|none] [--interval T] CAPTURE|-

    Runs the engine on a recording and writes its events. One region, 'everything', is watched: every iBeacon,
    Eddystone and AltBeacon, each with its own enter and exit, ranged once a second.

      --format json           JSON lines
      --format text           a line an event for a person
      --format auto           text on a terminal, else json (default)
      --range-log interval    write every list of ranged beacons (default)
      --range-log on-change   only those in which a beacon or its proximity changed
      --range-log none        no lists
      --interval T            time from packet to packet, as in 100ms, for captures without times (hcidump --raw)

    Exit codes: 0, 64 usage, 65 not a capture or cut short (events up to there are written), 66 no input,
    74 cannot write.

    """

  private enum Format: String, CaseIterable {
    case auto, json, text
  }

  static func run(_ arguments: [String]) throws(CommandFailure) {
    let options = try Options(arguments, values: ["--format", "--range-log", "--interval"])
    guard let argument = options.positional.first else { throw CommandFailure(.usage, "no capture given.") }
    guard options.positional.count == 1 else { throw CommandFailure(.usage, "more than one capture given.") }
    let format = try options.choice("--format", default: Format.auto)
    let rangeLog = try options.choice("--range-log", default: RangeLog.interval)
    let interval = try options.duration("--interval")

    let standardOutput = FileDescriptor.standardOutput
    let isText = format == .text || format == .auto && standardOutput.isTerminal
    var output = OutputBuffer(standardOutput)
    var writer = EventWriter(isText: isText, rangeLog: rangeLog)
    var replay = CaptureReplay(interval: interval)
    var events = EventBatch()
    var input = try CaptureInput(argument)
    do throws(CommandFailure) {
      try input.forEachPacket(&output) { packet, output in
        replay.take(packet, &events)
        writer.write(&events, to: &output)
      }
    } catch {
      replay.finish(&events)
      writer.write(&events, to: &output)
      try output.check()
      throw error
    }
    replay.finish(&events)
    writer.write(&events, to: &output)
    try output.check()
    if replay.lacksTimes {
      throw CommandFailure(
        .usage, "\(argument): the capture has no times; give the time between packets, as in --interval 100ms.")
    }
  }
}

/// Writes the events of a replay.
private struct EventWriter {
  private let isText: Bool
  private var filter: RangeLogFilter
  private var json = EventJSON(gateway: "replay")

  init(isText: Bool, rangeLog: RangeLog) {
    self.isText = isText
    filter = RangeLogFilter(rangeLog)
  }

  /// Writes what the batch holds and empties it.
  mutating func write(_ batch: inout EventBatch, to output: inout OutputBuffer) {
    guard !batch.isEmpty else { return }
    defer { batch.removeAll() }
    for event in batch.events where filter.passes(event, of: batch) {
      if isText {
        output.put(text: event, of: batch)
      } else {
        json.put(event, of: batch, into: &output)
      }
    }
  }
}
