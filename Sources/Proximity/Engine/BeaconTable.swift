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
  private var index: SlotIndex
  /// For each rank a doubly linked list through its slots, from the longest silent to the one heard last.
  private var links: ContiguousArray<Link> = []
  private var ends = ContiguousArray(repeating: Ends(), count: Rank.allCases.count)

  /// Slots, or -1 where there is none.
  private struct Link: Sendable {
    var rank: Rank
    var older: Int32 = -1
    var newer: Int32 = -1
  }

  private struct Ends: Sendable {
    var oldest: Int32 = -1
    var newest: Int32 = -1
  }

  init(capacity: Int) {
    self.capacity = capacity
    index = SlotIndex(capacity: capacity)
    // Growing would leave holes behind that stay resident; room that is not used does not cost any memory.
    beacons.reserveCapacity(capacity)
    links.reserveCapacity(capacity)
  }

  var count: Int { beacons.count }
  var isFull: Bool { beacons.count == capacity }

  subscript(slot: Int) -> TrackedBeacon {
    _read { yield beacons[slot] }
    _modify { yield &beacons[slot] }
  }

  func slot(of identity: BeaconIdentity) -> Int? {
    index.slot(Self.hash(identity)) { beacons[$0].identity == identity }
  }

  /// Seeded anew in every process: nobody outside can choose identities that collide.
  private static func hash(_ identity: BeaconIdentity) -> UInt32 { UInt32(truncatingIfNeeded: identity.hashValue) }

  /// The slot of the beacon that gives way next; nil where all are configured.
  var dispensable: Int? {
    let stranger = ends[Rank.stranger.rawValue].oldest
    let slot = stranger >= 0 ? stranger : ends[Rank.inside.rawValue].oldest
    return slot >= 0 ? Int(slot) : nil
  }

  /// Puts a beacon into a new slot, as the one heard last. The table must not be full.
  mutating func insert(_ beacon: TrackedBeacon, _ rank: Rank) -> Int {
    let slot = beacons.count
    beacons.append(beacon)
    links.append(Link(rank: rank))
    index.insert(slot, Self.hash(beacon.identity))
    link(slot)
    return slot
  }

  /// Puts a beacon into the slot of another, which is forgotten.
  mutating func replace(_ slot: Int, with beacon: TrackedBeacon, _ rank: Rank) {
    index.remove(slot, Self.hash(beacons[slot].identity))
    beacons[slot] = beacon
    index.insert(slot, Self.hash(beacon.identity))
    unlink(slot)
    links[slot].rank = rank
    link(slot)
  }

  /// Notes that a beacon was heard after all others.
  mutating func touch(_ slot: Int) {
    guard links[slot].newer >= 0 else { return }
    unlink(slot)
    link(slot)
  }

  /// Moves a beacon that is not configured between strangers and those inside.
  mutating func setInside(_ slot: Int, _ isInside: Bool) {
    let rank: Rank = isInside ? .inside : .stranger
    guard links[slot].rank != .configured, links[slot].rank != rank else { return }
    unlink(slot)
    links[slot].rank = rank
    link(slot)
  }

  /// Moves a beacon between the configured ones and the others.
  mutating func setConfigured(_ slot: Int, _ isConfigured: Bool) {
    guard (links[slot].rank == .configured) != isConfigured else { return }
    unlink(slot)
    links[slot].rank = isConfigured ? .configured : beacons[slot].isInside ? .inside : .stranger
    link(slot)
  }

  private mutating func link(_ slot: Int) {
    let rank = links[slot].rank.rawValue
    let newest = ends[rank].newest
    links[slot].older = newest
    links[slot].newer = -1
    if newest >= 0 { links[Int(newest)].newer = Int32(slot) } else { ends[rank].oldest = Int32(slot) }
    ends[rank].newest = Int32(slot)
  }

  private mutating func unlink(_ slot: Int) {
    let (older, newer) = (links[slot].older, links[slot].newer)
    let rank = links[slot].rank.rawValue
    if older >= 0 { links[Int(older)].newer = newer } else { ends[rank].oldest = newer }
    if newer >= 0 { links[Int(newer)].older = older } else { ends[rank].newest = older }
  }
}
