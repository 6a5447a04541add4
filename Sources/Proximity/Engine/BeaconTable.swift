/// The tracked beacons in slots, at most so many; found by identity, and in the order in which they were heard.
struct BeaconTable: Sendable {
  let capacity: Int
  private var beacons: ContiguousArray<TrackedBeacon> = []
  private var slots: [BeaconIdentity: Int] = [:]
  // A doubly linked list through the slots; -1 ends it.
  private var older: ContiguousArray<Int> = []
  private var newer: ContiguousArray<Int> = []
  private var oldest = -1
  private var newest = -1

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

  /// The slot of the beacon that was silent for the longest.
  var longestSilent: Int? { oldest >= 0 ? oldest : nil }

  /// Puts a beacon into a new slot, as the one heard last. The table must not be full.
  mutating func insert(_ beacon: TrackedBeacon) -> Int {
    let slot = beacons.count
    beacons.append(beacon)
    older.append(-1)
    newer.append(-1)
    slots[beacon.identity] = slot
    link(slot)
    return slot
  }

  /// Puts a beacon into the slot of another, which is forgotten.
  mutating func replace(_ slot: Int, with beacon: TrackedBeacon) {
    slots[beacons[slot].identity] = nil
    beacons[slot] = beacon
    slots[beacon.identity] = slot
    touch(slot)
  }

  /// Notes that a beacon was heard after all others.
  mutating func touch(_ slot: Int) {
    guard slot != newest else { return }
    if older[slot] >= 0 { newer[older[slot]] = newer[slot] } else { oldest = newer[slot] }
    older[newer[slot]] = older[slot]
    link(slot)
  }

  private mutating func link(_ slot: Int) {
    older[slot] = newest
    newer[slot] = -1
    if newest >= 0 { newer[newest] = slot } else { oldest = slot }
    newest = slot
  }
}
