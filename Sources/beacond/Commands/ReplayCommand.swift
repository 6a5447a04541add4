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
      --state FILE            go on where the replay that wrote FILE ended, and write it at the end: who is inside, what was
                              learned, the number of the next event; without the file the replay starts anew
      --interval T            time from packet to packet, as in 100ms, for captures without times (hcidump --raw)
      --quiet                 no summary on standard error

    Exit codes: 0, 64 usage, 65 not a capture or cut short (events up to there are written) or not a state, 66 no input,
    74 cannot write, 78 faults in the configuration.

    """

  static func run(_ arguments: [String]) throws(CommandFailure) {
    let options = try Options(
      arguments, flags: ["--quiet"],
      values: ["--config", "--format", "--range-log", "--speed", "--scanner-events", "--state", "--interval"])
    guard !options.positional.isEmpty else { throw CommandFailure(.usage, "no capture given.") }
    let format = try options.choice("--format", default: EventFormat.auto)
    var configuration = Configuration()
    if let file = options.value("--config") { configuration = try Configuration.load(file).0 }
    let rangeLog = try options.choice("--range-log", default: configuration.log.rangeLog)
    let pace = try options.speed(default: nil).map { Pace($0) }
    let changes = try options.value("--scanner-events").map { file throws(CommandFailure) in try scannerChanges(file) }
    let stateFile = options.value("--state").map { StateFile($0) }
    let state = try stateFile.flatMap { file throws(CommandFailure) in try savedState(file) }
    var input = try CaptureInputs(options.positional, interval: try options.duration("--interval"))

    var session = ReplaySession(
      CaptureReplay(configuration, restoring: state, scannerChanges: changes ?? []),
      EventWriter(
        isText: format.isText, rangeLog: rangeLog, gateway: configuration.gateway ?? "replay",
        from: (state?.sequence ?? 0) + 1), pace)
    var failures = session.run(&input)
    if let stateFile, let failure = session.save(to: stateFile) { failures.append(failure) }
    // Where nothing could be read, the failure says all.
    if !options.has("--quiet"), session.hasRead || failures.isEmpty { session.writeSummary() }
    try session.check()
    if let failure = CommandFailure(failures) { throw failure }
  }

  private static func savedState(_ file: StateFile) throws(CommandFailure) -> SavedState? {
    do throws(StateFailure) {
      return try file.load()
    } catch {
      throw CommandFailure(error.isOfContent ? .badData : .noInput, "\(error)")
    }
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

/// A replay under way, with standard output.
private struct ReplaySession: ~Copyable {
  private var replay: CaptureReplay
  private var writer: EventWriter
  private var output: OutputBuffer
  private var pace: Pace?

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
        replay.take(packet, at: reading)
        write()
      })
    replay.finish()
    write()
    output.flush()
    return failures
  }

  private mutating func write() {
    replay.takeEvents { writer.write($0, isClockSynchronized: $1, to: &output) }
  }

  /// Saves what another replay goes on from. Where nothing was heard, or not all of it is written, a file stays as it is.
  func save(to file: StateFile) -> CommandFailure? {
    guard output.failure == nil, let state = replay.saved(after: writer.lastSequence) else { return nil }
    do throws(SystemError) {
      try file.save(state)
      return nil
    } catch {
      return CommandFailure(.cannotWrite, "\(error)")
    }
  }

  var hasRead: Bool { replay.reports > 0 }

  /// Throws if anything could not be written.
  mutating func check() throws(CommandFailure) { try output.check() }

  /// Waits until a packet is due, and writes in time what happens before.
  private mutating func wait(until instant: Instant) {
    while let deadline = replay.nextDeadline, deadline < instant {
      sleep(until: deadline)
      replay.advance(to: deadline)
      write()
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

/// Writes the events of a replay.
private struct EventWriter {
  private let isText: Bool
  private var filter: RangeLogFilter
  private var text: EventText
  private var json: EventJSON
  /// Of the last event that was written.
  private(set) var lastSequence: UInt64
  private var written = ContiguousArray(repeating: 0, count: EventName.allCases.count)

  init(isText: Bool, rangeLog: RangeLog, gateway: String, from sequence: UInt64) {
    self.isText = isText
    lastSequence = sequence - 1
    filter = RangeLogFilter(rangeLog)
    text = EventText(isColored: FileDescriptor.standardOutput.showsColor)
    json = EventJSON(gateway: gateway, from: sequence)
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

  mutating func write(_ batch: EventBatch, isClockSynchronized: Bool, to output: inout OutputBuffer) {
    json.isClockSynchronized = isClockSynchronized
    for event in batch.events where filter.passes(event, of: batch) {
      written[event.name.rawValue] += 1
      lastSequence += 1
      if isText {
        text.put(event, of: batch, into: &output)
      } else {
        json.put(event, of: batch, into: &output)
      }
    }
  }
}
