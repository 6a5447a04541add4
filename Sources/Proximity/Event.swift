import BluetoothLE

/// Something that the engine says, with its time.
package struct Event: Sendable {
  package enum Content: Sendable {
    case didStartMonitoring
    case monitoringDidFail(EngineFailure)
    case didDetermineState(Subject, RegionState)
    case didEnter(Subject)
    /// `lastSeen` is nil where nobody was seen.
    case didExit(Subject, lastSeen: UnixTime?, dwell: Double, ExitCause)
    /// The beacons stand in the batch's `ranged`.
    case didRange(Range<Int>, omitted: Int)
    case didFailRanging(EngineFailure)
    case scannerDidChange(ScannerReport)
    /// The event's location is the update.
    case didUpdateLocations
    case didUpdateHeading(Heading)
    case didChangeAuthorization(Authorization)
  }

  package let time: UnixTime
  /// Id of the region; empty where the event is about none.
  package let region: String
  package let content: Content
  /// Where the gateway is; nil while nobody knows.
  package let location: Location?

  package init(time: UnixTime, region: String, content: Content, location: Location?) {
    self.time = time
    self.region = region
    self.content = content
    self.location = location
  }
}

/// Whom a region's event is about.
package enum Subject: Sendable {
  /// The region as a whole, and the beacon that made it so, where there is one.
  case region(BeaconSnapshot?)
  /// One beacon of a region that keeps a side for each.
  case beacon(BeaconSnapshot)
}

package enum ExitCause: CaseIterable, Hashable, Sendable {
  /// Nothing was heard for the time that means absence.
  case silence
  /// Beyond the region's distance.
  case zone
  /// Nothing was heard since an outage or the start: when it left is not known.
  case unobserved
  /// The region is no longer watched, or is defined anew.
  case removed
  /// Monitoring was switched off.
  case disabled
  /// Room was needed for beacons heard more recently.
  case evicted
}

/// Why a region is not watched or not ranged.
package struct EngineFailure: Error, Hashable, Sendable {
  package enum Code: CaseIterable, Hashable, Sendable {
    /// No adapter that could hear it scans.
    case scannerDown
    /// Another region has its id.
    case duplicate
    /// Permission is missing or was taken back.
    case notAuthorized
  }

  package let code: Code
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

/// A beacon as it is at the time of an event.
package struct BeaconSnapshot: Sendable {
  /// Snapshots of one engine that have it in common are equal: what was made of one holds for the other. The upper half
  /// tells beacons apart and counts them from 1, the lower one the changes of each.
  package let edition: UInt64
  package let identity: BeaconIdentity
  /// As the configuration calls it.
  package let name: String?
  /// The address heard last; nil where there was none.
  package let address: DeviceAddress?
  package let power: PowerAtOneMeter
  package let telemetry: EddystoneTLM?

  package init(
    edition: UInt64, identity: BeaconIdentity, name: String?, address: DeviceAddress?, power: PowerAtOneMeter,
    telemetry: EddystoneTLM?
  ) {
    self.edition = edition
    self.identity = identity
    self.name = name
    self.address = address
    self.power = power
    self.telemetry = telemetry
  }
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

  package init(
    beacon: BeaconSnapshot, proximity: ProximityClass, estimate: DistanceEstimate?, level: Double?, packets: Int,
    lastSeen: UnixTime
  ) {
    self.beacon = beacon
    self.proximity = proximity
    self.estimate = estimate
    self.level = level
    self.packets = packets
    self.lastSeen = lastSeen
  }
}

/// What comes out of the engine, in order; its memory is kept between uses.
package struct EventBatch: Sendable {
  package private(set) var events: [Event] = []
  package private(set) var ranged: [RangedBeacon] = []
  /// Adapters whose scan is to be enabled anew; each is answered with `proof` or with `scanner(..., stopped)`.
  package private(set) var proofRequests: [Int] = []

  package init() {}

  package var isEmpty: Bool { events.isEmpty && proofRequests.isEmpty }

  package mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    ranged.removeAll(keepingCapacity: true)
    proofRequests.removeAll(keepingCapacity: true)
  }

  package mutating func append(_ event: Event) {
    events.append(event)
  }

  /// Appends a beacon to the list that the next didRange event is about.
  package mutating func append(_ beacon: RangedBeacon) {
    ranged.append(beacon)
  }

  mutating func requestProof(of adapter: Int) {
    proofRequests.append(adapter)
  }
}
