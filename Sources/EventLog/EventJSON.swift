import BluetoothLE
import Linux
import Proximity

/// Writes events as JSON lines: keys always in the same order, plain decimals, no negative zero.
package struct EventJSON {
  private let gateway: String
  /// Number of the last event written.
  private var sequence: UInt64 = 0

  package init(gateway: String) {
    self.gateway = gateway
  }

  package mutating func put(_ batch: EventBatch, into output: inout OutputBuffer) {
    for event in batch.events { put(event, of: batch, into: &output) }
  }

  package mutating func put(_ event: Event, of batch: EventBatch, into output: inout OutputBuffer) {
    sequence += 1
    output.put("{\"seq\":")
    output.put(decimal: sequence)
    output.put(",\"time\":\"")
    output.put(iso8601: event.time)
    output.put("\",\"event\":\"")
    output.put(event.name)
    output.put("\",\"gateway\":")
    output.put(json: gateway)
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
      output.put(state.word)
      output.put("\",\"location\":null")
    case .didEnter(let subject):
      output.put(json: subject)
      output.put(",\"location\":null")
    case .didExit(let subject, let lastSeen, let dwell, let cause):
      output.put(json: subject)
      if let lastSeen {
        output.put(",\"lastSeen\":\"")
        output.put(iso8601: lastSeen)
        output.put("\"")
      }
      output.put(",\"dwell\":")
      output.put(fixed: dwell, places: 3)
      output.put(",\"cause\":\"")
      output.put(cause.word)
      output.put("\",\"location\":null")
    case .didRange(let range, let omitted):
      output.put(",\"beacons\":[")
      for index in range {
        if index > range.lowerBound { output.put(UInt8(ascii: ",")) }
        output.put(json: batch.ranged[index])
      }
      output.put("]")
      if omitted > 0 {
        output.put(",\"omitted\":")
        output.put(decimal: omitted)
      }
      output.put(",\"location\":null")
    }
    output.put(UInt8(ascii: "}"))
    output.endLine()
  }
}

extension Event {
  package var name: StaticString {
    switch content {
    case .didStartMonitoring: "didStartMonitoring"
    case .didDetermineState: "didDetermineState"
    case .didEnter: "didEnter"
    case .didExit: "didExit"
    case .didRange: "didRange"
    case .monitoringDidFail: "monitoringDidFail"
    case .didFailRanging: "didFailRanging"
    case .scannerDidChange: "scannerDidChange"
    }
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

extension ScannerState {
  package var word: StaticString {
    switch self {
    case .scanning: "scanning"
    case .degraded: "degraded"
    case .stopped: "stopped"
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

extension OutputBuffer {
  fileprivate mutating func put(json failure: EngineFailure) {
    put(",\"error\":{\"code\":\"")
    put(failure.code.word)
    put("\",\"message\":")
    put(json: failure.message)
    put(UInt8(ascii: "}"))
  }

  fileprivate mutating func put(json report: ScannerReport) {
    put(",\"adapter\":")
    put(json: report.name)
    put(",\"state\":\"")
    put(report.state.word)
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

  fileprivate mutating func put(json beacon: BeaconSnapshot) {
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
    put(beacon.power.source.word)
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

  fileprivate mutating func put(json ranged: RangedBeacon) {
    put("{\"beacon\":")
    put(json: ranged.beacon)
    put(",\"proximity\":\"")
    put(ranged.proximity.word)
    if let estimate = ranged.estimate {
      put("\",\"distance\":")
      put(fixed: estimate.distance, places: 2)
      put(",\"interval\":{\"low\":")
      put(fixed: estimate.interval68.low, places: 2)
      put(",\"high\":")
      put(fixed: estimate.interval68.high, places: 2)
      put("},\"rssi\":")
    } else {
      put("\",\"distance\":null,\"interval\":null,\"rssi\":")
    }
    if let level = ranged.level {
      put(fixed: level, places: 1)
    } else {
      put("null")
    }
    put(",\"packets\":")
    put(decimal: ranged.packets)
    put(",\"lastSeen\":\"")
    put(iso8601: ranged.lastSeen)
    put("\"}")
  }
}
