/// When each of a fixed number of slots wants attention: a binary heap in which a slot can be moved.
///
/// Equal deadlines come in the order of `serial`, so that nothing depends on how the heap happens to lie.
struct DeadlineQueue: Sendable {
  private struct Entry {
    var deadline: Instant
    var serial: UInt64
    var slot: Int

    func comes(before other: Entry) -> Bool {
      deadline == other.deadline ? serial < other.serial : deadline < other.deadline
    }
  }

  private var heap: [Entry] = []
  /// Where each slot stands in the heap; -1 where it does not.
  private var positions: [Int] = []

  var first: (slot: Int, deadline: Instant)? {
    heap.first.map { ($0.slot, $0.deadline) }
  }

  /// The deadline of a slot; nil where it has none.
  func deadline(of slot: Int) -> Instant? {
    slot < positions.count && positions[slot] >= 0 ? heap[positions[slot]].deadline : nil
  }

  mutating func set(_ slot: Int, to deadline: Instant, serial: UInt64) {
    while positions.count <= slot { positions.append(-1) }
    let entry = Entry(deadline: deadline, serial: serial, slot: slot)
    if positions[slot] < 0 {
      positions[slot] = heap.count
      heap.append(entry)
    } else {
      heap[positions[slot]] = entry
    }
    settle(positions[slot])
  }

  mutating func remove(_ slot: Int) {
    guard slot < positions.count, positions[slot] >= 0 else { return }
    let hole = positions[slot]
    positions[slot] = -1
    let last = heap.removeLast()
    guard last.slot != slot else { return }
    heap[hole] = last
    positions[last.slot] = hole
    settle(hole)
  }

  /// Removes a slot; those after it count one less from now on, as their serial numbers do.
  mutating func close(_ slot: Int) {
    let entries = heap
    self = DeadlineQueue()
    for entry in entries where entry.slot != slot {
      let isLater: Bool = entry.slot > slot
      set(isLater ? entry.slot - 1 : entry.slot, to: entry.deadline, serial: isLater ? entry.serial - 1 : entry.serial)
    }
  }

  private mutating func settle(_ start: Int) {
    var index = start
    while index > 0, heap[index].comes(before: heap[(index - 1) / 2]) {
      exchange(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
    while true {
      var least = index
      for child in 2 * index + 1..<min(2 * index + 3, max(heap.count, 2 * index + 1))
      where heap[child].comes(before: heap[least]) {
        least = child
      }
      guard least != index else { return }
      exchange(index, least)
      index = least
    }
  }

  private mutating func exchange(_ a: Int, _ b: Int) {
    heap.swapAt(a, b)
    positions[heap[a].slot] = a
    positions[heap[b].slot] = b
  }
}
