/// The tracked beacons in slots, at most so many; found by identity.
///
/// Who gives way when there is no room is decided by rank, then by silence: strangers first, those inside a region only
/// when there are no strangers, configured ones never.
struct BeaconTable: Sendable {
  enum Rank: Int, CaseIterable, Sendable {
    case stranger, inside, configured
  }

  let capacity: Int
  private var beacons: ContiguousArray<TrackedBeacon> = []
  private var slots: [BeaconIdentity: Int] = [:]
  private var ranks: ContiguousArray<Rank> = []
  // For each rank a doubly linked list through its slots, from the longest silent to the one heard last; -1 ends it.
  private var older: ContiguousArray<Int> = []
  private var newer: ContiguousArray<Int> = []
  private var oldest = ContiguousArray(repeating: -1, count: Rank.allCases.count)
  private var newest = ContiguousArray(repeating: -1, count: Rank.allCases.count)

  init(capacity: Int) {
    self.capacity = capacity
  }

  var count: Int { beacons.count }
  var isFull: Bool { beacons.count == capacity }

  subscript(slot: Int) -> TrackedBeacon {
    _read { yield beacons[slot] }
    _modify { yield &beacons[slot] }
  }

  func slot(of identity: BeaconIdentity) -> Int? { slots[identity] }

  /// The slot of the beacon that gives way next; nil where all are configured.
  var dispensable: Int? {
    let slot = oldest[Rank.stranger.rawValue] >= 0 ? oldest[Rank.stranger.rawValue] : oldest[Rank.inside.rawValue]
    return slot >= 0 ? slot : nil
  }

  /// Puts a beacon into a new slot, as the one heard last. The table must not be full.
  mutating func insert(_ beacon: TrackedBeacon, _ rank: Rank) -> Int {
    let slot = beacons.count
    beacons.append(beacon)
    ranks.append(rank)
    older.append(-1)
    newer.append(-1)
    slots[beacon.identity] = slot
    link(slot)
    return slot
  }

  /// Puts a beacon into the slot of another, which is forgotten.
  mutating func replace(_ slot: Int, with beacon: TrackedBeacon, _ rank: Rank) {
    slots[beacons[slot].identity] = nil
    beacons[slot] = beacon
    slots[beacon.identity] = slot
    unlink(slot)
    ranks[slot] = rank
    link(slot)
  }

  /// Notes that a beacon was heard after all others.
  mutating func touch(_ slot: Int) {
    guard slot != newest[ranks[slot].rawValue] else { return }
    unlink(slot)
    link(slot)
  }

  /// Moves a beacon that is not configured between strangers and those inside.
  mutating func setInside(_ slot: Int, _ isInside: Bool) {
    let rank: Rank = isInside ? .inside : .stranger
    guard ranks[slot] != .configured, ranks[slot] != rank else { return }
    unlink(slot)
    ranks[slot] = rank
    link(slot)
  }

  private mutating func link(_ slot: Int) {
    let rank = ranks[slot].rawValue
    older[slot] = newest[rank]
    newer[slot] = -1
    if newest[rank] >= 0 { newer[newest[rank]] = slot } else { oldest[rank] = slot }
    newest[rank] = slot
  }

  private mutating func unlink(_ slot: Int) {
    let rank = ranks[slot].rawValue
    if older[slot] >= 0 { newer[older[slot]] = newer[slot] } else { oldest[rank] = newer[slot] }
    if newer[slot] >= 0 { older[newer[slot]] = older[slot] } else { newest[rank] = older[slot] }
  }
}
