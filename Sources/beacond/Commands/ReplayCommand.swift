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
    var replay = Replay(EventWriter(isText: isText, rangeLog: rangeLog), interval: interval)
    var input = try CaptureInput(argument)
    do throws(CommandFailure) {
      try input.forEachPacket(&output) { packet, output in replay.take(packet, &output) }
    } catch {
      replay.finish(&output)
      try output.check()
      throw error
    }
    replay.finish(&output)
    try output.check()
    if replay.lacksTimes {
      throw CommandFailure(
        .usage, "\(argument): the capture has no times; give the time between packets, as in --interval 100ms.")
    }
  }
}

/// One recording on its way from packets to events.
private struct Replay {
  private var writer: EventWriter
  /// Nanoseconds between packets of a capture without times.
  private let interval: Int64?
  private var decoder = ReportDecoder(joiningFragments: true)
  private var clock = ReplayClock()
  private var engine: Engine?
  private var events = EventBatch()
  private var now = Instant(nanoseconds: 0)
  private var adapter: UInt16 = 0
  /// The capture has no times and nobody said how far apart its packets are.
  private(set) var lacksTimes = false

  init(_ writer: EventWriter, interval: Double?) {
    self.writer = writer
    self.interval = interval.map { Int64($0 * 1e9) }
  }

  mutating func take(_ packet: CapturedPacket, _ output: inout OutputBuffer) {
    guard let time = packet.time ?? madeTime(packet.record) else {
      lacksTimes = true
      return
    }
    let reading = clock.read(time)
    now = reading.instant
    adapter = packet.adapter
    if engine == nil {
      engine = Engine(at: now, utc: time)
      engine?.start(&events)
    }
    if let step = reading.step { engine?.setUTC(step, at: now, &events) }
    _ = decoder.decode(packet) { engine?.take($0, from: Int(packet.adapter), at: reading.instant, &events) }
    if !events.isEmpty { write(&output) }
  }

  private func madeTime(_ record: UInt64) -> UnixTime? {
    guard let interval else { return nil }
    let (product, overflow) = Int64(clamping: record - 1).multipliedReportingOverflow(by: interval)
    return UnixTime(nanoseconds: overflow ? .max : product)
  }

  /// Brings the engine to the time of the last packet.
  mutating func finish(_ output: inout OutputBuffer) {
    decoder.finish { engine?.take($0, from: Int(adapter), at: now, &events) }
    engine?.advance(to: now, &events)
    write(&output)
  }

  private mutating func write(_ output: inout OutputBuffer) {
    writer.put(events, into: &output)
    events.removeAll()
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

  mutating func put(_ batch: EventBatch, into output: inout OutputBuffer) {
    for event in batch.events where filter.passes(event, of: batch) {
      if isText {
        output.put(text: event, of: batch)
      } else {
        json.put(event, of: batch, into: &output)
      }
    }
  }
}
