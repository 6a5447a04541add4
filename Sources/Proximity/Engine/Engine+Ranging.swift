import BluetoothLE

// How far each beacon is, once an interval.

/// Seconds of silence within which no beacon's distance goes unknown: the time-out need not be worked out.
private let surelyKnown = 3.0

extension Engine {
  /// Works out the distance of every beacon that is there, then lists those of each ranged region.
  mutating func range(_ events: inout EventBatch) {
    for slot in 0..<beacons.count where beacons[slot].isPresent { estimate(slot) }
    for number in regions.indices where regions[number].region.isRanged { list(number, &events) }
    for slot in 0..<beacons.count where beacons[slot].packets > 0 { beacons[slot].packets = 0 }
    ticker.advance(stopping: present == 0)
  }

  private mutating func estimate(_ slot: Int) {
    let silence = now.seconds(since: beacons[slot].lastHeard)
    let isKnown = silence <= surelyKnown || silence <= beacons[slot].silence.timeOuts(presence).unknown
    let level = isKnown ? beacons[slot].level.level(at: now) : nil
    let power = beacons[slot].power
    let estimate = level.map { distances.estimate(level: $0, power: power) }
    beacons[slot].estimate = estimate
    beacons[slot].proximity = classifier.classify(
      log10Distance: estimate?.log10Distance, after: beacons[slot].proximity)
  }

  private mutating func list(_ number: Int, _ events: inout EventBatch) {
    listing.removeAll(keepingCapacity: true)
    for slot in 0..<beacons.count where beacons[slot].isPresent {
      guard beacons[slot].memberships.contains(where: { $0.region == number }) else { continue }
      listing.append(ListPlace(beacons[slot], slot))
    }
    // An emptied list is reported once.
    guard !listing.isEmpty || regions[number].isListed else { return }
    regions[number].isListed = !listing.isEmpty
    listing.sort()
    let shown = min(listing.count, EngineSettings.longestList)
    let start = events.ranged.count
    for place in 0..<shown { events.append(ranged(listing[place].slot)) }
    emit(.didRange(start..<events.ranged.count, omitted: listing.count - shown), regions[number].region, &events)
  }

  private func ranged(_ slot: Int) -> RangedBeacon {
    RangedBeacon(
      beacon: beacons[slot].snapshot, proximity: beacons[slot].proximity, estimate: beacons[slot].estimate,
      level: beacons[slot].level.level(at: now)?.mean, packets: beacons[slot].packets,
      lastSeen: utc(beacons[slot].lastHeard))
  }
}

/// A beacon's place in a list: immediate, near, far, each by distance; unknown last; then by identity.
struct ListPlace: Comparable, Sendable {
  let slot: Int
  private let proximity: ProximityClass
  private let distance: Double
  private let identity: BeaconIdentity

  init(_ beacon: TrackedBeacon, _ slot: Int) {
    self.slot = slot
    proximity = beacon.proximity
    distance = beacon.estimate?.distance ?? 0
    identity = beacon.identity
  }

  static func < (a: ListPlace, b: ListPlace) -> Bool {
    if a.proximity != b.proximity { return a.proximity < b.proximity }
    return a.distance == b.distance ? a.identity < b.identity : a.distance < b.distance
  }
}

/// When beacons are ranged: at the multiples of an interval in the UTC of the start, so that lists of several gateways
/// fall together.
struct RangingTicker: Sendable {
  private let interval: Int64
  private let utcOffset: Int64
  /// Nil while nobody is there to be ranged.
  private(set) var next: Instant?

  init(interval seconds: Double, utcOffset: Int64) {
    interval = max(1_000_000, Int64(min(max(seconds, 0), 1e6) * 1e9))
    self.utcOffset = utcOffset
  }

  /// Starts ticking, unless it does, with the first multiple after `instant`.
  mutating func resume(after instant: Instant) {
    guard next == nil else { return }
    let utc = instant.nanoseconds &+ utcOffset
    let remainder = utc % interval
    let since = remainder < 0 ? remainder + interval : remainder
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(interval - since)
    next = overflow ? .distantFuture : Instant(nanoseconds: sum)
  }

  /// Goes on to the next multiple, or stops until `resume`.
  mutating func advance(stopping: Bool) {
    guard let due = next, !stopping else {
      next = nil
      return
    }
    let (sum, overflow) = due.nanoseconds.addingReportingOverflow(interval)
    next = overflow ? nil : Instant(nanoseconds: sum)
  }
}
