import BluetoothLE
import Proximity

/// Feeds an engine with the packets of recordings, as a gateway that heard them would have been fed.
package struct CaptureReplay {
  private let settings: EngineSettings
  private var decoder = ReportDecoder(joiningFragments: true)
  private var engine: Engine?
  private var now = Instant(nanoseconds: 0)
  /// What is said of adapters beside the recording, the latest first, and when the recording began.
  private var changes: [ScannerChange]
  private var start = Instant(nanoseconds: 0)

  /// Advertising reports so far, those with errors among them.
  package private(set) var reports = 0
  /// Events that announced more reports than they held.
  package private(set) var malformed = 0

  package init(_ settings: EngineSettings = EngineSettings(), scannerChanges: [ScannerChange] = []) {
    self.settings = settings
    // Those of one time stay in their order.
    changes = scannerChanges.enumerated().sorted { a, b in
      a.element.seconds == b.element.seconds ? a.offset > b.offset : a.element.seconds > b.element.seconds
    }.map { $0.element }
  }

  /// Seconds from the first packet to the last input.
  package var duration: Double { engine == nil ? 0 : now.seconds(since: start) }

  /// When the engine has something to do next, though no packet comes.
  package var nextDeadline: Instant? {
    guard let engine else { return nil }
    let change = changes.last.map { instant(of: $0) }
    guard let timer = engine.nextDeadline else { return change }
    return change.map { min($0, timer) } ?? timer
  }

  /// Takes a packet that was heard at the instant of the reading.
  package mutating func take(
    _ packet: CapturedPacket, at reading: ReplayClock.Reading, _ events: inout EventBatch
  ) {
    if engine == nil {
      now = reading.instant
      start = now
      engine = Engine(settings, at: now, utc: reading.time, &events)
    }
    if !changes.isEmpty { applyChanges(upTo: reading.instant, &events) }
    now = max(now, reading.instant)
    if let step = reading.step { engine?.setUTC(step, at: now, &events) }
    let lack = decoder.decode(packet) { report in
      reports += 1
      engine?.take(report, from: Int(packet.adapter), at: now, &events)
    }
    if lack != nil { malformed += 1 }
  }

  /// Lets time pass without a packet.
  package mutating func advance(to instant: Instant, _ events: inout EventBatch) {
    applyChanges(upTo: instant, &events)
    now = max(now, instant)
    engine?.advance(to: now, &events)
  }

  /// At the end of the recordings: takes what stayed incomplete, brings the engine to the time of the last packet, and
  /// applies what is said of adapters after that.
  package mutating func finish(_ events: inout EventBatch) {
    decoder.finish { report, packet in
      reports += 1
      engine?.take(report, from: Int(packet.adapter), at: now, &events)
    }
    engine?.advance(to: now, &events)
    applyChanges(upTo: .distantFuture, &events)
  }

  private func instant(of change: ScannerChange) -> Instant { start.advanced(by: change.seconds) }

  private mutating func applyChanges(upTo end: Instant, _ events: inout EventBatch) {
    while engine != nil, let change = changes.last, instant(of: change) <= end {
      changes.removeLast()
      now = max(now, instant(of: change))
      engine?.scanner(change.adapter, change.report, at: now, &events)
    }
  }
}
