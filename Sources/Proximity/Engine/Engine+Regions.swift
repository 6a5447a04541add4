import BluetoothLE

// What is watched, and how that changes while the engine runs.

extension Engine {
  /// Watches one more region. One of the same id is replaced if it is defined otherwise; else it fails as a duplicate.
  package mutating func add(_ region: BeaconRegion, at instant: Instant, _ events: inout EventBatch) {
    advance(to: instant, &events)
    if let known = regions.first(where: { $0.region.id == region.id }) {
      guard known.region != region else {
        let failure = EngineFailure(.duplicate, "a region of this id is monitored already")
        emit(.monitoringDidFail(failure), region, &events)
        return
      }
      remove(region.id, .removed, at: instant, &events)
    }
    monitor(region, &events)
    let number = regions.count - 1
    for slot in 0..<beacons.count where regions(of: beacons[slot].identity).contains(number) {
      beacons[slot].memberships.append(Membership(region: number))
    }
    // In an outage nothing is known of it, and time decides nothing.
    if adapters.areAllDown { updateOutages("no adapter scans", &events) }
  }

  /// Watches a region no longer; whoever is inside leaves with `cause`. False if there is no such region.
  @discardableResult
  package mutating func remove(
    _ id: String, _ cause: ExitCause = .removed, at instant: Instant, _ events: inout EventBatch
  ) -> Bool {
    advance(to: instant, &events)
    guard let number = regions.firstIndex(where: { $0.region.id == id }) else { return false }
    unwatch(number, cause, &events)
    return true
  }

  /// Whoever is inside a region leaves it with `cause`; then it is gone, and those after it count one less.
  mutating func unwatch(_ number: Int, _ cause: ExitCause, _ events: inout EventBatch) {
    for slot in 0..<beacons.count {
      guard let index = beacons[slot].memberships.firstIndex(where: { $0.region == number }) else { continue }
      if beacons[slot].memberships[index].isPresent { fallSilent(slot, index, cause, &events) }
      beacons[slot].memberships.remove(at: index)
    }
    exitRegion(number, nil, lastSeen: nil, cause, &events)
    forget(number)
  }

  /// Says what is known of a region. False if there is no such region.
  @discardableResult
  package mutating func requestState(_ id: String, at instant: Instant, _ events: inout EventBatch) -> Bool {
    advance(to: instant, &events)
    guard let region = regions.first(where: { $0.region.id == id }) else { return false }
    emit(.didDetermineState(.region(nil), region.state), region.region, &events)
    return true
  }

  /// Starts watching a region.
  mutating func monitor(_ region: BeaconRegion, _ events: inout EventBatch) {
    regions.append(MonitoredRegion(region, sensitivity: settings.sensitivity, at: now))
    emit(.didStartMonitoring, region, &events)
    look(for: regions.count - 1)
    awaitAbsence(regions.count - 1)
  }

  /// Takes a region into what is asked of every beacon.
  mutating func look(for number: Int) {
    let region = regions[number].region
    for pattern in region.patterns { index.add(pattern, number) }
    if region.distinguishesAddresses { distinguishes = true }
    shortestExitAfter = min(shortestExitAfter, region.exitAfter ?? .infinity)
  }

  /// Takes a region without members out; those after it count one less.
  private mutating func forget(_ number: Int) {
    regions.remove(at: number)
    absences.close(number)
    listed = listed.filter { $0 != number }.map { $0 > number ? $0 - 1 : $0 }
    for slot in 0..<beacons.count {
      for index in beacons[slot].memberships.indices where beacons[slot].memberships[index].region > number {
        beacons[slot].memberships[index].region -= 1
      }
    }
    index = PatternIndex()
    distinguishes = false
    shortestExitAfter = .infinity
    for number in regions.indices { look(for: number) }
  }
}
