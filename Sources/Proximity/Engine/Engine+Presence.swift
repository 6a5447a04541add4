import BluetoothLE

// Who is there: entering on evidence, leaving on silence that is proven.

extension Engine {
  /// Takes in a packet of a tracked beacon.
  mutating func update(_ slot: Int, _ sighting: Sighting, _ events: inout EventBatch) {
    let wasPresent = beacons[slot].isPresent
    let before = beacons[slot].silence
    let counts = beacons[slot].receive(sighting)
    for index in 0..<beacons[slot].memberships.count {
      let number = beacons[slot].memberships[index].region
      beacons[slot].memberships[index].isPresent = true
      if let limit = regions[number].region.zone {
        updateZone(slot, index, limit, &events)
      } else if beacons[slot].memberships[index].entered != nil {
        confirm(slot, index, &events)
      } else if counts,
        beacons[slot].memberships[index].enterRule.heard(
          rssi: sighting.rssi, at: beacons[slot].clock.read(sighting.instant), before: before, regions[number].presence)
      {
        enter(slot, index, &events)
      }
    }
    // A beacon whose last region was removed is tracked, but nowhere present.
    if !wasPresent, beacons[slot].isPresent {
      present += 1
      ticker.resume(after: now)
    }
    // A packet of an adapter that is said to be down is heard, but its silence would prove nothing.
    if sighting.isAdapterDown, stopClock(slot) { return }
    // The exact time-out is worked out when the shortest has passed, not for every packet.
    let check = sighting.instant.advanced(by: shortestExit(slot))
    if silences.deadline(of: slot).map({ $0 > check }) ?? true {
      silences.set(slot, to: check, serial: beacons[slot].serial)
    }
  }

  /// No shorter silence than this makes the beacon leave a region, in seconds.
  private func shortestExit(_ slot: Int) -> Double {
    var shortest = beacons[slot].silence.leastExit
    guard shortestExitAfter < shortest else { return shortest }
    for membership in beacons[slot].memberships {
      shortest = min(shortest, regions[membership.region].presence.exitAfter ?? shortest)
    }
    return shortest
  }

  private mutating func updateZone(_ slot: Int, _ index: Int, _ limit: ZoneLimit, _ events: inout EventBatch) {
    let unknown = beacons[slot].silence.timeOuts(presence).unknown
    let power = beacons[slot].power
    guard let level = beacons[slot].level(at: now, unknownAfter: unknown) else { return }
    let estimate = distances.estimate(level: level, power: power)
    let hasChanged = beacons[slot].memberships[index].zone.update(log10Distance: estimate.log10Distance, limit: limit)
    let isInside = beacons[slot].memberships[index].zone.isInside
    if hasChanged {
      if isInside { enter(slot, index, &events) } else { leave(slot, index, .zone, &events) }
    } else if isInside {
      confirm(slot, index, &events)
    }
  }

  private mutating func enter(_ slot: Int, _ index: Int, _ events: inout EventBatch) {
    let number = beacons[slot].memberships[index].region
    guard beacons[slot].memberships[index].entered == nil else { return }
    let region = regions[number].region
    beacons[slot].memberships[index].entered = now
    beacons.setInside(slot, true)
    let beacon = beacons[slot].snapshot
    regions[number].members += 1
    absences.remove(number)
    determine(number, .inside, beacon, &events)
    if !regions[number].isInside {
      regions[number].isInside = true
      regions[number].entered = now
      emit(.didEnter(.region(beacon)), region, &events)
    }
    guard region.each else { return }
    determine(slot, index, .inside, &events)
    emit(.didEnter(.beacon(beacon)), region, &events)
  }

  /// Takes note that a beacon inside is heard: what an outage left unknown is known again.
  private mutating func confirm(_ slot: Int, _ index: Int, _ events: inout EventBatch) {
    let number = beacons[slot].memberships[index].region
    if regions[number].state == .unknown {
      if !adapters.areAllDown { regions[number].isFailed = false }
      determine(number, .inside, beacons[slot].snapshot, &events)
    }
    if beacons[slot].memberships[index].state == .unknown { determine(slot, index, .inside, &events) }
  }

  /// Sets the state of a region, and says so if it is another one.
  mutating func determine(
    _ number: Int, _ state: RegionState, _ beacon: BeaconSnapshot?, _ events: inout EventBatch
  ) {
    guard regions[number].state != state else { return }
    regions[number].state = state
    emit(.didDetermineState(.region(beacon), state), regions[number].region, &events)
  }

  /// Sets the state of one beacon in a region that keeps a state for each.
  mutating func determine(_ slot: Int, _ index: Int, _ state: RegionState, _ events: inout EventBatch) {
    let region = regions[beacons[slot].memberships[index].region].region
    guard region.each, beacons[slot].memberships[index].state != state else { return }
    beacons[slot].memberships[index].state = state
    emit(.didDetermineState(.beacon(beacons[slot].snapshot), state), region, &events)
  }

  // MARK: Leaving

  /// Looks whether a beacon was silent for so long that it has left, and else when to look again.
  mutating func checkSilence(_ slot: Int, _ events: inout EventBatch) {
    guard !beacons[slot].clock.isPaused else {
      silences.remove(slot)
      return
    }
    let learned = beacons[slot].silence.timeOuts(presence).exit
    var isDue = false
    for index in beacons[slot].memberships.indices where beacons[slot].memberships[index].isPresent {
      isDue = isDue || exitInstant(slot, index, learned) <= now
    }
    if isDue, let later = provenLater(slot, &events) {
      silences.set(slot, to: later, serial: beacons[slot].serial)
      return
    }
    var next = Instant.distantFuture
    for index in beacons[slot].memberships.indices where beacons[slot].memberships[index].isPresent {
      let exit = exitInstant(slot, index, learned)
      if exit <= now { fallSilent(slot, index, .silence, &events) } else { next = min(next, exit) }
    }
    if next < .distantFuture {
      silences.set(slot, to: next, serial: beacons[slot].serial)
    } else {
      silences.remove(slot)
    }
  }

  /// When a beacon's silence means that it has left a region, unless it is heard before; its clock must run.
  private func exitInstant(_ slot: Int, _ index: Int, _ learned: Double) -> Instant {
    let timeOut = regions[beacons[slot].memberships[index].region].presence.exitAfter ?? learned
    let heard = beacons[slot].silence.lastHeard ?? beacons[slot].clock.read(beacons[slot].lastHeard)
    return beacons[slot].clock.instant(reading: heard.advanced(by: timeOut))
  }

  /// Ends a beacon's presence in a region.
  mutating func fallSilent(_ slot: Int, _ index: Int, _ cause: ExitCause, _ events: inout EventBatch) {
    beacons[slot].memberships[index].isPresent = false
    beacons[slot].memberships[index].zone = ZoneSide()
    if beacons[slot].memberships[index].entered != nil {
      if cause == .silence {
        beacons[slot].memberships[index].enterRule.exited(at: beacons[slot].clock.read(now))
      }
      leave(slot, index, cause, &events)
    }
    guard !beacons[slot].isPresent else { return }
    present -= 1
    beacons[slot].proximity = .unknown
    beacons[slot].estimate = nil
    beacons[slot].asked = nil
  }

  /// Takes a beacon out of every region that it is in.
  mutating func leave(_ slot: Int, _ cause: ExitCause, _ events: inout EventBatch) {
    for index in beacons[slot].memberships.indices where beacons[slot].memberships[index].isPresent {
      fallSilent(slot, index, cause, &events)
    }
  }

  /// Takes a beacon out of a region: the beacon first, then the region if it was the last.
  mutating func leave(_ slot: Int, _ index: Int, _ cause: ExitCause, _ events: inout EventBatch) {
    let number = beacons[slot].memberships[index].region
    guard let entered = beacons[slot].memberships[index].entered else { return }
    let region = regions[number].region
    beacons[slot].memberships[index].entered = nil
    if !beacons[slot].isInside { beacons.setInside(slot, false) }
    let beacon = beacons[slot].snapshot
    let lastSeen = utc(beacons[slot].lastHeard)
    if region.each {
      let isUnobserved = cause == .silence && beacons[slot].memberships[index].state == .unknown
      determine(slot, index, .outside, &events)
      let dwell = now.seconds(since: entered)
      let own: ExitCause = isUnobserved ? .unobserved : cause
      emit(.didExit(.beacon(beacon), lastSeen: lastSeen, dwell: dwell, own), region, &events)
    }
    regions[number].members -= 1
    guard regions[number].members == 0 else { return }
    exitRegion(number, beacon, lastSeen: lastSeen, cause, &events)
  }

  /// Says that a region is left.
  mutating func exitRegion(
    _ number: Int, _ beacon: BeaconSnapshot?, lastSeen: UnixTime?, _ cause: ExitCause, _ events: inout EventBatch
  ) {
    guard regions[number].isInside else { return }
    let isUnobserved = cause == .silence && regions[number].state == .unknown
    regions[number].isInside = false
    determine(number, .outside, beacon, &events)
    let dwell = now.seconds(since: regions[number].entered)
    let own: ExitCause = isUnobserved ? .unobserved : cause
    emit(.didExit(.region(beacon), lastSeen: lastSeen, dwell: dwell, own), regions[number].region, &events)
  }
}
