import BluetoothLE
import Linux
import Proximity

extension OutputBuffer {
  /// An event for a person, on one line.
  package mutating func put(text event: Event, of batch: EventBatch) {
    let civil = CivilTime(event.time)
    put(date: civil)
    put(UInt8(ascii: " "))
    put(clock: civil)
    put(UInt8(ascii: "."))
    put(decimal: UInt64(civil.nanosecond / 1_000_000), digits: 3)
    put("  ")
    put(string: event.region)
    switch event.content {
    case .didStartMonitoring:
      put(": monitoring starts")
    case .monitoringDidFail(let failure):
      put(": cannot be monitored: ")
      put(string: failure.message)
    case .didFailRanging(let failure):
      put(": cannot be ranged: ")
      put(string: failure.message)
    case .scannerDidChange(let report):
      put("adapter ")
      put(string: report.name)
      put(": ")
      put(report.state.word)
      put(", ")
      put(string: report.reason)
    case .didDetermineState(let subject, let state):
      put(text: subject)
      put(" is ")
      put(state.word)
    case .didEnter(let subject):
      put(text: subject)
      put(" entered")
      put(textCause: subject, ", first ")
    case .didExit(let subject, let lastSeen, let dwell, let cause):
      put(text: subject)
      put(" left after ")
      put(fixed: dwell, places: 1)
      put(" s (")
      put(cause.word)
      put(")")
      if let lastSeen {
        put(", last seen ")
        put(clock: CivilTime(lastSeen))
      }
      put(textCause: subject, ", last ")
    case .didRange(let range, let omitted):
      put(": ")
      put(decimal: range.count)
      put(range.count == 1 ? " beacon" : " beacons")
      for index in range {
        put(index == range.lowerBound ? ": " : "; ")
        put(text: batch.ranged[index])
      }
      if omitted > 0 {
        put("; and ")
        put(decimal: omitted)
        put(" more")
      }
    }
    endLine()
  }

  /// The beacon that an event is about; nothing where it is about the region.
  private mutating func put(text subject: Subject) {
    guard case .beacon(let beacon) = subject else { return }
    put(": ")
    put(text: beacon.identity)
  }

  /// The beacon that made a region's event.
  private mutating func put(textCause subject: Subject, _ lead: StaticString) {
    guard case .region(let beacon?) = subject else { return }
    put(lead)
    put(text: beacon.identity)
  }

  private mutating func put(text ranged: RangedBeacon) {
    put(text: ranged.beacon.identity)
    put(UInt8(ascii: " "))
    put(ranged.proximity.word)
    if let estimate = ranged.estimate {
      put(UInt8(ascii: " "))
      put(fixed: estimate.distance, places: 2)
      put(" m (")
      put(fixed: estimate.interval68.low, places: 2)
      put(" to ")
      put(fixed: estimate.interval68.high, places: 2)
      put(")")
    }
    if let level = ranged.level {
      put(", ")
      put(fixed: level, places: 1)
      put(" dBm")
    }
  }
}
