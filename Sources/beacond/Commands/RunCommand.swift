import BluetoothLE
import Daemon
import EventLog
import Linux
import Proximity
import Scanning

enum RunCommand: Command {
  static let name = "run"
  static let summary = "the daemon: watches, ranges, and keeps a log that loses nothing"
  static let help = """
    Usage: beacond run [OPTION...]

    Runs the gateway: what it hears becomes events in the log, and what it knows outlives it, so that nobody enters or
    leaves for a restart. 'beacond events' reads the log, also meanwhile.

    It waits for an adapter where there is none, and goes on by itself when one is unplugged, powered off or stuck.

      --config FILE           instead of \(Configuration.standardPath); where that is missing, the defaults hold
      --source hci|bluez|auto instead of bluetooth.source of the configuration: the adapters over HCI, which needs
                              CAP_NET_RAW (and CAP_NET_ADMIN, to power them on and to let the kernel own the scan);
                              through bluetoothd, which needs nothing and hears each device about every 10 s; or the
                              first of these that is possible
      --source replay:FILE    a capture, as if its packets were heard now; the run ends where the capture does
      --speed N               N seconds of the capture in one; 1 by default
      --speed max             without waiting; the log's writer is waited for instead
      --require-adapter       ends with code 69 where there is no adapter at the start
      --record FILE           records all that is heard, and what adapters do, for 'beacond replay': it gives the same
                              events; a file that is there is not touched without --force
      --max-size SIZE         ends the recording where it would be larger, as in 500 MB; the run goes on
      --stdout                show events as they happen, without seq: they may not be on the disk yet
      --format json|text|auto how --stdout shows them: text on a terminal, else JSON lines (default)

    The log is in the folder that log.folder of the configuration names, and the state in the file 'state' in it.

    SIGTERM and SIGINT end the run within 5 s, with everything written and the state saved. SIGHUP reads the
    configuration anew; where it has faults, they are said, and the one before holds.

    Exit codes: 0, 64 usage, 65 not a capture or cut short, 66 no input, 69 no Bluetooth or no adapter, 73 the log cannot
    be opened or made, 74 at the end not everything was written, 75 another run writes the log, 77 a capability is
    missing, 78 faults in the configuration.

    """

  static func run(_ arguments: [String]) throws(CommandFailure) {
    let options = try Options(
      arguments, flags: ["--stdout", "--require-adapter"] + RecordingOptions.flags,
      values: ["--config", "--source", "--speed", "--format", "--record"] + RecordingOptions.values)
    if let word = options.positional.first {
      throw CommandFailure(.usage, "'\(word)': a capture is given as --source replay:\(word).")
    }
    let format = try options.choice("--format", default: EventFormat.auto)
    let (configuration, _) = try Configuration.load(options.value("--config"))
    let show = options.has("--stdout") ? ShownEvents(isText: format.isText, gateway: configuration.name) : nil
    let recording = try options.value("--record").map { path throws(CommandFailure) in
      try RecordingOptions(path, options)
    }
    if let capture = try capture(options) {
      guard recording == nil else { throw CommandFailure(.usage, "--record: a capture is a recording already.") }
      try replay(capture, configuration, options, show)
    } else {
      try hear(configuration, options, recording, show)
    }
  }

  // MARK: The air

  private static func hear(
    _ configuration: Configuration, _ options: Options, _ recording: RecordingOptions?, _ show: ShownEvents?
  ) throws(CommandFailure) {
    // Before anything else, so that an early end is one in order.
    let signals = try SignalQueue.ofCommand()
    let settings = ScanSettings(configuration.bluetooth)
    let kind = try options.source() ?? configuration.bluetooth.source
    let source: any LiveSource =
      configuration.bluetooth.authorization == .denied
      ? NoSource()
      : try kind.open(settings, memory: configuration.log.folder + "/adapters")
    if options.has("--require-adapter") { try source.requireAdapter() }
    let recorder = try recording?.open()
    var daemon = try open(
      configuration, options.value("--config"), signals, at: nil, isWaiting: false, isProven: false)
    if let show { daemon.listen { show.show($0, isClockSynchronized: $1) } }
    recorder?.begin(at: daemon.clocks)
    var run = LiveRun(daemon, source, configuration.bluetooth, recorder: recorder, report: say)
    run.hear()
    if !run.end() { throw CommandFailure(.cannotWrite, "not everything is on the disk.") }
  }

  // MARK: A capture

  private static func replay(
    _ capture: String, _ configuration: Configuration, _ options: Options, _ show: ShownEvents?
  ) throws(CommandFailure) {
    let factor = try options.speed(default: 1)
    var input = try CaptureInputs([capture], interval: nil)
    let first = try CaptureInputs.first(of: capture)
    guard input.areFiles else {
      throw CommandFailure(.usage, "\(capture): it is no file, and the run could wait for it.")
    }
    // Before the log has its thread.
    let signals = try SignalQueue.ofCommand()
    var daemon = try open(
      configuration, options.value("--config"), signals,
      at: first.map { start(like: $0.reading, configuration.ranging.interval) }, isWaiting: factor == nil,
      isProven: first?.isStart != true)
    if let show { daemon.listen { show.show($0, isClockSynchronized: $1) } }
    var run = DaemonRun(daemon, first?.reading, factor)
    let failures = run.hear(&input)
    let isWritten = run.end()
    if let failure = CommandFailure(failures) { throw failure }
    if !isWritten { throw CommandFailure(.cannotWrite, "not everything is on the disk.") }
  }

  /// Opens the log and goes on from the state; `file` is read again when somebody asks for it.
  private static func open(
    _ configuration: Configuration, _ file: String?, _ signals: consuming SignalQueue, at start: Moment?,
    isWaiting: Bool, isProven: Bool
  ) throws(CommandFailure) -> BeaconDaemon {
    let reread = { () -> Configuration? in
      do throws(CommandFailure) {
        return try Configuration.load(file).0
      } catch {
        say(error.message)
        return nil
      }
    }
    do throws(LogFailure) {
      return try BeaconDaemon(
        configuration, signals: signals, whenFull: isWaiting ? .wait : .refuse, isProven: isProven,
        at: start, reread: reread, report: say)
    } catch {
      if case .locked = error { throw CommandFailure(.temporary, "\(error)") }
      throw CommandFailure(.cannotCreate, "event log: \(error)")
    }
  }

  /// Now, or a moment later: as long after a list of ranged beacons is due as the first packet was recorded, so that all
  /// lists are as they were.
  private static func start(like first: ReplayClock.Reading, _ interval: Duration) -> Moment {
    let now = Moment.now()
    let late = first.time.nanoseconds.subtractingReportingOverflow(now.utc.nanoseconds).partialValue
    let wait = (late % interval.nanoseconds + interval.nanoseconds) % interval.nanoseconds
    return now.advanced(to: Instant(nanoseconds: now.sinceBoot + wait))
  }

  /// The path of the capture; nil where the air is heard.
  private static func capture(_ options: Options) throws(CommandFailure) -> String? {
    guard let source = options.value("--source"), source.hasPrefix("replay:") else { return nil }
    guard source != "replay:", source != "replay:-" else {
      throw CommandFailure(.usage, "--source '\(source)': what follows replay: is the path of a capture.")
    }
    return String(source.dropFirst("replay:".count))
  }
}

extension Configuration {
  /// What events call the gateway.
  fileprivate var name: String { gateway ?? Host.name }
}

extension SignalQueue {
  /// Those that end a command in order, and SIGHUP.
  static func ofCommand() throws(CommandFailure) -> SignalQueue {
    do throws(SystemError) {
      return try SignalQueue(ignoringPipes: true)
    } catch {
      throw CommandFailure(.temporary, "\(error)")
    }
  }
}

/// A daemon that hears a capture.
private struct DaemonRun: ~Copyable {
  private var daemon: BeaconDaemon
  private var decoder = ReportDecoder(joiningFragments: true)
  private var notices = CaptureNotices()
  /// Nil for no waiting.
  private var pace: Pace?
  /// Nanoseconds from the capture's instants to the daemon's.
  private let shift: Int64
  /// When the last packet was heard.
  private var last: Instant

  /// `first` is when the capture begins, which the daemon does with it; `factor` is how many seconds of the capture go by in one; nil for no waiting.
  init(_ daemon: consuming BeaconDaemon, _ first: ReplayClock.Reading?, _ factor: Double?) {
    let start = daemon.now
    shift = start.nanoseconds(since: first?.instant ?? start)
    last = start
    pace = nil
    if let factor { pace = Pace(factor, from: (start, start.nanoseconds)) }
    self.daemon = daemon
  }

  /// Hears the capture to its end, or until somebody ends it; gives what went wrong on the way.
  mutating func hear(_ input: inout CaptureInputs) -> [CommandFailure] {
    daemon.publish()
    let failures = input.forEachPacket(
      waiting: {
        daemon.tend()
        return !daemon.isStopped
      },
      { packet, reading in take(packet, at: reading) })
    if !daemon.isStopped {
      decoder.finish { report, packet in daemon.take(report, from: Int(packet.adapter), at: last) }
      daemon.advance(to: last)
    }
    return failures
  }

  private mutating func take(_ packet: CapturedPacket, at reading: ReplayClock.Reading) {
    let instant = reading.instant.before(nanoseconds: -shift)
    last = instant
    if var pace {
      daemon.wait(until: instant) { pace.time(of: $0) }
    }
    if daemon.isStopped { return }
    let adapter = Int(packet.adapter)
    if let note = notices.note(packet) { daemon.take(note, of: adapter, at: instant) }
    _ = decoder.decode(packet) { report in
      if let note = notices.note(heardBy: packet.adapter) { daemon.take(note, of: adapter, at: instant) }
      daemon.take(report, from: adapter, at: instant)
    }
    daemon.publish()
  }

  consuming func end() -> Bool { daemon.end() }
}

/// Writes events to standard output as they come.
private final class ShownEvents {
  private let text: EventText?
  private var json: EventJSON
  private var output = OutputBuffer(.standardOutput)

  init(isText: Bool, gateway: String) {
    text = isText ? EventText(isColored: FileDescriptor.standardOutput.showsColor) : nil
    json = EventJSON(gateway: gateway, from: nil)
  }

  func show(_ batch: EventBatch, isClockSynchronized: Bool) {
    json.isClockSynchronized = isClockSynchronized
    for event in batch.events {
      if let text {
        text.put(event, of: batch, into: &output)
      } else {
        json.put(event, of: batch, into: &output)
      }
    }
    output.flush()
  }
}
