import BluetoothLE

/// Something that the engine says, with its time.
package struct Event: Sendable {
  package enum Content: Sendable {
    case didStartMonitoring
    case didDetermineState(Subject, RegionState)
    case didEnter(Subject)
    case didExit(Subject, lastSeen: UnixTime, dwell: Double, ExitCause)
    /// The beacons stand in the batch's `ranged`.
    case didRange(Range<Int>, omitted: Int)
  }

  package let time: UnixTime
  /// Id of the region.
  package let region: String
  package let content: Content
}

/// Whom a region's event is about.
package enum Subject: Sendable {
  /// The region as a whole, and the beacon that made it so.
  case region(BeaconSnapshot)
  /// One beacon of a region that keeps a side for each.
  case beacon(BeaconSnapshot)

  package var beacon: BeaconSnapshot {
    switch self {
    case .region(let beacon), .beacon(let beacon): beacon
    }
  }
}

package enum ExitCause: Hashable, Sendable {
  /// Nothing was heard for the time that means absence.
  case silence
  /// Room was needed for beacons heard more recently.
  case evicted
}

/// A beacon as it is at the time of an event.
package struct BeaconSnapshot: Sendable {
  package let identity: BeaconIdentity
  /// The address heard last; nil where there was none.
  package let address: DeviceAddress?
  package let power: PowerAtOneMeter
  package let telemetry: EddystoneTLM?
}

/// One beacon in a list of ranged ones.
package struct RangedBeacon: Sendable {
  package let beacon: BeaconSnapshot
  package let proximity: ProximityClass
  /// Nil while unknown.
  package let estimate: DistanceEstimate?
  /// The filtered level in dBm; nil where no report had an RSSI.
  package let level: Double?
  /// Packets since the last list.
  package let packets: Int
  package let lastSeen: UnixTime
}

/// Events on their way out of the engine, in order; its memory is kept between uses.
package struct EventBatch: Sendable {
  package private(set) var events: [Event] = []
  package private(set) var ranged: [RangedBeacon] = []

  package init() {}

  package var isEmpty: Bool { events.isEmpty }

  package mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    ranged.removeAll(keepingCapacity: true)
  }

  mutating func append(_ event: Event) {
    events.append(event)
  }

  /// Appends a beacon to the list that the next didRange event is about.
  mutating func append(_ beacon: RangedBeacon) {
    ranged.append(beacon)
  }
}
