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
  private var radio: Radio
  private var heard = HeardPackets()
  private var decoder = ReportDecoder(joiningFragments: true)
  private let wakeInterval: Int64
  private var lastRead: Int64 = 0
  private let report: @Sendable (String) -> Void

  package init(
    _ daemon: consuming BeaconDaemon, _ radio: consuming Radio, wakeInterval: Int64,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.daemon = daemon
    self.radio = radio
    self.wakeInterval = wakeInterval
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
    radio.end { event in
      if case .say(let line) = event { report(line) }
    }
    return daemon.end()
  }

  private mutating func wait() {
    let deadline = min(daemon.nextDeadline, radio.nextDeadline ?? .distantFuture).nanoseconds
    let rest = lastRead + wakeInterval
    // While reports gather, only what cannot wait wakes us.
    if BootClock.now < rest, deadline > BootClock.now {
      let numbers = [daemon.signalNumber] + radio.descriptors(withReports: false)
      if Wakeup.poll(numbers, until: min(rest, deadline)) { return }
    }
    if deadline > BootClock.now {
      _ = Wakeup.poll([daemon.signalNumber] + radio.descriptors(withReports: true), until: deadline)
    }
  }

  private mutating func read() {
    // The clocks first: packets are stamped by the wall clock, which may have been set.
    daemon.tend()
    lastRead = BootClock.now
    let now = Instant(nanoseconds: lastRead).inMicroseconds
    var told: [RadioEvent] = []
    radio.read(at: now, offset: daemon.offset, into: &heard) { told.append($0) }
    heard.takeAll { packet, adapter, instant in
      let packet = CapturedPacket(
        record: 0, time: nil, adapter: UInt16(truncatingIfNeeded: adapter), content: .hci(.event), octets: packet,
        isCut: false)
      _ = decoder.decode(packet) { daemon.take($0, from: adapter, at: instant) }
    }
    take(told, at: now)
    daemon.advance(to: now)
    daemon.publish()
    ask(at: now)
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
      radio.askForProof(adapter, at: now) { told.append($0) }
      take(told, at: now)
    }
    daemon.publish()
  }
}

extension Instant {
  /// The whole microseconds of it, which are what a recording holds.
  fileprivate var inMicroseconds: Instant { Instant(nanoseconds: nanoseconds - nanoseconds % 1000) }
}
