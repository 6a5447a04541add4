import BluetoothLE
import Linux
import Proximity
import Scanning

/// A daemon that hears the air.
///
/// It wakes when its source has something to say, but for reports no more often than the wake interval: they gather in
/// the kernel, which has their times.
package struct LiveRun: ~Copyable {
  private var daemon: BeaconDaemon
  private let source: any LiveSource
  private let authorization: Configuration.Authorization
  private var heard = HeardPackets()
  private var decoder = ReportDecoder(joiningFragments: true)
  private let wakeInterval: Int64
  private var lastRead: Int64 = 0
  /// Nil where nothing is recorded, or no more.
  private var recorder: Recorder?
  /// What is recorded of the clocks and of the authorization.
  private var recordedClocks: Moment
  private var toldAuthorization: Authorization?
  private var meter: HealthMeter
  /// What each adapter's scanner was last said to do.
  private var states: [Int: ScannerState] = [:]
  private let report: @Sendable (String) -> Void

  /// A recorder began where the daemon did, and is told all that the engine is.
  package init(
    _ daemon: consuming BeaconDaemon, _ source: any LiveSource, _ bluetooth: Configuration.Bluetooth,
    recorder: Recorder? = nil, report: @escaping @Sendable (String) -> Void
  ) {
    recordedClocks = daemon.clocks
    meter = HealthMeter(at: daemon.now)
    self.daemon = daemon
    self.source = source
    self.recorder = recorder
    wakeInterval = bluetooth.wakeInterval.nanoseconds
    authorization = bluetooth.authorization
    self.report = report
  }

  /// Hears until somebody ends it.
  package mutating func hear() {
    daemon.publish()
    while !daemon.isStopped {
      wait()
      read()
    }
  }

  /// Leaves the adapters as they were; says whether everything is on the disk.
  package consuming func end() -> Bool {
    let report = report
    for adapter in health() { report(adapter.line) }
    source.end { event in
      if case .say(let line) = event { report(line) }
    }
    recorder?.end(at: daemon.now)
    let isRecorded = recorder?.failure == nil
    if let recorder { report(Self.end(of: recorder)) }
    return daemon.end() && isRecorded
  }

  private func wait() {
    let deadline = min(daemon.nextDeadline, source.nextDeadline ?? .distantFuture)
    source.wait(orFor: daemon.signalNumber, until: deadline.nanoseconds, reportsFrom: lastRead + wakeInterval)
  }

  private mutating func read() {
    // The clocks first: packets are stamped by the wall clock, which may have been set.
    daemon.tend()
    recordClocks()
    lastRead = BootClock.now
    let now = Instant(nanoseconds: lastRead).inMicroseconds
    var told: [RadioEvent] = []
    source.read(at: now, offset: daemon.clocks.offset, into: &heard) { told.append($0) }
    recorder?.adapters(source.liveAdapters, at: daemon.now)
    heard.takeAll { packet, adapter, instant in
      recorder?.take(packet, from: adapter, at: max(instant, daemon.now))
      let packet = CapturedPacket(
        record: 0, time: nil, adapter: UInt16(truncatingIfNeeded: adapter), content: .hci(.event), octets: packet,
        isCut: false)
      _ = decoder.decode(packet) { daemon.take($0, from: adapter, at: instant) }
    }
    take(told, at: now)
    authorize(at: now)
    daemon.advance(to: now)
    daemon.publish()
    ask(at: now)
    flushRecording()
    sampleHealth(at: now)
    if daemon.takeStatusRequest() {
      for adapter in health() { report(adapter.line) }
    }
  }

  /// How the adapters do.
  package func health() -> [AdapterHealth] {
    let now = Instant(nanoseconds: BootClock.now)
    var health: [AdapterHealth] = []
    for (number, adapter) in source.liveAdapters.enumerated() {
      let counters = source.counters(of: number)
      let rates = meter.rates(of: number, totals(of: number), at: now)
      health.append(
        AdapterHealth(
          adapter: adapter, state: states[number], reportsPerSecond: rates.reports, beaconsPerSecond: rates.sightings,
          secondsSinceReport: counters.lastReport.map { now.seconds(since: $0) }, counters: counters))
    }
    return health
  }

  private mutating func sampleHealth(at now: Instant) {
    guard meter.isDue(at: now) else { return }
    var all: [HealthMeter.Totals] = []
    for number in source.liveAdapters.indices { all.append(totals(of: number)) }
    meter.sample(all, at: now)
  }

  private func totals(of adapter: Int) -> HealthMeter.Totals {
    HealthMeter.Totals(reports: source.counters(of: adapter).reports, sightings: daemon.sightings(of: adapter))
  }

  private mutating func authorize(at now: Instant) {
    let authorization = bluetooth
    guard authorization != toldAuthorization else { return }
    toldAuthorization = authorization
    tell(.authorization(authorization), at: now)
  }

  /// What beacon regions and ranging may do now.
  private var bluetooth: Authorization {
    if authorization == .denied {
      return Authorization(.bluetooth, .denied, reason: "bluetooth.authorization is denied")
    }
    if let restriction = source.restriction { return Authorization(.bluetooth, .restricted, reason: restriction) }
    return authorization == .whenInUse
      ? Authorization(.bluetooth, .whenInUse, reason: "bluetooth.authorization is when-in-use")
      : Authorization(.bluetooth, .always, reason: "bluetooth.authorization is always")
  }

  private mutating func take(_ told: [RadioEvent], at now: Instant) {
    for event in told {
      switch event {
      case .scanner(let adapter, let state):
        states[adapter] = state.state
        tell(.scanner(state), of: adapter, at: now)
      case .proof(let adapter): tell(.proof, of: adapter, at: now)
      case .say(let line): report(line)
      }
    }
  }

  /// Tells the engine, and the recording that it was told.
  private mutating func tell(_ note: RecordingNote, of adapter: Int? = nil, at now: Instant) {
    recorder?.note(note, of: adapter, at: max(now, daemon.now))
    daemon.take(note, of: adapter ?? 0, at: now)
  }

  /// Hands on what the engine wants to know.
  private mutating func ask(at now: Instant) {
    for adapter in daemon.takeProofRequests() {
      var told: [RadioEvent] = []
      source.askForProof(adapter, at: now) { told.append($0) }
      take(told, at: now)
    }
    daemon.publish()
  }

  // MARK: The recording

  private mutating func recordClocks() {
    guard recorder != nil, daemon.clocks != recordedClocks else { return }
    recordedClocks = daemon.clocks
    let clocks = recordedClocks.advanced(to: daemon.now)
    recorder?.note(.clock(clocks.utc, isSynchronized: clocks.isSynchronized), at: daemon.now)
  }

  private mutating func flushRecording() {
    guard let recorder else { return }
    recorder.flush(at: daemon.now)
    guard recorder.failure != nil || recorder.isFull else { return }
    recorder.end(at: daemon.now)
    report(Self.end(of: recorder) + "; the run goes on without it")
    self.recorder = nil
  }

  private static func end(of recorder: Recorder) -> String {
    if let failure = recorder.failure { return "the recording ended: \(failure)" }
    return "recorded \(recorder.packets) packets\(recorder.isFull ? ", up to the size that was given" : "")"
  }
}

extension Instant {
  /// The whole microseconds of it, which are what a recording holds.
  fileprivate var inMicroseconds: Instant { Instant(nanoseconds: nanoseconds - nanoseconds % 1000) }
}
