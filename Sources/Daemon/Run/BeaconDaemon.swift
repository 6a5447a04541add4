import BluetoothLE
import EventLog
import Linux
import Proximity

/// A gateway at work: its events are logged, its state outlives it, and signals stop and reload it.
///
/// Whoever hears something gives it in, and waits here for more: deadlines, clocks and signals are answered meanwhile.
package struct BeaconDaemon: ~Copyable {
  /// Seconds between saved states; the log has what happens between.
  private static let stateInterval = 300.0
  /// Nanoseconds between looks at the wall clock.
  private static let clockInterval: Int64 = 1_000_000_000
  /// What an end may take; a service manager that waits for it should allow a second more.
  package static let longestEnd = Duration.seconds(4)

  private var configuration: Configuration
  private var gateway: Gateway
  private var publisher: EventPublisher
  private let log: LogWriter
  private let keeper: StateKeeper
  private let signals: SignalQueue
  private let readClocks: @Sendable () -> Moment
  private let report: @Sendable (String) -> Void
  /// Reads the configuration anew; nil where it is not good, which it has said.
  private let reread: () -> Configuration?
  /// The latest input, on the engine's clock.
  package private(set) var now: Instant
  private var nextState: Instant
  /// Set by the initializer: Swift 6.0.3 fails on one with a value of its own before what may throw.
  private var proofRequests: [Int]
  /// What had gone to the log when the state was saved.
  private var octetsOfState: Int64 = 0
  private var nextLook: Int64
  /// Somebody asked it to end.
  package private(set) var isStopped = false
  private var isStatusWanted: Bool

  /// Opens the log, and goes on from where the last run ended.
  ///
  /// `signals` are made by the caller, before any thread. It starts at `start`, or now. `report` is told what a person should know, on any thread.
  package init(
    _ configuration: Configuration, signals: consuming SignalQueue, whenFull: LogWriter.WhenFull = .refuse,
    isProven: Bool, at start: Moment? = nil, clocks: @escaping @Sendable () -> Moment = Moment.now,
    reread: @escaping () -> Configuration?,
    report: @escaping @Sendable (String) -> Void
  ) throws(LogFailure) {
    let moment = start ?? clocks()
    let folder = configuration.log.folder
    let file = StateFile(folder + "/" + StateKeeper.name)
    let saved = file.loadOrSetAside(at: moment.utc, report: report)
    let log = try LogWriter(
      folder, configuration.log.settings, from: (saved?.sequence ?? 0) + 1, whenFull: whenFull, report: report)
    let state = try Self.reconcile(saved, with: folder, upTo: log.next, configuration, report: report)
    let start = Instant(nanoseconds: moment.sinceBoot)
    self.configuration = configuration
    proofRequests = []
    isStatusWanted = false
    self.log = log
    self.signals = signals
    readClocks = clocks
    self.reread = reread
    self.report = report
    gateway = Gateway(configuration, restoring: state, isProven: isProven, at: moment)
    publisher = EventPublisher(log, configuration.log.rangeLog, gateway: configuration.gateway ?? Host.name)
    keeper = StateKeeper(file, log, report: report)
    now = start
    nextState = start
    nextLook = moment.sinceBoot
    report(Self.start(of: folder, next: log.next, state, at: moment))
  }
}

// MARK: What goes on

extension BeaconDaemon {
  /// Takes a report that an adapter has heard. What comes of it is logged by the next `publish`.
  package mutating func take(_ heard: AdvertisingReport, from adapter: Int, at instant: Instant) {
    now = max(now, instant)
    gateway.take(heard, from: adapter, at: now)
  }

  /// Takes what an adapter's scanner does from now on.
  package mutating func scanner(_ adapter: Int, _ report: ScannerReport, at instant: Instant) {
    now = max(now, instant)
    gateway.scanner(adapter, report, at: now)
  }

  /// Takes what a service may do from now on.
  package mutating func authorization(_ new: Authorization, at instant: Instant) {
    now = max(now, instant)
    gateway.authorization(new, at: now)
  }

  /// Takes the answer to a request for proof.
  package mutating func proof(_ adapter: Int, at instant: Instant) {
    now = max(now, instant)
    gateway.proof(adapter, at: now)
  }

  /// Whether somebody has asked how it goes since the last time; the daemon has told what it knows itself.
  package mutating func takeStatusRequest() -> Bool {
    defer { isStatusWanted = false }
    return isStatusWanted
  }

  /// Reports of beacons that an adapter has heard since the start.
  package func sightings(of adapter: Int) -> UInt64 { gateway.sightings(of: adapter) }

  /// The adapters that are to prove that they deliver, since the last time.
  package mutating func takeProofRequests() -> [Int] {
    defer { proofRequests.removeAll(keepingCapacity: true) }
    return proofRequests
  }

  /// Lets time pass in which nothing was heard.
  package mutating func advance(to instant: Instant) {
    now = max(now, instant)
    gateway.advance(to: now)
  }

  /// Sends on what has happened so far.
  package mutating func publish() {
    if gateway.events.isEmpty { return }
    let isSynchronized = gateway.clocks.isSynchronized
    gateway.takeEvents {
      proofRequests.append(contentsOf: $0.proofRequests)
      publisher.publish($0, isClockSynchronized: isSynchronized)
    }
    // The caps must not take what has happened since the state was saved.
    if publisher.octets - octetsOfState > configuration.log.maxSize / 8 { save() }
  }

  private mutating func save() {
    if keeper.isBusy { return }
    keeper.save(gateway.saved(at: now, after: publisher.lastSequence, isFinal: false))
    octetsOfState = publisher.octets
    nextState = now.advanced(by: Self.stateInterval)
  }

  /// For those who wait by themselves: the descriptor that a signal makes readable, when `tend` or `advance` has
  /// something to do by the boot clock.
  package var signalNumber: Int32 { signals.number }
  package var nextDeadline: Instant {
    min(gateway.nextDeadline ?? .distantFuture, Instant(nanoseconds: nextLook))
  }
  /// The clocks, as they hold for what is taken.
  package var clocks: Moment { gateway.clocks }

  /// Waits until `instant`, or until somebody ends it, and does what is due before. `due` tells what the clock since boot
  /// reads at an instant, in nanoseconds.
  package mutating func wait(until instant: Instant, _ due: (Instant) -> Int64) {
    while !isStopped {
      let next = min(gateway.nextDeadline ?? .distantFuture, instant)
      let time = due(next)
      if time > BootClock.now {
        _ = Wakeup.poll([signals.number], until: min(time, nextLook))
      }
      tend()
      if time > BootClock.now { continue }
      if next >= instant { return }
      advance(to: next)
      publish()
    }
  }

  /// Answers signals, looks at the clocks, and saves the state when it is time to. To be called each second or so.
  package mutating func tend() {
    while let signal = signals.next() {
      switch signal {
      case .terminate: isStopped = true
      case .reload: reload()
      case .status:
        isStatusWanted = true
        report("event \(publisher.lastSequence) is the last; up to \(log.synced) they are on the disk")
      }
    }
    if BootClock.now >= nextLook { lookAtClocks() }
    if now >= nextState {
      // Its events come first.
      publish()
      save()
    }
  }

  /// Saves the state and ends the log; says whether everything is on the disk.
  package consuming func end() -> Bool {
    publish()
    keeper.save(gateway.saved(at: now, after: publisher.lastSequence, isFinal: true))
    let isWritten = log.close(within: Self.longestEnd)
    let last = publisher.lastSequence
    report("ended after event \(last)" + (isWritten ? "" : "; those after \(log.synced) are not on the disk"))
    return isWritten
  }

  private mutating func lookAtClocks() {
    nextLook = BootClock.now + Self.clockInterval
    let read = readClocks()
    // A recording may be ahead of the clock.
    let moment = read.advanced(to: max(now, Instant(nanoseconds: read.sinceBoot)))
    guard gateway.clocks.step(to: moment) != 0 || gateway.clocks.isSynchronized != moment.isSynchronized else { return }
    // What is due until now has the clocks as they were.
    advance(to: Instant(nanoseconds: moment.sinceBoot))
    publish()
    let step = gateway.read(moment)
    guard step != 0 else { return }
    log.clockStepped(by: Int64(step * 1e9))
    let seconds = OutputBuffer.text { $0.put(fixed: step.magnitude, places: 1) }
    report("the system clock was set \(step > 0 ? "forward" : "back") by \(seconds) s; nobody enters or leaves for it")
  }

  private mutating func reload() {
    guard let new = reread() else {
      report("going on with the configuration as it was")
      return
    }
    var waiting: [String] = []
    if new.log.folder != configuration.log.folder { waiting.append("log.folder") }
    if new.ranging.maxBeacons != configuration.ranging.maxBeacons { waiting.append("ranging.max-beacons") }
    if new.bluetooth != configuration.bluetooth { waiting.append("bluetooth") }
    publish()
    gateway.reload(new, at: now)
    log.apply(new.log.settings)
    publisher.apply(new.log.rangeLog, gateway: new.gateway ?? Host.name)
    publish()
    report(
      "configuration taken over"
        + (waiting.isEmpty ? "" : "; what \(waiting.joined(separator: " and ")) says holds from the next start on"))
    let (folder, most, bluetooth) = (
      configuration.log.folder, configuration.ranging.maxBeacons, configuration.bluetooth
    )
    configuration = new
    (configuration.log.folder, configuration.ranging.maxBeacons, configuration.bluetooth) = (folder, most, bluetooth)
  }

  /// Called with every batch of events.
  package mutating func listen(_ listener: @escaping (EventBatch, _ isClockSynchronized: Bool) -> Void) {
    publisher.listener = listener
  }
}

// MARK: The start

extension BeaconDaemon {
  /// The state with what the log says has happened since.
  private static func reconcile(
    _ saved: SavedState?, with folder: String, upTo next: UInt64, _ configuration: Configuration,
    report: (String) -> Void
  ) throws(LogFailure) -> SavedState? {
    var state = StateReconciliation(saved, watching: configuration.regions)
    // The log was put in another's place: it does not go on from the state.
    var isOther = false
    let reader = LogReader(folder, from: saved.map { $0.sequence + 1 } ?? 0)
    try reader.readAvailable { item in
      switch item {
      case .line(let line): if !isOther { state.take(line) }
      case .missing(let range):
        report("events \(range.lowerBound) to \(range.upperBound) are gone: who entered or left by them is not known")
      case .restarted: isOther = true
      }
    }
    return state.finish()
  }

  private static func start(of folder: String, next: UInt64, _ state: SavedState?, at moment: Moment) -> String {
    let log = "log in \(folder), from event \(next) on"
    guard let state else { return "\(log); starting anew" }
    let inside = state.engine.regions.count { $0.inside != nil }
    let age = moment.nanoseconds(since: state.moment) / 1_000_000_000
    let regions = inside == 1 ? "1 region is entered" : "\(inside) regions are entered"
    return "\(log); going on from \(age) s ago\(state.isFinal ? "" : ", when it ended without saying so"): \(regions)"
  }
}

extension Configuration.Log {
  fileprivate var settings: LogSettings { LogSettings(maxSize: maxSize, maxAge: maxAge, sync: sync) }
}
