/// What the engine is told before it starts.
package struct EngineSettings: Sendable {
  /// What is watched, in the order in which events of one instant come.
  package var regions: [BeaconRegion] = [.everything]
  /// Beacons that have a name, a calibration, and always a place.
  package var beacons: [NamedBeacon] = []
  /// Distances at which proximity changes.
  package var thresholds = ProximityThresholds.standard
  /// Seconds between lists of ranged beacons.
  package var rangingInterval = 1.0
  /// Beacons tracked at once; beyond, the one silent for the longest is forgotten.
  package var mostBeacons = 4096
  /// dBm at which the receiver loses half of the packets.
  package var sensitivity = -94.0
  /// Metres from one didUpdateLocations to the next.
  package var distanceFilter = 10.0
  /// Degrees from one didUpdateHeading to the next.
  package var headingFilter = 5.0
  /// Every instant counts as proven unless an adapter is down: right for recordings, where nobody could ask.
  package var isProvenThroughout = true

  package init() {}

  /// Beacons in one list of ranged ones.
  static let longestList = 256
}
