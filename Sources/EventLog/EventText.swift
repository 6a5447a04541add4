import BluetoothLE
import Linux
import Proximity

/// Writes events for a person, a line each.
package struct EventText {
  private let isColored: Bool

  /// Colours are those of ECMA-48, as every terminal has them.
  package init(isColored: Bool) {
    self.isColored = isColored
  }

  package func put(_ event: Event, of batch: EventBatch, into output: inout OutputBuffer) {
    let color = isColored ? event.color : nil
    output.put(textTime: event.time)
    if let color { output.put(color) }
    output.put(textContent: event, of: batch)
    if color != nil { output.put("\u{1b}[0m") }
    output.endLine()
  }

  /// A line that cannot be read as an event, as a later version may write one: its time, and what it is.
  package func put(unread line: LogLine, into output: inout OutputBuffer) {
    output.put(textTime: line.time)
    line.octets.withUnsafeBytes { output.put($0) }
    output.endLine()
  }
}

extension Event {
  /// Green for who came, yellow for who left, red for what fails, faint for what comes every second.
  fileprivate var color: StaticString? {
    switch content {
    case .didEnter: "\u{1b}[32m"
    case .didExit: "\u{1b}[33m"
    case .monitoringDidFail, .didFailRanging: "\u{1b}[31m"
    case .didChangeAuthorization(let authorization):
      authorization.status == .always || authorization.status == .whenInUse ? nil : "\u{1b}[31m"
    case .scannerDidChange(let report): report.state == .scanning ? nil : "\u{1b}[31m"
    case .didRange: "\u{1b}[2m"
    case .didStartMonitoring, .didDetermineState, .didUpdateLocations, .didUpdateHeading: nil
    }
  }
}

extension OutputBuffer {
  /// `2026-12-01 08:30:00.125  `.
  fileprivate mutating func put(textTime time: UnixTime) {
    let civil = CivilTime(time)
    put(date: civil)
    put(UInt8(ascii: " "))
    put(clock: civil)
    put(UInt8(ascii: "."))
    put(decimal: UInt64(civil.nanosecond / 1_000_000), digits: 3)
    put("  ")
  }

  /// A number that its line has with `written` decimals, in fewer. It is the line's number that is rounded, so that the
  /// text is the same whether the event is new or read back.
  private mutating func put(fixed value: Double, places: Int, of written: Int) {
    var unit = 1.0
    for _ in 0..<written { unit *= 10 }
    var divisor: UInt64 = 1
    for _ in places..<written { divisor *= 10 }
    let scaled = value.magnitude * unit + 0.5
    guard scaled < 9e18 else { return put("null") }
    let units = (UInt64(scaled) + divisor / 2) / divisor
    if value < 0, units > 0 { put(UInt8(ascii: "-")) }
    put(units: units, places: places)
  }

  fileprivate mutating func put(textContent event: Event, of batch: EventBatch) {
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
      put(string: report.state.rawValue)
      put(", ")
      put(string: report.reason)
    case .didChangeAuthorization(let authorization):
      put(string: authorization.service.rawValue)
      put(": ")
      put(string: authorization.status.rawValue)
      put(", ")
      put(string: authorization.reason)
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
      put(fixed: dwell, places: 1, of: 3)
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
    case .didUpdateLocations:
      put("at ")
      if let location = event.location { put(text: location) }
    case .didUpdateHeading(let heading):
      put("heading ")
      put(fixed: heading.trueHeading, places: 0, of: 7)
      put("°, within ")
      put(fixed: heading.accuracy, places: 0, of: 7)
      put("°")
    }
  }

  private mutating func put(text location: Location) {
    put(fixed: location.fix.coordinate.latitude, places: 6, of: 7)
    put(", ")
    put(fixed: location.fix.coordinate.longitude, places: 6, of: 7)
    put(", within ")
    put(fixed: location.fix.accuracy, places: 0, of: 2)
    put(" m (")
    put(location.fix.source.word)
    put(")")
  }

  /// The beacon that an event is about; nothing where it is about the region.
  private mutating func put(text subject: Subject) {
    guard case .beacon(let beacon) = subject else { return }
    put(": ")
    put(text: beacon)
  }

  /// The beacon that made a region's event.
  private mutating func put(textCause subject: Subject, _ lead: StaticString) {
    guard case .region(let beacon?) = subject else { return }
    put(lead)
    put(text: beacon)
  }

  /// As the configuration calls it, else by its identity.
  private mutating func put(text beacon: BeaconSnapshot) {
    if let name = beacon.name {
      put(string: name)
    } else {
      put(text: beacon.identity)
    }
  }

  private mutating func put(text ranged: RangedBeacon) {
    if let name = ranged.beacon.name {
      put(string: name)
    } else {
      put(brief: ranged.beacon.identity)
    }
    put(UInt8(ascii: " "))
    put(ranged.proximity.word)
    guard let estimate = ranged.estimate else { return }
    put(UInt8(ascii: " "))
    put(fixed: estimate.distance, places: 1, of: 2)
    put(" m (")
    put(fixed: estimate.interval68.low, places: 1, of: 2)
    put(" to ")
    put(fixed: estimate.interval68.high, places: 1, of: 2)
    put(")")
  }
}
