import TestSupport
import Testing

@testable import Proximity

struct MergeSortTests {
  private struct Item: Equatable, Sendable {
    let key: Int
    let number: Int
  }

  @Test(arguments: Array(0...40) + [1000, 4097])
  func sortsAsTheStandardLibraryDoesWithEqualOnesKeptInOrder(count: Int) {
    var random = SplitMix(seed: UInt64(count))
    var order = MergeSort<Item>()
    for keys in [1, 3, 1000] {
      var items: [Item] = []
      for number in 0..<count { items.append(Item(key: Int.random(in: 0..<keys, using: &random), number: number)) }
      // The standard library's sort is told the numbers too: it does not promise to be stable.
      let expected = items.sorted { $0.key == $1.key ? $0.number < $1.number : $0.key < $1.key }
      order.sort(&items, in: items.indices) { $0.key < $1.key }
      #expect(items == expected)
      // What is sorted already, and what is sorted the other way round.
      order.sort(&items, in: items.indices) { $0.key < $1.key }
      #expect(items == expected)
      order.sort(&items, in: items.indices) { $0.number > $1.number }
      #expect(items.map(\.number) == (0..<count).reversed())
    }
  }

  @Test func whatIsOutsideTheRangeIsLeftAlone() {
    var items = Array((0..<100).reversed())
    var order = MergeSort<Int>()
    order.sort(&items, in: 30..<70) { $0 < $1 }
    #expect(items == Array((70..<100).reversed()) + Array(30..<70) + Array((0..<30).reversed()))
  }
}
