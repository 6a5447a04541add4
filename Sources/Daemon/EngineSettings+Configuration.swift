import Proximity

extension EngineSettings {
  /// What a configuration asks of the engine. Geofences are not the engine's yet and are left out.
  package init(_ configuration: Configuration, adding regions: [Configuration.Region] = []) {
    self.init()
    self.regions = (configuration.regions + regions).compactMap { BeaconRegion($0) }
    beacons = configuration.beacons.map {
      NamedBeacon(name: $0.name, pattern: $0.match, measuredPower: $0.measuredPower)
    }
    thresholds = configuration.ranging.thresholds
    rangingInterval = configuration.ranging.interval.inSeconds
    mostBeacons = configuration.ranging.maxBeacons
    sensitivity = configuration.bluetooth.sensitivity
    distanceFilter = configuration.location.distanceFilter
    headingFilter = configuration.location.headingFilter
  }
}

extension BeaconRegion {
  /// Nil for a geofence.
  init?(_ region: Configuration.Region) {
    guard case .beacons(let beacons) = region.kind else { return nil }
    self.init(
      id: region.id, patterns: beacons.match, each: beacons.each, isRanged: beacons.isRanged,
      zone: beacons.within.flatMap { ZoneLimit(meters: $0) }, assuming: region.assuming,
      exitAfter: beacons.exitAfter?.inSeconds, entersOnFirstPacket: beacons.entersOnFirstPacket,
      distinguishesAddresses: beacons.distinguish == .address)
  }
}

extension Duration {
  fileprivate var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
