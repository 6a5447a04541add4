import BluetoothLE

/// A set of beacons that is watched under one name.
package struct BeaconRegion: Hashable, Sendable {
  package let id: String
  /// Every matching beacon also has a side of its own and the events that go with it.
  package let each: Bool
  /// The matching beacons are listed with their distances once an interval.
  package let isRanged: Bool

  /// Every iBeacon, Eddystone and AltBeacon: what is watched where nothing is configured.
  package static let everything = BeaconRegion(id: "everything", each: true, isRanged: true)

  package init(id: String, each: Bool, isRanged: Bool) {
    self.id = id
    self.each = each
    self.isRanged = isRanged
  }
}

/// What the newest evidence says of a region.
package enum RegionState: Hashable, Sendable {
  case inside, outside, unknown
}
