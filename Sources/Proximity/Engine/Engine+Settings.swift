extension Engine {
  /// Goes on with other settings. Regions that are the same keep their sides; those that are gone or defined otherwise
  /// are left, new ones begin. How many beacons are tracked, and whether instants are proven, stays as it was.
  package mutating func apply(_ new: EngineSettings, at instant: Instant, _ events: inout EventBatch) {
    advance(to: instant, &events)
    let ids = Set(new.regions.map { $0.id })
    for region in regions.map({ $0.region }) where !ids.contains(region.id) {
      remove(region.id, .removed, at: instant, &events)
    }
    let mostBeacons = settings.mostBeacons
    let isProven = settings.isProvenThroughout
    settings = new
    settings.mostBeacons = mostBeacons
    settings.isProvenThroughout = isProven
    presence = PresenceSettings(sensitivity: new.sensitivity)
    distances = DistanceModel(thresholds: new.thresholds)
    classifier = ProximityClassifier(thresholds: new.thresholds)
    ticker = RangingTicker(interval: new.rangingInterval, utcOffset: ticker.utcOffset)
    if present > 0 { ticker.resume(after: now) }
    for number in regions.indices { regions[number].setSensitivity(new.sensitivity) }
    nameBeacons()
    let unchanged = Set(regions.map { $0.region })
    for region in new.regions where !unchanged.contains(region) {
      add(region, at: instant, &events)
    }
  }

  /// Finds the names and calibrations of the beacons that are tracked.
  private mutating func nameBeacons() {
    names = PatternIndex()
    for (number, beacon) in settings.beacons.enumerated() { names.add(beacon.pattern, number) }
    for slot in 0..<beacons.count {
      beacons[slot].configure(names.numbers(matching: beacons[slot].identity).first.map { settings.beacons[$0] })
      beacons.setConfigured(slot, beacons[slot].isConfigured)
    }
  }
}
