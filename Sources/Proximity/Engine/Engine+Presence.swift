import BluetoothLE

// Who is there: entering on evidence, leaving on silence.

/// A silence is looked at this many seconds after a packet at the earliest, since none shorter means absence.
private let shortestSilence = 5.0

extension Engine {
  /// Takes in a packet of a tracked beacon.
  mutating func update(_ slot: Int, rssi: Int8, at instant: Instant, _ events: inout EventBatch) {
    if !beacons[slot].isPresent {
      beacons[slot].isPresent = true
      present += 1
      ticker.resume(after: now)
    }
    beacons[slot].packets += 1
    beacons[slot].lastHeard = max(beacons[slot].lastHeard, instant)
    let before = beacons[slot].silence
    beacons[slot].silence.heard(rssi: rssi, at: instant)
    beacons[slot].level.update(rssi: rssi, at: instant)
    for index in beacons[slot].memberships.indices where beacons[slot].memberships[index].entered == nil {
      if beacons[slot].memberships[index].enterRule.heard(rssi: rssi, at: instant, before: before, presence) {
        enter(slot, index, &events)
      }
    }
    // The exact time-out is worked out when the shortest has passed, not for every packet.
    let check = instant.advanced(by: shortestSilence)
    if silences.deadline(of: slot).map({ $0 > check }) ?? true {
      silences.set(slot, to: check, serial: beacons[slot].serial)
    }
  }

  private mutating func enter(_ slot: Int, _ index: Int, _ events: inout EventBatch) {
    beacons[slot].memberships[index].entered = now
    let number = beacons[slot].memberships[index].region
    let beacon = beacons[slot].snapshot
    if regions[number].add(at: now) {
      emit(.didDetermineState(.region(beacon), .inside), regions[number].region, &events)
      emit(.didEnter(.region(beacon)), regions[number].region, &events)
    }
    if regions[number].region.each {
      emit(.didDetermineState(.beacon(beacon), .inside), regions[number].region, &events)
      emit(.didEnter(.beacon(beacon)), regions[number].region, &events)
    }
  }

  /// Looks whether a beacon was silent for so long that it has left, and else when to look again.
  mutating func checkSilence(_ slot: Int, _ events: inout EventBatch) {
    let timeOut = beacons[slot].silence.timeOuts(presence).exit
    let deadline = beacons[slot].lastHeard.advanced(by: timeOut)
    if deadline > now {
      silences.set(slot, to: deadline, serial: beacons[slot].serial)
    } else {
      silences.remove(slot)
      leave(slot, .silence, &events)
    }
  }

  /// Takes a beacon out of every region that it is in.
  mutating func leave(_ slot: Int, _ cause: ExitCause, _ events: inout EventBatch) {
    guard beacons[slot].isPresent else { return }
    beacons[slot].isPresent = false
    beacons[slot].proximity = .unknown
    beacons[slot].estimate = nil
    present -= 1
    let beacon = beacons[slot].snapshot
    let lastSeen = utc(beacons[slot].lastHeard)
    for index in beacons[slot].memberships.indices {
      guard let entered = beacons[slot].memberships[index].entered else { continue }
      beacons[slot].memberships[index].entered = nil
      beacons[slot].memberships[index].enterRule.exited(at: now)
      let number = beacons[slot].memberships[index].region
      let region = regions[number].region
      if region.each {
        emit(.didDetermineState(.beacon(beacon), .outside), region, &events)
        let dwell = now.seconds(since: entered)
        emit(.didExit(.beacon(beacon), lastSeen: lastSeen, dwell: dwell, cause), region, &events)
      }
      if let first = regions[number].remove() {
        emit(.didDetermineState(.region(beacon), .outside), region, &events)
        let dwell = now.seconds(since: first)
        emit(.didExit(.region(beacon), lastSeen: lastSeen, dwell: dwell, cause), region, &events)
      }
    }
  }
}

/// A region and who is in it.
struct MonitoredRegion: Sendable {
  let region: BeaconRegion
  private var inside = 0
  private var entered = Instant.distantPast
  /// The last list of ranged beacons had somebody on it.
  var isListed = false

  init(_ region: BeaconRegion) {
    self.region = region
  }

  /// Notes that a beacon is inside; true if it is the first.
  mutating func add(at instant: Instant) -> Bool {
    inside += 1
    guard inside == 1 else { return false }
    entered = instant
    return true
  }

  /// Notes that a beacon has left; if it was the last, when the first had entered.
  mutating func remove() -> Instant? {
    inside -= 1
    return inside == 0 ? entered : nil
  }
}
