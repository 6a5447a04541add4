import BluetoothLE

/// One report of one beacon.
struct Sighting {
  /// Nil where the advertiser is anonymous.
  let address: DeviceAddress?
  /// At 1 m in dBm, as the frame states it.
  let power: Int?
  let rssi: Int8
  /// The adapter's number.
  let adapter: Int
  let instant: Instant
  /// The adapter is said to be down, so that it proves nothing by hearing.
  let isAdapterDown: Bool
}

/// What the engine keeps of one beacon.
struct TrackedBeacon: Sendable {
  let identity: BeaconIdentity
  /// Counts the beacons that were ever tracked, from 1.
  let serial: UInt64
  /// As the configuration calls it, and the power that it gives.
  private(set) var name: String?
  private var measuredPower: Double?
  private(set) var isConfigured: Bool

  private(set) var address: DeviceAddress?
  private(set) var power: PowerAtOneMeter
  private(set) var advertisedPower: Int?
  var telemetry: EddystoneTLM? {
    didSet { changes &+= 1 }
  }
  /// Of what a snapshot shows.
  private var changes: UInt32 = 0

  /// What each adapter hears of it, and which of them is believed.
  private(set) var receptions = Receptions()
  /// Its rhythm, on its silence clock.
  private(set) var silence = SilenceClock()
  var clock = PausableClock()
  private(set) var lastHeard: Instant
  /// The newest packet that counted for presence, and the adapter that heard it.
  private var counted = (instant: Instant.distantPast, adapter: -1)
  /// Packets since the last list of ranged beacons.
  var packets = 0
  /// When the engine asked for proof that its adapters still hear; nil while it does not wait for it.
  var asked: Instant? {
    didSet { if asked == nil { answered = nil } }
  }
  /// The answer that its silence is measured from; nil before.
  var answered: Instant?

  var proximity = ProximityClass.unknown
  /// As of the last ranging interval; nil while unknown.
  var estimate: DistanceEstimate?
  /// The regions that it matches, in their order.
  var memberships: [Membership] = []

  init(
    _ identity: BeaconIdentity, serial: UInt64, advertisedPower: Int?, configured: NamedBeacon?, at instant: Instant
  ) {
    self.identity = identity
    self.serial = serial
    name = configured?.name
    measuredPower = configured?.measuredPower
    isConfigured = configured != nil
    self.advertisedPower = advertisedPower
    power = Self.power(advertisedPower, measuredPower)
    lastHeard = instant
  }

  private static func power(_ advertised: Int?, _ measured: Double?) -> PowerAtOneMeter {
    measured.map { PowerAtOneMeter(measured: $0) } ?? PowerAtOneMeter(advertised: advertised)
  }

  /// Takes over what another configuration says of it.
  mutating func configure(_ configured: NamedBeacon?) {
    name = configured?.name
    measuredPower = configured?.measuredPower
    isConfigured = configured != nil
    power = Self.power(advertisedPower, measuredPower)
    changes &+= 1
  }

  /// Takes in what was saved of it at `taken`.
  mutating func restore(_ saved: SavedBeacon, at now: Instant, taken: Instant) {
    address = saved.address
    lastHeard = min(taken.before(nanoseconds: saved.age), now)
    silence = SilenceClock(saved.rhythm, lastHeard: min(now.before(nanoseconds: saved.silence), now))
  }

  /// Heard within the silence that means absence, whether or not it entered anything.
  var isPresent: Bool { memberships.contains { $0.isPresent } }
  /// False for one that was restored and not heard yet.
  var isHeardSinceStart: Bool { receptions.areAny }
  var isInside: Bool { memberships.contains { $0.entered != nil } }

  var snapshot: BeaconSnapshot {
    BeaconSnapshot(
      edition: serial << 32 | UInt64(changes), identity: identity, name: name, address: address, power: power,
      telemetry: telemetry)
  }

  /// Takes in a packet; true if it counts for presence: another adapter's within 20 ms is the same one.
  mutating func receive(_ sighting: Sighting) -> Bool {
    let instant = sighting.instant
    if let newest = sighting.address, newest != address {
      address = newest
      changes &+= 1
    }
    if sighting.power != advertisedPower {
      advertisedPower = sighting.power
      power = Self.power(sighting.power, measuredPower)
      changes &+= 1
    }
    packets += 1
    lastHeard = max(lastHeard, instant)
    asked = nil
    receptions.update(rssi: sighting.rssi, from: sighting.adapter, at: instant)
    if clock.isPaused, !sighting.isAdapterDown { clock.go(at: instant) }
    let isSame =
      counted.adapter != sighting.adapter
      && instant.seconds(since: counted.instant).magnitude < Self.sameAdvertisement
    guard !isSame else { return false }
    counted = (max(counted.instant, instant), sighting.adapter)
    silence.heard(rssi: sighting.rssi, at: clock.read(instant))
    return true
  }

  /// Seconds in which several adapters that hear one advertisement report it.
  private static let sameAdvertisement = 0.02

  /// Calls `body` with each adapter that heard the beacon within `seconds` before its newest packet.
  func forEachAdapter(_ seconds: Double, _ body: (_ adapter: Int) -> Void) {
    receptions.forEach(heardSince: lastHeard.advanced(by: -seconds), body)
  }

  /// Whether `predicate` holds for every adapter that heard the beacon within `seconds` before its newest packet.
  func allAdapters(_ seconds: Double, _ predicate: (_ adapter: Int) -> Bool) -> Bool {
    receptions.allHeard(since: lastHeard.advanced(by: -seconds), predicate)
  }

  /// The level of the adapter that is believed, which is chosen anew; nil where none had an RSSI.
  mutating func level(at instant: Instant, unknownAfter: Double) -> Level? {
    receptions.choose(at: instant, unknownAfter: unknownAfter)
    return receptions.level(at: instant)
  }
}

/// A beacon's part in a region that it matches.
struct Membership: Sendable {
  var region: Int
  var enterRule = EnterRule()
  /// Which side of the region's distance it is on; meaningless in a region without one.
  var zone = ZoneSide()
  /// Heard within the silence that means absence here.
  var isPresent = false
  /// When it entered; nil while it is outside.
  var entered: Instant?
  /// What the newest evidence says, for a region that keeps a state for each.
  var state = RegionState.outside

  init(region: Int) {
    self.region = region
  }

  /// Takes in what was saved of it at `taken`.
  mutating func restore(_ saved: SavedMembership, at now: Instant, taken: Instant) {
    isPresent = saved.isPresent || saved.inside != nil
    zone = ZoneSide(isInside: saved.inside != nil)
    state = saved.state
    entered = saved.inside.map { min(taken.before(nanoseconds: $0), now) }
    if let left = saved.left { enterRule.exited(at: min(now.before(nanoseconds: left), now)) }
  }
}

/// A beacon that the configuration knows.
package struct NamedBeacon: Hashable, Sendable {
  package var name: String
  package var pattern: BeaconPattern
  /// Calibrated RSSI at 1 m in dBm; nil where the beacon's own word is taken.
  package var measuredPower: Double?

  package init(name: String, pattern: BeaconPattern, measuredPower: Double? = nil) {
    self.name = name
    self.pattern = pattern
    self.measuredPower = measuredPower
  }
}
