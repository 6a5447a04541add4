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
      listing.removeAll(keepingCapacity: true)
      for slot in 0..<beacons.count where beacons[slot].isPresent {
        estimate(slot)
        for membership in beacons[slot].memberships
        where membership.isPresent && regions[membership.region].region.isRanged {
          listing.append(ListPlace(membership.region, beacons[slot], slot))
        }
      }
      list(&events)
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

  /// Appends the list of every region that has a place in `listing`, or had one the last time: an emptied list is
  /// reported once.
  private mutating func list(_ events: inout EventBatch) {
    for number in listed { listing.append(ListPlace(endOf: number)) }
    listingOrder.sort(&listing, in: listing.indices) { $0 < $1 }
    listed.removeAll(keepingCapacity: true)
    var start = 0
    while start < listing.count {
      let number = listing[start].region
      var end = start
      while end < listing.count, listing[end].region == number, !listing[end].isEnd { end += 1 }
      orderTies(start..<end)
      list(number, start..<end, &events)
      if end > start { listed.append(number) }
      start = end
      while start < listing.count, listing[start].region == number { start += 1 }
    }
  }

  /// Puts those that are equally far by identity; the unknown ones above all.
  private mutating func orderTies(_ places: Range<Int>) {
    var start = places.lowerBound
    while start < places.upperBound {
      var end = start + 1
      while end < places.upperBound, !(listing[start] < listing[end]) { end += 1 }
      if end > start + 1 {
        let beacons = beacons
        listingOrder.sort(&listing, in: start..<end) { beacons[$0.slot].identity < beacons[$1.slot].identity }
      }
      start = end
    }
  }

  private mutating func list(_ number: Int, _ places: Range<Int>, _ events: inout EventBatch) {
    // Where there is not room for all, those that are configured come first, then the nearest; in a list's order.
    var configured = places.count
    var others = places.count
    if places.count > EngineSettings.longestList {
      configured = 0
      for place in places where beacons[listing[place].slot].isConfigured { configured += 1 }
      configured = min(configured, EngineSettings.longestList)
      others = EngineSettings.longestList - configured
    }
    let start = events.ranged.count
    for place in places {
      let slot = listing[place].slot
      if beacons[slot].isConfigured {
        guard configured > 0 else { continue }
        configured -= 1
      } else {
        guard others > 0 else { continue }
        others -= 1
      }
      events.append(ranged(slot))
    }
    let shown = start..<events.ranged.count
    emit(.didRange(shown, omitted: places.count - shown.count), regions[number].region, &events)
  }

  private func ranged(_ slot: Int) -> RangedBeacon {
    RangedBeacon(
      beacon: beacons[slot].snapshot, proximity: beacons[slot].proximity, estimate: beacons[slot].estimate,
      level: beacons[slot].receptions.level(at: now)?.mean, packets: beacons[slot].packets,
      lastSeen: utc(beacons[slot].lastHeard))
  }
}

/// A beacon's place in the list of a region: immediate, near, far, each by distance; unknown last. Those that are
/// equally far are put by identity afterwards.
struct ListPlace: Comparable, Sendable {
  /// The region's number above the proximity.
  private let order: Int32
  private let number: Int32
  private let log10Distance: Double

  var region: Int { Int(order >> Self.proximityBits) }
  var slot: Int { Int(number) }
  /// No beacon, but what ends a region's list.
  var isEnd: Bool { number < 0 }

  private static let proximityBits: Int32 = 3

  init(_ region: Int, _ beacon: TrackedBeacon, _ slot: Int) {
    order = Int32(region) << Self.proximityBits | Int32(beacon.proximity.rawValue)
    number = Int32(slot)
    log10Distance = beacon.estimate?.log10Distance ?? 0
  }

  init(endOf region: Int) {
    order = Int32(region) << Self.proximityBits | (1 << Self.proximityBits - 1)
    number = -1
    log10Distance = 0
  }

  static func < (a: ListPlace, b: ListPlace) -> Bool {
    a.order == b.order ? a.log10Distance < b.log10Distance : a.order < b.order
  }
}

/// When beacons are ranged: at the multiples of an interval in the UTC of the start, so that lists of several gateways
/// fall together.
struct RangingTicker: Sendable {
  private let interval: Int64
  let utcOffset: Int64
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
