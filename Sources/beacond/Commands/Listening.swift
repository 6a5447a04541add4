import BluetoothLE
import Daemon
import Linux
import Proximity
import Scanning

/// Hears the air for a command that needs no engine.
struct Listening: ~Copyable {
  /// Options that take a value: which source, with which adapters, and for how long.
  static let values = ["--config", "--source", "--for"]

  /// Seconds in which an adapter hears nobody, after which it is asked for proof that it delivers, and between two requests.
  private static let silence = 2.0
  private static let timeBetweenRequests = 10.0
  /// Nanoseconds between looks at the clocks.
  private static let clockInterval: Int64 = 1_000_000_000

  /// What is known of an adapter.
  private struct Heard {
    var at: Instant
    var askedAt = Instant.distantPast
    var isDown = false
  }

  private let source: any LiveSource
  private let signals: SignalQueue
  private var recorder: Recorder?
  private let wakeInterval: Int64
  private let end: Int64?
  private var clocks: Moment
  private var now: Instant
  private var adapters: [Heard] = []

  /// Opens the source, and needs an adapter. Without --for it hears for `standard` seconds; nil for no end.
  ///
  /// No initializer: Swift 6.0.3 fails on one that throws, of what cannot be copied.
  static func open(_ options: Options, for standard: Double? = nil) throws(CommandFailure) -> Listening {
    let time = try options.duration("--for") ?? standard
    let bluetooth = try Configuration.load(options.value("--config")).0.bluetooth
    let kind = try options.source() ?? bluetooth.source
    if bluetooth.authorization == .denied {
      throw CommandFailure(.notPermitted, "bluetooth.authorization is denied in the configuration.")
    }
    let signals = try SignalQueue.ofCommand()
    // Without a memory: that is the daemon's, which may run beside.
    let source = try kind.open(ScanSettings(bluetooth), memory: nil)
    try source.requireAdapter()
    return Listening(source, signals, wakeInterval: bluetooth.wakeInterval.nanoseconds, for: time)
  }

  private init(
    _ source: any LiveSource, _ signals: consuming SignalQueue, wakeInterval: Int64, for seconds: Double?
  ) {
    let clocks = Moment.now()
    self.source = source
    self.signals = signals
    self.wakeInterval = wakeInterval
    self.clocks = clocks
    now = Instant(nanoseconds: clocks.sinceBoot)
    end = seconds.map { clocks.sinceBoot + Int64($0 * 1e9) }
  }

  /// Hears until a signal, the end of the time, or that of the recording. A recorder is told all that an engine would be.
  mutating func hear(into recorder: Recorder? = nil, _ body: (CapturedPacket) -> Void = { _ in }) {
    self.recorder = recorder
    recorder?.begin(at: clocks)
    var heard = HeardPackets()
    var nextLook = clocks.sinceBoot + Self.clockInterval
    var rest: Int64 = 0
    var isEnding = false
    while !isEnding {
      let deadline = min(nextLook, source.nextDeadline?.nanoseconds ?? .max, end ?? .max)
      source.wait(orFor: signals.number, until: deadline, reportsFrom: rest)
      while let signal = signals.next() { isEnding = isEnding || signal == .terminate }
      let moment = Moment.now()
      if moment.sinceBoot >= nextLook {
        nextLook = moment.sinceBoot + Self.clockInterval
        look(at: moment)
      }
      rest = moment.sinceBoot + wakeInterval
      read(at: Instant(nanoseconds: moment.sinceBoot), &heard, body)
      if let end, moment.sinceBoot >= end { isEnding = true }
      recorder?.flush(at: now)
      if let recorder, recorder.isFull || recorder.failure != nil { isEnding = true }
    }
    source.end { event in
      if case .say(let line) = event { say(line) }
    }
    recorder?.end(at: now)
  }

  private mutating func read(
    at instant: Instant, _ heard: inout HeardPackets, _ body: (CapturedPacket) -> Void
  ) {
    var told: [RadioEvent] = []
    source.read(at: instant, offset: clocks.offset, into: &heard) { told.append($0) }
    let present = source.liveAdapters
    while adapters.count < present.count { adapters.append(Heard(at: instant)) }
    recorder?.adapters(present, at: now)
    heard.takeAll { packet, adapter, instant in
      now = max(now, instant)
      adapters[adapter].at = now
      recorder?.take(packet, from: adapter, at: now)
      let time = UnixTime(nanoseconds: now.nanoseconds.addingReportingOverflow(clocks.offset).partialValue)
      body(
        CapturedPacket(
          record: 0, time: time, adapter: UInt16(truncatingIfNeeded: adapter), content: .hci(.event), octets: packet,
          isCut: false))
    }
    now = max(now, instant)
    take(told)
    askTheSilent()
  }

  private mutating func take(_ told: [RadioEvent]) {
    for event in told {
      switch event {
      case .scanner(let adapter, let report):
        adapters[adapter].isDown = report.state == .stopped
        recorder?.note(.scanner(report), of: adapter, at: now)
        say("\(report.name): \(report.state.rawValue): \(report.reason)")
      case .proof(let adapter): recorder?.note(.proof, of: adapter, at: now)
      case .say(let line): say(line)
      }
    }
  }

  /// A stalled adapter says nothing of it. Nobody knows yet whose silence will matter to who reads the recording.
  private mutating func askTheSilent() {
    var told: [RadioEvent] = []
    for number in adapters.indices where !adapters[number].isDown {
      guard now.seconds(since: adapters[number].at) >= Self.silence,
        now.seconds(since: adapters[number].askedAt) >= Self.timeBetweenRequests
      else { continue }
      adapters[number].askedAt = now
      source.askForProof(number, at: now) { told.append($0) }
    }
    take(told)
  }

  private mutating func look(at moment: Moment) {
    let before = clocks
    _ = clocks.follow(moment)
    guard clocks != before else { return }
    now = max(now, Instant(nanoseconds: moment.sinceBoot))
    recorder?.note(.clock(clocks.advanced(to: now).utc, isSynchronized: clocks.isSynchronized), at: now)
  }
}
