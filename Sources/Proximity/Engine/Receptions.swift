/// What each of several adapters hears of one beacon, and which of them is believed: the loudest, but not every time
/// another one is a little louder.
struct Receptions: Sendable {
  /// Adapters kept for a beacon; a further one takes the place of the one that heard it longest ago.
  private static let most = 4
  /// dB by which another adapter must be louder to be believed instead.
  private static let margin = 6.0

  private struct Reception: Sendable {
    var adapter: Int
    var filter = LevelFilter()
    var lastHeard: Instant
  }

  private var receptions: [Reception] = []
  /// Nil until one has been chosen: the first choice is the loudest.
  private var chosen: Int?

  init() {
    receptions.reserveCapacity(1)
  }

  var areAny: Bool { !receptions.isEmpty }
  /// More than one adapter has heard the beacon, so that there is a choice.
  var areSeveral: Bool { receptions.count > 1 }

  mutating func update(rssi: Int8, from adapter: Int, at instant: Instant) {
    let index = place(of: adapter, at: instant)
    receptions[index].filter.update(rssi: rssi, at: instant)
    receptions[index].lastHeard = max(receptions[index].lastHeard, instant)
  }

  private mutating func place(of adapter: Int, at instant: Instant) -> Int {
    if receptions.count == 1, receptions[0].adapter == adapter { return 0 }
    if let known = receptions.firstIndex(where: { $0.adapter == adapter }) { return known }
    let fresh = Reception(adapter: adapter, lastHeard: instant)
    if receptions.count < Self.most {
      receptions.append(fresh)
      return receptions.count - 1
    }
    var stalest = 0
    for index in receptions.indices where receptions[index].lastHeard < receptions[stalest].lastHeard {
      stalest = index
    }
    receptions[stalest] = fresh
    if stalest == chosen { chosen = nil }
    return stalest
  }

  /// Decides which adapter is believed at `instant`.
  mutating func choose(at instant: Instant, unknownAfter: Double) {
    guard receptions.count > 1 else {
      chosen = receptions.isEmpty ? nil : 0
      return
    }
    func levelIfHeard(_ index: Int) -> Double? {
      guard instant.seconds(since: receptions[index].lastHeard) <= unknownAfter else { return nil }
      return receptions[index].filter.level(at: instant)?.mean
    }
    let current = chosen.flatMap(levelIfHeard)
    var best: (index: Int, level: Double)?
    for index in receptions.indices where index != chosen {
      guard let level = levelIfHeard(index), level > best?.level ?? -.infinity else { continue }
      best = (index, level)
    }
    guard let best, current.map({ best.level >= $0 + Self.margin }) ?? true else { return }
    chosen = best.index
  }

  /// The level at the adapter that is believed.
  func level(at instant: Instant) -> Level? {
    let index = chosen ?? 0
    return index < receptions.count ? receptions[index].filter.level(at: instant) : nil
  }

  /// Whether `predicate` holds for every adapter that heard the beacon since `instant`; false where none did.
  func allHeard(since instant: Instant, _ predicate: (_ adapter: Int) -> Bool) -> Bool {
    var isAny = false
    for reception in receptions where reception.lastHeard >= instant {
      guard predicate(reception.adapter) else { return false }
      isAny = true
    }
    return isAny
  }

  func forEach(heardSince instant: Instant, _ body: (_ adapter: Int) -> Void) {
    for reception in receptions where reception.lastHeard >= instant { body(reception.adapter) }
  }
}
