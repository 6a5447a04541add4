import BluetoothLE

/// What the engine keeps of one beacon.
struct TrackedBeacon: Sendable {
  let identity: BeaconIdentity
  /// Counts the beacons that were ever tracked, from 1.
  let serial: UInt64
  var address: DeviceAddress?
  /// As the newest frame states it, in dBm at 1 m.
  var advertisedPower: Int?
  var power: PowerAtOneMeter
  var telemetry: EddystoneTLM?

  var level = LevelFilter()
  var silence = SilenceClock()
  var lastHeard: Instant
  /// Packets since the last list of ranged beacons.
  var packets = 0

  /// Heard within the silence that means absence, whether or not it entered anything.
  var isPresent = false
  var proximity = ProximityClass.unknown
  /// As of the last ranging interval; nil while unknown.
  var estimate: DistanceEstimate?

  /// The regions that it matches, in their order.
  var memberships: [Membership]

  init(_ identity: BeaconIdentity, serial: UInt64, advertisedPower: Int?, regions: Range<Int>, at instant: Instant) {
    self.identity = identity
    self.serial = serial
    self.advertisedPower = advertisedPower
    power = PowerAtOneMeter(advertised: advertisedPower)
    lastHeard = instant
    memberships = regions.map { Membership(region: $0) }
  }

  var snapshot: BeaconSnapshot {
    BeaconSnapshot(identity: identity, address: address, power: power, telemetry: telemetry)
  }
}

/// A beacon's part in a region that it matches.
struct Membership: Sendable {
  let region: Int
  var enterRule = EnterRule()
  /// When it entered; nil while it is outside.
  var entered: Instant?

  init(region: Int) {
    self.region = region
  }
}
