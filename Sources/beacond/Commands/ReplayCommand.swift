import BluetoothLE
import Daemon
import EventLog
import Linux
import Proximity
import Scanning

enum ReplayCommand: Command {
  static let name = "replay"
  static let summary = "what a gateway would have said of captures: who came, how far, who left"
  static let help = """
    Usage: beacond replay [OPTION...] CAPTURE|- [CAPTURE...]

    Runs the engine on recordings and writes its events. Without a configuration one region, 'everything', is watched:
    every iBeacon, Eddystone and AltBeacon, each with its own enter and exit, ranged once a second.

    Several captures are merged by time. One that begins when another has ended goes on with its adapters, so that a
    recording in parts gives what the whole would; captures that overlap are heard by adapters of their own.

      --config FILE           regions, beacons, ranging and range-log of this file (the installed one is not read)
      --format json           JSON lines
      --format text           a line an event for a person; in colour on a terminal, unless NO_COLOR is set
      --format auto           text on a terminal, else json (default)
      --range-log interval    write every list of ranged beacons (default, unless configured)
      --range-log on-change   only those in which a beacon or its proximity changed
      --range-log none        no lists
      --speed N               N seconds of the recording in one: 1 is as it was heard
      --speed max             without waiting (default)
      --scanner-events FILE   when adapters stopped and went on: a line each of seconds since the first packet, adapter,
                              scanning|degraded|stopped, and a reason, as in '60 0 stopped unplugged'
      --interval T            time from packet to packet, as in 100ms, for captures without times (hcidump --raw)
      --quiet                 no summary on standard error

    Exit codes: 0, 64 usage, 65 not a capture or cut short (events up to there are written), 66 no input,
    74 cannot write, 78 faults in the configuration.

    """

  static func run(_ arguments: [String]) throws(CommandFailure) {
    let options = try Options(
      arguments, flags: ["--quiet"],
      values: ["--config", "--format", "--range-log", "--speed", "--scanner-events", "--interval"])
    guard !options.positional.isEmpty else { throw CommandFailure(.usage, "no capture given.") }
    let format = try options.choice("--format", default: EventFormat.auto)
    var configuration = Configuration()
    if let file = options.value("--config") { configuration = try Configuration.load(file).0 }
    let rangeLog = try options.choice("--range-log", default: configuration.log.rangeLog)
    let pace = try options.speed.map { Pace($0) }
    let changes = try options.value("--scanner-events").map { file throws(CommandFailure) in try scannerChanges(file) }
    var input = try CaptureInputs(options.positional, interval: try options.duration("--interval"))

    var session = ReplaySession(
      CaptureReplay(EngineSettings(configuration), scannerChanges: changes ?? []),
      EventWriter(isText: format.isText, rangeLog: rangeLog, gateway: configuration.gateway ?? "replay"), pace)
    let failures = session.run(&input)
    // Where nothing could be read, the failure says all.
    if !options.has("--quiet"), session.hasRead || failures.isEmpty { session.writeSummary() }
    try session.check()
    if let failure = CommandFailure(failures) { throw failure }
  }

  private static func scannerChanges(_ file: String) throws(CommandFailure) -> [ScannerChange] {
    let most = 1 << 20
    let text: [UInt8]
    do throws(SystemError) {
      text = try FileDescriptor(reading: file).octets(atMost: most + 1)
    } catch {
      throw CommandFailure(.noInput, "\(file): \(error)")
    }
    guard text.count <= most else { throw CommandFailure(.badData, "\(file): larger than 1 MB") }
    do throws(ScannerChange.Fault) {
      return try ScannerChange.list(String(decoding: text, as: UTF8.self))
    } catch {
      throw CommandFailure(.badData, "\(file):\(error)")
    }
  }
}

extension Options {
  /// Seconds of the recording in one; nil for no waiting.
  fileprivate var speed: Double? {
    get throws(CommandFailure) {
      guard let word = value("--speed"), word != "max" else { return nil }
      guard let factor = Double(word), factor > 0, factor <= 1e6 else {
        throw CommandFailure(.usage, "--speed '\(word)': it is 'max' or a number above 0, as 1 or 200.")
      }
      return factor
    }
  }
}

/// A replay under way, with standard output.
private struct ReplaySession: ~Copyable {
  private var replay: CaptureReplay
  private var writer: EventWriter
  private var output: OutputBuffer
  private var pace: Pace?
  private var events = EventBatch()

  init(_ replay: CaptureReplay, _ writer: EventWriter, _ pace: Pace?) {
    self.replay = replay
    self.writer = writer
    output = OutputBuffer(.standardOutput)
    self.pace = pace
  }

  /// Replays to the end; gives what went wrong on the way.
  mutating func run(_ input: inout CaptureInputs) -> [CommandFailure] {
    let failures = input.forEachPacket(
      waiting: {
        output.flush()
        return output.failure == nil
      },
      { packet, reading in
        if pace != nil { wait(until: reading.instant) }
        replay.take(packet, at: reading, &events)
        writer.write(&events, to: &output)
      })
    replay.finish(&events)
    writer.write(&events, to: &output)
    output.flush()
    return failures
  }

  var hasRead: Bool { replay.reports > 0 }

  /// Throws if anything could not be written.
  mutating func check() throws(CommandFailure) { try output.check() }

  /// Waits until a packet is due, and writes in time what happens before.
  private mutating func wait(until instant: Instant) {
    while let deadline = replay.nextDeadline, deadline < instant {
      sleep(until: deadline)
      replay.advance(to: deadline, &events)
      writer.write(&events, to: &output)
    }
    sleep(until: instant)
  }

  /// Not at all where nobody reads any more.
  private mutating func sleep(until instant: Instant) {
    guard output.failure == nil, let due = pace?.time(of: instant), due > BootClock.now else { return }
    output.flush()
    BootClock.sleep(until: due)
  }

  /// Says to a person what was read, and what came of it.
  func writeSummary() {
    var output = OutputBuffer(.standardError)
    output.put(decimal: replay.reports)
    output.put(replay.reports == 1 ? " report" : " reports")
    if replay.malformed > 0 {
      output.put(", ")
      output.put(decimal: replay.malformed)
      output.put(" malformed")
    }
    output.put(" in ")
    output.put(fixed: replay.duration, places: 1)
    output.put(" s\n")
    writer.putCounts(into: &output)
    output.endLine()
    output.flush()
  }
}

/// When the machine's clock reads what a recording's does, told from the first instant on.
private struct Pace {
  /// Seconds of the recording in one.
  private let factor: Double
  private var start: (instant: Instant, time: Int64)?

  init(_ factor: Double) {
    self.factor = factor
  }

  /// In nanoseconds since boot.
  mutating func time(of instant: Instant) -> Int64 {
    let start = self.start ?? (instant, BootClock.now)
    self.start = start
    let wait = instant.seconds(since: start.instant) / factor * 1e9
    return start.time.addingReportingOverflow(Int64(min(max(wait, 0), 1e18))).partialValue
  }
}

/// Writes the events of a replay.
private struct EventWriter {
  private let isText: Bool
  private var filter: RangeLogFilter
  private var text: EventText
  private var json: EventJSON
  private var written = ContiguousArray(repeating: 0, count: EventName.allCases.count)

  init(isText: Bool, rangeLog: RangeLog, gateway: String) {
    self.isText = isText
    filter = RangeLogFilter(rangeLog)
    text = EventText(isColored: FileDescriptor.standardOutput.showsColor)
    json = EventJSON(gateway: gateway)
  }

  /// How many events were written, by name.
  func putCounts(into output: inout OutputBuffer) {
    var isFirst = true
    for name in EventName.allCases where written[name.rawValue] > 0 {
      if !isFirst { output.put(", ") }
      isFirst = false
      output.put(decimal: written[name.rawValue])
      output.put(" ")
      output.put(word: name.word)
    }
    if isFirst { output.put("no events") }
  }

  /// Writes what the batch holds and empties it.
  mutating func write(_ batch: inout EventBatch, to output: inout OutputBuffer) {
    guard !batch.isEmpty else { return }
    defer { batch.removeAll() }
    for event in batch.events where filter.passes(event, of: batch) {
      written[event.name.rawValue] += 1
      if isText {
        text.put(event, of: batch, into: &output)
      } else {
        json.put(event, of: batch, into: &output)
      }
    }
  }
}
