import BluetoothLE

/// A set of beacons that is watched under one name.
package struct BeaconRegion: Hashable, Sendable {
  /// What the side of a region is taken for before there is evidence.
  package enum Assumption: String, CaseIterable, Sendable {
    case outside, inside, unknown
  }

  package let id: String
  package var patterns: [BeaconPattern]
  /// Every matching beacon also has a side of its own and the events that go with it.
  package var each: Bool
  /// The matching beacons are listed with their distances once an interval.
  package var isRanged: Bool
  /// A beacon counts as inside only within this distance; nil where being heard is enough.
  package var zone: ZoneLimit?
  package var assuming: Assumption
  /// Seconds of silence to an exit; nil lets each beacon's rhythm decide.
  package var exitAfter: Double?
  /// One packet is enough to enter.
  package var entersOnFirstPacket: Bool
  /// Devices of one identity are told apart by their addresses.
  package var distinguishesAddresses: Bool

  /// Every iBeacon, Eddystone and AltBeacon: what is watched where nothing is configured.
  package static let everything = BeaconRegion(id: "everything", patterns: [.any], each: true, isRanged: true)

  package init(
    id: String, patterns: [BeaconPattern], each: Bool = false, isRanged: Bool = false, zone: ZoneLimit? = nil,
    assuming: Assumption = .outside, exitAfter: Double? = nil, entersOnFirstPacket: Bool = false,
    distinguishesAddresses: Bool = false
  ) {
    self.id = id
    self.patterns = patterns
    self.each = each
    self.isRanged = isRanged
    self.zone = zone
    self.assuming = assuming
    self.exitAfter = exitAfter
    self.entersOnFirstPacket = entersOnFirstPacket
    self.distinguishesAddresses = distinguishesAddresses
  }
}

/// What the newest evidence says of a region.
package enum RegionState: CaseIterable, Hashable, Sendable {
  case inside, outside, unknown
}
