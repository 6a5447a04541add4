import BluetoothLE
import Linux
import Proximity

/// Writes the events of one engine as JSON lines: keys always in the same order, plain decimals, no negative zero.
package struct EventJSON {
  private let gateway: String
  /// The `seq` of the next event; nil for events that have none.
  package private(set) var next: UInt64?
  /// Whether somebody keeps the system clock right.
  package var isClockSynchronized = true
  private var times = ISO8601Times()
  private var beacons = BeaconTexts()

  /// Numbers events from `sequence` on.
  package init(gateway: String, from sequence: UInt64? = 1) {
    self.gateway = gateway
    next = sequence
  }

  package mutating func put(_ batch: EventBatch, into output: inout OutputBuffer) {
    for event in batch.events { put(event, of: batch, into: &output) }
  }

  package mutating func put(_ event: Event, of batch: EventBatch, into output: inout OutputBuffer) {
    if let sequence = next {
      output.put("{\"seq\":")
      output.put(decimal: sequence)
      output.put(",\"time\":\"")
      next = sequence + 1
    } else {
      output.put("{\"time\":\"")
    }
    times.put(event.time, to: &output)
    output.put("\",\"event\":\"")
    output.put(word: event.name.word)
    output.put("\",\"gateway\":")
    output.put(json: gateway)
    if !isClockSynchronized { output.put(",\"clock\":\"unsynchronized\"") }
    if !event.region.isEmpty {
      output.put(",\"region\":")
      output.put(json: event.region)
    }
    switch event.content {
    case .didStartMonitoring:
      break
    case .monitoringDidFail(let failure), .didFailRanging(let failure):
      output.put(json: failure)
    case .scannerDidChange(let report):
      output.put(json: report)
    case .didDetermineState(let subject, let state):
      output.put(json: subject)
      output.put(",\"state\":\"")
      output.put(word: state.word)
      output.put("\",\"location\":")
      output.put(json: event.location)
    case .didEnter(let subject):
      output.put(json: subject)
      output.put(",\"location\":")
      output.put(json: event.location)
    case .didExit(let subject, let lastSeen, let dwell, let cause):
      output.put(json: subject)
      if let lastSeen {
        output.put(",\"lastSeen\":\"")
        times.put(lastSeen, to: &output)
        output.put("\"")
      }
      output.put(",\"dwell\":")
      output.put(fixed: dwell, places: 3)
      output.put(",\"cause\":\"")
      output.put(word: cause.word)
      output.put("\",\"location\":")
      output.put(json: event.location)
    case .didRange(let range, let omitted):
      output.put(",\"beacons\":[")
      // An array would hand out copies.
      batch.ranged.withUnsafeBufferPointer { ranged in
        for index in range {
          if index > range.lowerBound { output.put(UInt8(ascii: ",")) }
          put(ranged[index], into: &output)
        }
      }
      output.put("]")
      if omitted > 0 {
        output.put(",\"omitted\":")
        output.put(decimal: omitted)
      }
      output.put(",\"location\":")
      output.put(json: event.location)
    case .didUpdateLocations:
      output.put(",\"locations\":[")
      output.put(json: event.location)
      output.put("]")
    case .didUpdateHeading(let heading):
      output.put(json: heading)
    case .didChangeAuthorization(let authorization):
      output.put(",\"service\":\"")
      output.put(string: authorization.service.rawValue)
      output.put("\",\"status\":\"")
      output.put(string: authorization.status.rawValue)
      output.put("\",\"reason\":")
      output.put(json: authorization.reason)
    }
    output.put(UInt8(ascii: "}"))
    output.endLine()
  }

  private mutating func put(_ ranged: RangedBeacon, into output: inout OutputBuffer) {
    output.put("{\"beacon\":")
    beacons.put(ranged.beacon, to: &output)
    output.put(",\"proximity\":\"")
    output.put(word: ranged.proximity.word)
    if let estimate = ranged.estimate {
      output.put("\",\"distance\":")
      output.put(fixed: estimate.distance, places: 2)
      output.put(",\"interval\":{\"low\":")
      output.put(fixed: estimate.interval68.low, places: 2)
      output.put(",\"high\":")
      output.put(fixed: estimate.interval68.high, places: 2)
      output.put("},\"rssi\":")
    } else {
      output.put("\",\"distance\":null,\"interval\":null,\"rssi\":")
    }
    if let level = ranged.level {
      output.put(fixed: level, places: 1)
    } else {
      output.put("null")
    }
    output.put(",\"packets\":")
    output.put(decimal: ranged.packets)
    output.put(",\"lastSeen\":\"")
    times.put(ranged.lastSeen, to: &output)
    output.put("\"}")
  }
}

extension RegionState {
  package var word: StaticString {
    switch self {
    case .inside: "inside"
    case .outside: "outside"
    case .unknown: "unknown"
    }
  }
}

extension ExitCause {
  package var word: StaticString {
    switch self {
    case .silence: "silence"
    case .zone: "zone"
    case .unobserved: "unobserved"
    case .removed: "removed"
    case .disabled: "disabled"
    case .evicted: "evicted"
    }
  }
}

extension EngineFailure.Code {
  package var word: StaticString {
    switch self {
    case .scannerDown: "scanner-down"
    case .duplicate: "duplicate"
    case .notAuthorized: "not-authorized"
    }
  }
}

extension ProximityClass {
  package var word: StaticString {
    switch self {
    case .immediate: "immediate"
    case .near: "near"
    case .far: "far"
    case .unknown: "unknown"
    }
  }
}

extension PowerAtOneMeter.Source {
  package var word: StaticString {
    switch self {
    case .calibrated: "calibrated"
    case .advertised: "advertised"
    case .default: "default"
    }
  }
}

extension Fix.Source {
  package var word: StaticString {
    switch self {
    case .gps: "gps"
    case .network: "network"
    case .place: "place"
    }
  }
}

extension OutputBuffer {
  fileprivate mutating func put(json location: Location?) {
    guard let location else { return put("null") }
    let fix = location.fix
    put("{\"latitude\":")
    put(fixed: fix.coordinate.latitude, places: 7)
    put(",\"longitude\":")
    put(fixed: fix.coordinate.longitude, places: 7)
    put(",\"accuracy\":")
    put(fixed: fix.accuracy, places: 2)
    if let altitude = fix.altitude {
      put(",\"altitude\":")
      put(fixed: altitude, places: 2)
    }
    if let speed = fix.speed {
      put(",\"speed\":")
      put(fixed: speed, places: 2)
    }
    if let course = fix.course {
      put(",\"course\":")
      put(fixed: course, places: 7)
    }
    put(",\"source\":\"")
    put(word: fix.source.word)
    put("\",\"age\":")
    put(fixed: location.age, places: 3)
    if location.isStale { put(",\"stale\":true") }
    put(UInt8(ascii: "}"))
  }

  fileprivate mutating func put(json heading: Heading) {
    put(",\"trueHeading\":")
    put(fixed: heading.trueHeading, places: 7)
    if let magnetic = heading.magneticHeading {
      put(",\"magneticHeading\":")
      put(fixed: magnetic, places: 7)
    }
    put(",\"accuracy\":")
    put(fixed: heading.accuracy, places: 7)
  }

  fileprivate mutating func put(json failure: EngineFailure) {
    put(",\"error\":{\"code\":\"")
    put(word: failure.code.word)
    put("\",\"message\":")
    put(json: failure.message)
    put(UInt8(ascii: "}"))
  }

  fileprivate mutating func put(json report: ScannerReport) {
    put(",\"adapter\":")
    put(json: report.name)
    put(",\"state\":\"")
    put(string: report.state.rawValue)
    put("\",\"reason\":")
    put(json: report.reason)
    put(",\"reportsPerSecond\":")
    if let rate = report.reportsPerSecond {
      put(fixed: rate, places: 1)
    } else {
      put("null")
    }
  }

  fileprivate mutating func put(json subject: Subject) {
    switch subject {
    case .region(let beacon):
      put(",\"scope\":\"region\"")
      guard let beacon else { return }
      put(",\"beacon\":")
      put(json: beacon)
    case .beacon(let beacon):
      put(",\"scope\":\"beacon\",\"beacon\":")
      put(json: beacon)
    }
  }

  mutating func put(json beacon: BeaconSnapshot) {
    put(UInt8(ascii: "{"))
    put(jsonMembers: beacon.identity)
    put(",\"address\":")
    if let address = beacon.address {
      put(UInt8(ascii: "\""))
      put(address)
      put(UInt8(ascii: "\""))
    } else {
      put("null")
    }
    put(",\"measuredPower\":")
    put(fixed: beacon.power.value, places: 1)
    put(",\"powerSource\":\"")
    put(word: beacon.power.source.word)
    put(UInt8(ascii: "\""))
    if let name = beacon.name {
      put(",\"name\":")
      put(json: name)
    }
    if let telemetry = beacon.telemetry {
      put(",\"telemetry\":{")
      put(jsonTelemetry: telemetry)
      put(UInt8(ascii: "}"))
    }
    put(UInt8(ascii: "}"))
  }
}
