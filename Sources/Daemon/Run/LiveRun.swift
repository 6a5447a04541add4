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
  private let report: @Sendable (String) -> Void

  package init(
    _ daemon: consuming BeaconDaemon, _ source: any LiveSource, _ bluetooth: Configuration.Bluetooth,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.daemon = daemon
    self.source = source
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
    source.end { event in
      if case .say(let line) = event { report(line) }
    }
    return daemon.end()
  }

  private mutating func wait() {
    let deadline = min(daemon.nextDeadline, source.nextDeadline ?? .distantFuture).nanoseconds
    let rest = lastRead + wakeInterval
    // While reports gather, only what cannot wait wakes us.
    if BootClock.now < rest, deadline > BootClock.now {
      let numbers = [daemon.signalNumber] + source.descriptors(withReports: false)
      if Wakeup.poll(numbers, until: min(rest, deadline)) { return }
    }
    if deadline > BootClock.now {
      _ = Wakeup.poll([daemon.signalNumber] + source.descriptors(withReports: true), until: deadline)
    }
  }

  private mutating func read() {
    // The clocks first: packets are stamped by the wall clock, which may have been set.
    daemon.tend()
    lastRead = BootClock.now
    let now = Instant(nanoseconds: lastRead).inMicroseconds
    var told: [RadioEvent] = []
    source.read(at: now, offset: daemon.offset, into: &heard) { told.append($0) }
    heard.takeAll { packet, adapter, instant in
      let packet = CapturedPacket(
        record: 0, time: nil, adapter: UInt16(truncatingIfNeeded: adapter), content: .hci(.event), octets: packet,
        isCut: false)
      _ = decoder.decode(packet) { daemon.take($0, from: adapter, at: instant) }
    }
    take(told, at: now)
    daemon.authorization(bluetooth, at: now)
    daemon.advance(to: now)
    daemon.publish()
    ask(at: now)
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
      case .scanner(let adapter, let state): daemon.scanner(adapter, state, at: now)
      case .proof(let adapter): daemon.proof(adapter, at: now)
      case .say(let line): report(line)
      }
    }
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
}

extension Instant {
  /// The whole microseconds of it, which are what a recording holds.
  fileprivate var inMicroseconds: Instant { Instant(nanoseconds: nanoseconds - nanoseconds % 1000) }
}
