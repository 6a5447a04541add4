import BluetoothLE

// How far each beacon is, once an interval.

/// Seconds of silence within which no beacon's distance goes unknown: the time-out need not be worked out.
private let surelyKnown = 3.0

extension Engine {
  /// Works out the distance of every beacon that is there, then lists those of each ranged region.
  mutating func range(_ events: inout EventBatch) {
    // Nothing is ranged while nothing can be heard; that was said when it began.
    let areAllDown = adapters.areAllDown
    if !areAllDown {
      for slot in 0..<beacons.count where beacons[slot].isPresent { estimate(slot) }
      for number in regions.indices where regions[number]?.region.isRanged == true { list(number, &events) }
      for slot in 0..<beacons.count where beacons[slot].packets > 0 { beacons[slot].packets = 0 }
    }
    ticker.advance(stopping: present == 0 || areAllDown)
  }

  private mutating func estimate(_ slot: Int) {
    let silence = now.seconds(since: beacons[slot].lastHeard)
    // Of several adapters one may have been silent for longer than that without being out of the choice.
    let isSure = silence <= surelyKnown && !beacons[slot].receptions.areSeveral
    let unknownAfter = isSure ? surelyKnown : beacons[slot].silence.timeOuts(presence).unknown
    let isKnown = silence <= unknownAfter && !beacons[slot].clock.isPaused
    let level = isKnown ? beacons[slot].level(at: now, unknownAfter: unknownAfter) : nil
    let power = beacons[slot].power
    let estimate = level.map { distances.estimate(level: $0, power: power) }
    beacons[slot].estimate = estimate
    beacons[slot].proximity = classifier.classify(
      log10Distance: estimate?.log10Distance, after: beacons[slot].proximity)
  }

  private mutating func list(_ number: Int, _ events: inout EventBatch) {
    guard let region = regions[number] else { return }
    listing.removeAll(keepingCapacity: true)
    for slot in 0..<beacons.count
    where beacons[slot].memberships.contains(where: { $0.region == number && $0.isPresent }) {
      listing.append(ListPlace(beacons[slot], slot))
    }
    // An emptied list is reported once.
    guard !listing.isEmpty || region.isListed else { return }
    regions[number]?.isListed = !listing.isEmpty
    listing.sort()
    var shown = listing[...]
    if listing.count > EngineSettings.longestList {
      // Those that are configured first, then the nearest; in a list's order.
      listing.sort { a, b in a.isConfigured != b.isConfigured ? a.isConfigured : a < b }
      listing[..<EngineSettings.longestList].sort()
      shown = listing[..<EngineSettings.longestList]
    }
    let start = events.ranged.count
    for place in shown { events.append(ranged(place.slot)) }
    emit(.didRange(start..<events.ranged.count, omitted: listing.count - shown.count), region.region, &events)
  }

  private func ranged(_ slot: Int) -> RangedBeacon {
    RangedBeacon(
      beacon: beacons[slot].snapshot, proximity: beacons[slot].proximity, estimate: beacons[slot].estimate,
      level: beacons[slot].receptions.level(at: now)?.mean, packets: beacons[slot].packets,
      lastSeen: utc(beacons[slot].lastHeard))
  }
}

/// A beacon's place in a list: immediate, near, far, each by distance; unknown last; then by identity.
struct ListPlace: Comparable, Sendable {
  let slot: Int
  let isConfigured: Bool
  private let proximity: ProximityClass
  private let distance: Double
  private let identity: BeaconIdentity

  init(_ beacon: TrackedBeacon, _ slot: Int) {
    self.slot = slot
    isConfigured = beacon.isConfigured
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
