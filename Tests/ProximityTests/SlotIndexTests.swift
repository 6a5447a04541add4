import TestSupport
import Testing

@testable import Proximity

struct SlotIndexTests {
  /// Of few hashes, so that searches cross each other and the table's end.
  @Test(arguments: [1, 2, 3, 16, 100], [1, 7, 1000] as [UInt32])
  func findsWhatADictionaryFinds(capacity: Int, hashes: UInt32) {
    var random = SplitMix(seed: UInt64(capacity) << 32 | UInt64(hashes))
    var index = SlotIndex(capacity: capacity)
    var hashOfSlot: [Int: UInt32] = [:]
    for _ in 0..<2000 {
      let slot = Int.random(in: 0..<capacity, using: &random)
      if let hash = hashOfSlot.removeValue(forKey: slot) {
        index.remove(slot, hash)
      } else {
        // The highest hash wraps around at once.
        let hash = UInt32.max - UInt32.random(in: 0..<hashes, using: &random)
        index.insert(slot, hash)
        hashOfSlot[slot] = hash
      }
      let other = Int.random(in: 0..<capacity, using: &random)
      let hash = hashOfSlot[other] ?? .max
      #expect(index.slot(hash) { $0 == other } == (hashOfSlot[other] == nil ? nil : other))
    }
    for slot in 0..<capacity {
      let hash = hashOfSlot[slot] ?? .max
      #expect(index.slot(hash) { $0 == slot } == (hashOfSlot[slot] == nil ? nil : slot))
    }
  }

  @Test func aSlotThatIsNotThereIsNotTakenOut() {
    var index = SlotIndex(capacity: 4)
    index.insert(0, 5)
    index.remove(1, 5)
    #expect(index.slot(5) { _ in true } == 0)
    #expect(index.slot(6) { _ in true } == nil)
  }
}
