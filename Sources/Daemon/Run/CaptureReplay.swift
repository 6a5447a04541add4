import BluetoothLE
import Proximity
import Scanning

/// Feeds a gateway with the packets of recordings, as one that heard them would have been fed.
package struct CaptureReplay {
  /// Makes the gateway when the first packet tells the time.
  private let start: (Moment, _ isProven: Bool) -> Gateway
  private var gateway: Gateway?
  private var notices = CaptureNotices()
  /// Somebody kept the recording's clock right when the events came about that wait.
  private var isClockSynchronized = true
  private var decoder = ReportDecoder(joiningFragments: true)
  private var now = Instant(nanoseconds: 0)
  /// What is said of adapters beside the recording, the latest first, and when the recording began.
  private var changes: [ScannerChange]
  private var beginning = Instant(nanoseconds: 0)

  /// Advertising reports so far, those with errors among them.
  package private(set) var reports = 0
  /// Events that announced more reports than they held.
  package private(set) var malformed = 0

  /// Starts where `saved` ended, or anew.
  package init(
    _ configuration: Configuration = Configuration(), restoring saved: SavedState? = nil,
    scannerChanges: [ScannerChange] = []
  ) {
    start = { Gateway(configuration, restoring: saved, isProven: $1, at: $0) }
    // Those of one time stay in their order.
    changes = scannerChanges.enumerated().sorted { a, b in
      a.element.seconds == b.element.seconds ? a.offset > b.offset : a.element.seconds > b.element.seconds
    }.map { $0.element }
  }

  /// Seconds from the first packet to the last input.
  package var duration: Double { gateway == nil ? 0 : now.seconds(since: beginning) }

  /// When there is something to do next, though no packet comes.
  package var nextDeadline: Instant? {
    guard let gateway else { return nil }
    let change = changes.last.map { instant(of: $0) }
    guard let timer = gateway.nextDeadline else { return change }
    return change.map { min($0, timer) } ?? timer
  }

  /// Calls `body` with the events so far, where there are any, and forgets them.
  package mutating func takeEvents(_ body: (EventBatch, _ isClockSynchronized: Bool) -> Void) {
    let isSynchronized = isClockSynchronized
    if gateway?.events.isEmpty == false { gateway?.takeEvents { body($0, isSynchronized) } }
    if let gateway { isClockSynchronized = gateway.clocks.isSynchronized }
  }

  /// What a later replay goes on from, `sequence` being that of the last event; nil before the first packet.
  package func saved(after sequence: UInt64) -> SavedState? {
    gateway?.saved(at: now, after: sequence, isFinal: true)
  }

  /// Takes a packet that was heard at the instant of the reading.
  package mutating func take(_ packet: CapturedPacket, at reading: ReplayClock.Reading) {
    if gateway == nil { begin(with: packet, at: reading) }
    if !changes.isEmpty { applyChanges(upTo: reading.instant) }
    now = max(now, reading.instant)
    if let step = reading.step { setClock(step) }
    if case .notice = packet.content { return takeNotice(packet) }
    let lack = decoder.decode(packet) { report in
      reports += 1
      if let note = notices.note(heardBy: packet.adapter) { gateway?.take(note, of: Int(packet.adapter), at: now) }
      gateway?.take(report, from: Int(packet.adapter), at: now)
    }
    if lack != nil { malformed += 1 }
  }

  private mutating func begin(with packet: CapturedPacket, at reading: ReplayClock.Reading) {
    now = reading.instant
    beginning = now
    // Only a recording that says how silences are proven asks for a proof of them.
    var (isProven, isSynchronized) = (true, true)
    if case .start(let isClockSynchronized) = RecordingNote(packet) {
      (isProven, isSynchronized) = (false, isClockSynchronized)
    }
    gateway = start(
      Moment(utc: reading.time, isSynchronized: isSynchronized, sinceBoot: now.nanoseconds), isProven)
    isClockSynchronized = isSynchronized
  }

  private mutating func takeNotice(_ packet: CapturedPacket) {
    guard let note = notices.note(packet) else { return }
    if case .clock(let time, let isSynchronized) = note { return setClock(time, isSynchronized: isSynchronized) }
    gateway?.take(note, of: Int(packet.adapter), at: now)
  }

  private mutating func setClock(_ time: UnixTime, isSynchronized: Bool? = nil) {
    // What is due until now has the clock as it was.
    gateway?.advance(to: now)
    let isSynchronized = isSynchronized ?? gateway?.clocks.isSynchronized ?? true
    _ = gateway?.read(Moment(utc: time, isSynchronized: isSynchronized, sinceBoot: now.nanoseconds))
  }

  /// Lets time pass without a packet.
  package mutating func advance(to instant: Instant) {
    applyChanges(upTo: instant)
    now = max(now, instant)
    gateway?.advance(to: now)
  }

  /// At the end of the recordings: takes what stayed incomplete, brings the engine to the time of the last packet, and
  /// applies what is said of adapters after that.
  package mutating func finish() {
    decoder.finish { report, packet in
      reports += 1
      gateway?.take(report, from: Int(packet.adapter), at: now)
    }
    gateway?.advance(to: now)
    applyChanges(upTo: .distantFuture)
  }

  private func instant(of change: ScannerChange) -> Instant { beginning.advanced(by: change.seconds) }

  private mutating func applyChanges(upTo end: Instant) {
    while gateway != nil, let change = changes.last, instant(of: change) <= end {
      changes.removeLast()
      now = max(now, instant(of: change))
      gateway?.scanner(change.adapter, change.report, at: now)
    }
  }
}
