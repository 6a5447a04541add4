import BluetoothLE

// A silent radio keeps nobody inside; a dead one lets nobody leave.

/// Seconds after which an adapter may be asked for proof again.
private let timeBetweenRequests = 10.0
/// Seconds of silence after an answer, at most, that make an exit.
private let longestWaitAfterProof = 15.0
/// Seconds that a report of anybody proves an adapter for, at least.
private let shortestProof = Adapters.longestGap
/// ... and in gaps of the beacon in question.
private let proofInGaps = 3.0

extension Engine {
  /// Says what an adapter's scanner does since `instant`.
  package mutating func scanner(
    _ adapter: Int, _ report: ScannerReport, at instant: Instant, _ events: inout EventBatch
  ) {
    advance(to: instant, &events)
    let number = number(ofAdapter: adapter)
    emit(.scannerDidChange(report), nil, &events)
    let isDown = report.state == .stopped
    guard adapters[number].isDown != isDown else { return }
    adapters[number].isDown = isDown
    if isDown { stopClocks() } else { startClocks() }
    updateOutages(report.reason, &events)
  }

  /// Answers a request for proof: the adapter's scan was enabled anew at `instant`.
  package mutating func proof(_ adapter: Int, at instant: Instant, _ events: inout EventBatch) {
    advance(to: instant, &events)
    let number = number(ofAdapter: adapter)
    adapters[number].answered = instant
    // The first answer counts: later ones, to what was asked for others, must not put an exit off.
    for slot in 0..<beacons.count where beacons[slot].asked != nil && beacons[slot].answered == nil {
      var isHeard = false
      forEachAdapter(of: slot) { isHeard = isHeard || $0 == number }
      guard isHeard else { continue }
      beacons[slot].answered = instant
      silences.set(slot, to: instant.advanced(by: waitAfterProof(slot)), serial: beacons[slot].serial)
    }
  }

  /// The number of an adapter. With the first there is somebody who could hear what was there before a restart.
  @inline(__always)
  mutating func number(ofAdapter id: Int) -> Int {
    let isFirst = adapters.indices.isEmpty
    let number = adapters.number(of: id)
    if isFirst { startClocks() }
    return number
  }

  // MARK: Proof

  /// When to look again whether a beacon's silence is proven; nil if it is. Asks for proof where it is wanting.
  mutating func provenLater(_ slot: Int, _ events: inout EventBatch) -> Instant? {
    guard !settings.isProvenThroughout else { return nil }
    let recent = max(shortestProof, proofInGaps * beacons[slot].silence.meanGap)
    var isProven = false
    var resumed: Instant?
    var answered: Instant?
    var toAsk: [Int] = []
    var again = Instant.distantFuture
    forEachAdapter(of: slot) { adapter in
      guard !adapters[adapter].isDown else { return }
      if now.seconds(since: adapters[adapter].proven) <= recent {
        if adapters[adapter].resumed <= beacons[slot].lastHeard {
          isProven = true
        } else {
          resumed = min(resumed ?? .distantFuture, adapters[adapter].resumed)
        }
      }
      if now.seconds(since: adapters[adapter].asked) >= timeBetweenRequests {
        toAsk.append(adapter)
        return
      }
      again = min(again, adapters[adapter].asked.advanced(by: timeBetweenRequests))
      if let answer = adapters[adapter].answered, answer >= adapters[adapter].asked {
        answered = max(answered ?? answer, answer)
      }
    }
    if isProven { return nil }
    // One that has delivered nothing for a part of the silence, and delivers again, has yet to hear the beacon: it is as if
    // it had answered then.
    if let resumed, beacons[slot].answered == nil {
      beacons[slot].asked = now
      beacons[slot].answered = resumed
    }
    if beacons[slot].asked == nil {
      beacons[slot].asked = now
      // Who may not be asked again yet was asked for another beacon a moment ago. That answer does, unless the silence is
      // younger: then nothing is known of it until there is another answer.
      if toAsk.isEmpty, let answered, answered >= beacons[slot].lastHeard { beacons[slot].answered = answered }
    }
    if let answered = beacons[slot].answered {
      let due = answered.advanced(by: waitAfterProof(slot))
      return due <= now ? nil : due
    }
    ask(toAsk, &events)
    return min(toAsk.isEmpty ? again : .distantFuture, now.advanced(by: timeBetweenRequests))
  }

  private mutating func ask(_ numbers: [Int], _ events: inout EventBatch) {
    for number in numbers {
      adapters[number].asked = now
      events.requestProof(of: adapters[number].id)
    }
  }

  private func waitAfterProof(_ slot: Int) -> Double {
    min(max(shortestProof, proofInGaps * beacons[slot].silence.meanGap), longestWaitAfterProof)
  }

  /// Calls `body` with each adapter whose word counts for a beacon: those that heard it of late, or any, where that was
  /// before a restart.
  private func forEachAdapter(of slot: Int, _ body: (_ adapter: Int) -> Void) {
    guard beacons[slot].isHeardSinceStart else { return adapters.indices.forEach(body) }
    beacons[slot].forEachAdapter(learnedExit(slot), body)
  }

  private func learnedExit(_ slot: Int) -> Double { beacons[slot].silence.timeOuts(presence).exit }

  // MARK: Clocks

  /// Stops the silence clock of every beacon that was heard by nothing but adapters that are down.
  private mutating func stopClocks() {
    for slot in 0..<beacons.count { stopClock(slot) }
  }

  /// Stops the silence clock of a beacon if every adapter that heard it of late is down; true if it stands still.
  @discardableResult
  mutating func stopClock(_ slot: Int) -> Bool {
    guard !beacons[slot].clock.isPaused else { return true }
    guard isOutOfReach(slot) else {
      // The answer may have been that of the adapter which went down: those that are left are asked.
      beacons[slot].answered = nil
      return false
    }
    var since = now
    if beacons[slot].asked != nil {
      // Nobody answered: what was silent was the adapter, from its last proof on.
      since = beacons[slot].lastHeard
      forEachAdapter(of: slot) { since = max(since, min(adapters[$0].proven, now)) }
    }
    beacons[slot].clock.stop(at: since)
    beacons[slot].asked = nil
    silences.remove(slot)
    return true
  }

  private mutating func startClocks() {
    for slot in 0..<beacons.count where beacons[slot].clock.isPaused && !isOutOfReach(slot) {
      beacons[slot].clock.go(at: now)
      if beacons[slot].isPresent { silences.set(slot, to: now, serial: beacons[slot].serial) }
    }
  }

  /// Every adapter that heard the beacon of late is down.
  private func isOutOfReach(_ slot: Int) -> Bool {
    guard beacons[slot].isHeardSinceStart else { return adapters.indices.isEmpty || adapters.areAllDown }
    return beacons[slot].allAdapters(learnedExit(slot)) { adapters[$0].isDown }
  }

  // MARK: Regions

  /// Finds the regions that cannot be watched now, or can again.
  mutating func updateOutages(_ reason: String, _ events: inout EventBatch) {
    let areAllDown = adapters.areAllDown
    var reachable = Array(repeating: 0, count: regions.count)
    for slot in 0..<beacons.count where !beacons[slot].clock.isPaused {
      for membership in beacons[slot].memberships where membership.entered != nil { reachable[membership.region] += 1 }
    }
    let failure = EngineFailure(.scannerDown, reason)
    for number in regions.indices {
      let fails = areAllDown || regions[number].members > 0 && reachable[number] == 0
      guard fails != regions[number].isFailed else { continue }
      regions[number].isFailed = fails
      let region = regions[number].region
      if fails {
        absences.remove(number)
        determine(number, .unknown, nil, &events)
        emit(.monitoringDidFail(failure), region, &events)
      } else {
        awaitAbsence(number)
      }
      if fails, areAllDown, region.isRanged { emit(.didFailRanging(failure), region, &events) }
    }
    for slot in 0..<beacons.count where beacons[slot].clock.isPaused {
      for index in beacons[slot].memberships.indices where beacons[slot].memberships[index].entered != nil {
        determine(slot, index, .unknown, &events)
      }
    }
    if !areAllDown, present > 0 { ticker.resume(after: now) }
  }

  /// Sets the timer of a region that nothing but time can decide.
  mutating func awaitAbsence(_ number: Int) {
    guard regions[number].waitsForAbsence else { return }
    absences.set(number, to: now.advanced(by: regions[number].timeToOutside), serial: UInt64(number))
  }

  /// Nobody came for the time that means absence: the region is outside, if an adapter was hearing.
  mutating func checkAbsence(_ number: Int, _ events: inout EventBatch) {
    absences.remove(number)
    guard regions[number].waitsForAbsence else { return }
    if !settings.isProvenThroughout {
      let evidence = adapters.indices.map { max(adapters[$0].proven, adapters[$0].answered ?? .distantPast) }.max()
      guard let evidence, now.seconds(since: evidence) <= regions[number].timeToOutside else {
        ask(adapters.indices.filter { !adapters[$0].isDown }, &events)
        absences.set(number, to: now.advanced(by: timeBetweenRequests), serial: UInt64(number))
        return
      }
    }
    if regions[number].isInside {
      exitRegion(number, nil, lastSeen: nil, .unobserved, &events)
    } else {
      determine(number, .outside, nil, &events)
    }
  }
}
