/// Finds slots by the hash of what they hold: an open table of fixed size, a seventh of a dictionary's memory.
struct SlotIndex: Sendable {
  private struct Place: Sendable {
    /// -1 where the place is free.
    var slot: Int32 = -1
    var hash: UInt32 = 0
  }

  private var places: ContiguousArray<Place>
  private let mask: Int

  /// For at most `capacity` slots.
  init(capacity: Int) {
    // At most half full, so that every search is short.
    var count = 2
    while count < 2 * capacity { count *= 2 }
    places = ContiguousArray(repeating: Place(), count: count)
    mask = count - 1
  }

  /// The slot of this hash for which `isMeant` holds.
  func slot(_ hash: UInt32, where isMeant: (_ slot: Int) -> Bool) -> Int? {
    var place = Int(hash) & mask
    while places[place].slot >= 0 {
      let slot = Int(places[place].slot)
      if places[place].hash == hash, isMeant(slot) { return slot }
      place = (place + 1) & mask
    }
    return nil
  }

  /// Adds a slot that is not there yet.
  mutating func insert(_ slot: Int, _ hash: UInt32) {
    var place = Int(hash) & mask
    while places[place].slot >= 0 { place = (place + 1) & mask }
    places[place] = Place(slot: Int32(slot), hash: hash)
  }

  /// Takes out a slot that was added with this hash.
  mutating func remove(_ slot: Int, _ hash: UInt32) {
    var hole = Int(hash) & mask
    while places[hole].slot != slot {
      guard places[hole].slot >= 0 else { return }
      hole = (hole + 1) & mask
    }
    // Those behind move up, or a search for them would end at the hole; but none to before where its search begins.
    var next = (hole + 1) & mask
    while places[next].slot >= 0 {
      let home = Int(places[next].hash) & mask
      if (next - home) & mask >= (next - hole) & mask {
        places[hole] = places[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    places[hole] = Place()
  }
}
