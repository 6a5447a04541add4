import BluetoothLE

// What is watched, and how that changes while the engine runs.

extension Engine {
  /// Watches one more region. One of the same id is replaced if it is defined otherwise; else it fails as a duplicate.
  package mutating func add(_ region: BeaconRegion, at instant: Instant, _ events: inout EventBatch) {
    advance(to: instant, &events)
    if let known = regions.first(where: { $0?.region.id == region.id }) ?? nil {
      guard known.region != region else {
        let failure = EngineFailure(.duplicate, "a region of this id is monitored already")
        emit(.monitoringDidFail(failure), region, &events)
        return
      }
      remove(region.id, .removed, at: instant, &events)
    }
    monitor(region, &events)
    reindex()
    let number = regions.count - 1
    for slot in 0..<beacons.count where regions(of: beacons[slot].identity).contains(number) {
      beacons[slot].memberships.append(Membership(region: number))
    }
  }

  /// Watches a region no longer; whoever is inside leaves with `cause`. False if there is no such region.
  @discardableResult
  package mutating func remove(
    _ id: String, _ cause: ExitCause = .removed, at instant: Instant, _ events: inout EventBatch
  ) -> Bool {
    advance(to: instant, &events)
    guard let number = regions.firstIndex(where: { $0?.region.id == id }) else { return false }
    for slot in 0..<beacons.count {
      guard let index = beacons[slot].memberships.firstIndex(where: { $0.region == number }) else { continue }
      if beacons[slot].memberships[index].isPresent { fallSilent(slot, index, cause, &events) }
      beacons[slot].memberships.remove(at: index)
    }
    exitRegion(number, nil, lastSeen: nil, cause, &events)
    absences.remove(number)
    regions[number] = nil
    reindex()
    return true
  }

  /// Says what is known of a region. False if there is no such region.
  @discardableResult
  package mutating func requestState(_ id: String, at instant: Instant, _ events: inout EventBatch) -> Bool {
    advance(to: instant, &events)
    guard let region = regions.first(where: { $0?.region.id == id }) ?? nil else { return false }
    emit(.didDetermineState(.region(nil), region.state), region.region, &events)
    return true
  }

  /// Starts watching a region; `reindex` is to follow.
  mutating func monitor(_ region: BeaconRegion, _ events: inout EventBatch) {
    regions.append(MonitoredRegion(region, sensitivity: settings.sensitivity, at: now))
    emit(.didStartMonitoring, region, &events)
    awaitAbsence(regions.count - 1)
  }

  mutating func reindex() {
    index = RegionIndex(regions.map { $0?.region })
    shortestExitAfter = regions.reduce(.infinity) { min($0, $1?.presence.exitAfter ?? .infinity) }
  }
}
