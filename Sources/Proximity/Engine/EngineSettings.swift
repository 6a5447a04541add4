/// What the engine is told before it starts.
package struct EngineSettings: Sendable {
  /// What is watched, in the order in which events of one instant come.
  package var regions: [BeaconRegion] = [.everything]
  /// Distances at which proximity changes.
  package var thresholds = ProximityThresholds.standard
  /// Seconds between lists of ranged beacons.
  package var rangingInterval = 1.0
  /// Beacons tracked at once; beyond, the one silent for the longest is forgotten.
  package var mostBeacons = 4096
  /// dBm at which the receiver loses half of the packets.
  package var sensitivity = -94.0

  package init() {}

  /// Beacons in one list of ranged ones.
  static let longestList = 256
}
