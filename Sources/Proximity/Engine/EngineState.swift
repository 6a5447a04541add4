import BluetoothLE

/// What an engine takes over a restart: who is inside, and what it has learned of each beacon's rhythm.
///
/// Times are ages, in nanoseconds before the state was taken, so that it holds on any clock.
package struct EngineState: Hashable, Sendable {
  package var regions: [SavedRegion] = []
  /// From the one silent for the longest to the one heard last.
  package var beacons: [SavedBeacon] = []
  package var fix: SavedFix?

  package init() {}
}

package struct SavedRegion: Hashable, Sendable {
  package var id: String
  /// A side was kept for each beacon.
  package var each: Bool
  /// Since its last didEnter, or since it was assumed inside; nil while it is outside.
  package var inside: Int64?
  /// What the last didDetermineState said.
  package var state: RegionState
  /// It is defined otherwise now: whoever is inside leaves it, and it starts anew.
  package var isRedefined = false

  package init(id: String, each: Bool, inside: Int64? = nil, state: RegionState = .outside) {
    self.id = id
    self.each = each
    self.inside = inside
    self.state = state
  }
}

package struct SavedBeacon: Hashable, Sendable {
  package var identity: BeaconIdentity
  /// Heard last.
  package var address: DeviceAddress?
  /// At 1 m in dBm, as it advertised it last.
  package var advertisedPower: Int?
  /// Since its newest packet.
  package var age: Int64
  /// What of that counts as silence: somebody listened.
  package var silence: Int64
  package var rhythm: Rhythm
  /// Its parts in regions, by their ids; those that say nothing are left out.
  package var memberships: [String: SavedMembership]

  package init(_ identity: BeaconIdentity, age: Int64, silence: Int64, rhythm: Rhythm = Rhythm()) {
    self.identity = identity
    self.age = age
    self.silence = silence
    self.rhythm = rhythm
    memberships = [:]
  }
}

package struct SavedMembership: Hashable, Sendable {
  /// Since it entered; nil while it is outside.
  package var inside: Int64?
  package var state: RegionState
  /// Its silence does not mean absence yet.
  package var isPresent: Bool
  /// Since it left by silence, on the clock of its silence; nil where that was never or long ago.
  package var left: Int64?

  package init(inside: Int64? = nil, state: RegionState = .outside, isPresent: Bool = false, left: Int64? = nil) {
    self.inside = inside
    self.state = state
    self.isPresent = isPresent
    self.left = left
  }
}

package struct SavedFix: Hashable, Sendable {
  package var fix: Fix
  package var age: Int64

  package init(_ fix: Fix, age: Int64) {
    self.fix = fix
    self.age = age
  }
}

// MARK: Taking it

extension Engine {
  /// What a later engine is to start from, as of the newest input.
  package var state: EngineState {
    var state = EngineState()
    state.regions = regions.map { monitored in
      SavedRegion(
        id: monitored.region.id, each: monitored.region.each,
        inside: monitored.isInside ? now.nanoseconds(since: monitored.entered) : nil, state: monitored.state)
    }
    // Of one instant those tracked first come first.
    let slots = (0..<beacons.count).sorted { a, b in
      (beacons[a].lastHeard, beacons[a].serial) < (beacons[b].lastHeard, beacons[b].serial)
    }
    state.beacons = slots.map { saved(beacons[$0]) }
    state.fix = newestFix.map { SavedFix($0.fix, age: now.nanoseconds(since: $0.instant)) }
    return state
  }

  private func saved(_ beacon: TrackedBeacon) -> SavedBeacon {
    let reading = beacon.clock.read(now)
    var saved = SavedBeacon(
      beacon.identity, age: now.nanoseconds(since: beacon.lastHeard),
      silence: beacon.silence.lastHeard.map { reading.nanoseconds(since: $0) } ?? 0, rhythm: beacon.silence.rhythm)
    saved.address = beacon.address
    saved.advertisedPower = beacon.advertisedPower
    for membership in beacon.memberships {
      let part = SavedMembership(
        inside: membership.entered.map { now.nanoseconds(since: $0) }, state: membership.state,
        isPresent: membership.isPresent, left: membership.enterRule.recentExit(at: reading))
      if part != SavedMembership() { saved.memberships[regions[membership.region].region.id] = part }
    }
    return saved
  }
}

// MARK: Starting from it

extension Engine {
  /// Starts where another engine ended `elapsed` nanoseconds ago: sides are as they were, states unknown until there is
  /// evidence. Nobody listened in between, so that nothing of it counts as silence.
  package init(
    _ settings: EngineSettings, restoring state: EngineState, elapsed: Int64, at instant: Instant, utc: UnixTime,
    _ events: inout EventBatch
  ) {
    self.init(watchingNothing: settings, at: instant, utc: utc)
    let taken = now.before(nanoseconds: max(elapsed, 0))
    newestFix = state.fix.map { ($0.fix, min(taken.before(nanoseconds: $0.age), now)) }
    // Regions that are not watched any more stand first, until they are left.
    let watched = Set(settings.regions.map { $0.id })
    let gone = state.regions.filter { $0.isRedefined || !watched.contains($0.id) }
    let kept = state.regions.filter { !$0.isRedefined && watched.contains($0.id) }
    var saved = Dictionary(kept.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for region in gone { restore(BeaconRegion(id: region.id, patterns: [], each: region.each), region, taken) }
    for region in settings.regions { restore(region, saved[region.id], taken) }
    var numbers: [String: Int] = [:]
    for number in regions.indices where numbers[regions[number].region.id] == nil {
      numbers[regions[number].region.id] = number
    }
    for beacon in state.beacons { restore(beacon, numbers, taken, &events) }
    for _ in gone { unwatch(0, .removed, &events) }
    for number in regions.indices {
      start(number, lastSaid: saved.removeValue(forKey: regions[number].region.id), &events)
    }
  }

  private mutating func restore(_ region: BeaconRegion, _ saved: SavedRegion?, _ taken: Instant) {
    var monitored = MonitoredRegion(region, sensitivity: settings.sensitivity, at: now)
    if let saved {
      monitored.isInside = saved.inside != nil
      monitored.state = .unknown
      if let age = saved.inside {
        monitored.entered = min(taken.before(nanoseconds: age), now)
      }
    }
    regions.append(monitored)
    look(for: regions.count - 1)
  }

  /// Gives a beacon a place; `numbers` are those of its regions by their ids.
  private mutating func restore(
    _ saved: SavedBeacon, _ numbers: [String: Int], _ taken: Instant, _ events: inout EventBatch
  ) {
    let parts = saved.memberships.compactMap { id, part in numbers[id].map { (number: $0, part: part) } }
    let matching = Set(regions(of: saved.identity)).union(parts.map { $0.number }).sorted()
    guard !matching.isEmpty, beacons.slot(of: saved.identity) == nil,
      let slot = track(saved.identity, saved.advertisedPower, in: matching, at: now, &events)
    else { return }
    beacons[slot].restore(saved, at: now, taken: taken)
    for (number, part) in parts {
      guard let index = beacons[slot].memberships.firstIndex(where: { $0.region == number }) else { continue }
      beacons[slot].memberships[index].restore(part, at: now, taken: taken)
      if part.inside != nil { regions[number].members += 1 }
    }
    if beacons[slot].isInside { beacons.setInside(slot, true) }
    guard beacons[slot].isPresent else { return }
    present += 1
    ticker.resume(after: now)
    if settings.isProvenThroughout {
      silences.set(slot, to: now, serial: beacons[slot].serial)
    } else {
      // Until there is an adapter that could hear it.
      beacons[slot].clock.stop(at: now)
    }
  }

  /// Says that a region is watched, and what of it is no longer known.
  private mutating func start(_ number: Int, lastSaid saved: SavedRegion?, _ events: inout EventBatch) {
    let region = regions[number].region
    emit(.didStartMonitoring, region, &events)
    if let saved {
      if regions[number].members > 0, !regions[number].isInside {
        regions[number].isInside = true
        regions[number].entered = now
      }
      if saved.state != .unknown, regions[number].state == .unknown {
        emit(.didDetermineState(.region(nil), .unknown), region, &events)
      }
      for slot in 0..<beacons.count where regions[number].members > 0 {
        for index in beacons[slot].memberships.indices where beacons[slot].memberships[index].region == number {
          if beacons[slot].memberships[index].entered != nil { determine(slot, index, .unknown, &events) }
        }
      }
    }
    awaitAbsence(number)
  }
}
