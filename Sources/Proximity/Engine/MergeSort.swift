/// Sorts stably in memory that it keeps: the standard library's sort takes some from the heap each time.
struct MergeSort<Element: Sendable>: Sendable {
  /// Up to this many are inserted one by one: fewer steps than merging.
  private static var shortestRun: Int { 8 }

  /// Room for the earlier of two runs while they are merged.
  private var spare: [Element] = []

  /// Sorts the elements of a range by an order in which `comesBefore` is "less than".
  mutating func sort(
    _ elements: inout [Element], in range: Range<Int>, by comesBefore: (Element, Element) -> Bool
  ) {
    if range.count > Self.shortestRun, spare.count < range.count { spare += elements[range].dropFirst(spare.count) }
    elements.withUnsafeMutableBufferPointer { elements in
      spare.withUnsafeMutableBufferPointer { spare in
        Self.sort(UnsafeMutableBufferPointer(rebasing: elements[range]), spare, comesBefore)
      }
    }
  }

  private static func sort(
    _ elements: UnsafeMutableBufferPointer<Element>, _ spare: UnsafeMutableBufferPointer<Element>,
    _ comesBefore: (Element, Element) -> Bool
  ) {
    for start in stride(from: 0, to: elements.count, by: shortestRun) {
      insert(elements, start..<min(start + shortestRun, elements.count), comesBefore)
    }
    var length = shortestRun
    while length < elements.count {
      for start in stride(from: 0, to: elements.count - length, by: 2 * length) {
        merge(elements, start, start + length, min(start + 2 * length, elements.count), spare, comesBefore)
      }
      length *= 2
    }
  }

  private static func insert(
    _ elements: UnsafeMutableBufferPointer<Element>, _ run: Range<Int>, _ comesBefore: (Element, Element) -> Bool
  ) {
    for next in run.dropFirst() {
      let element = elements[next]
      var place = next
      while place > run.lowerBound, comesBefore(element, elements[place - 1]) {
        elements[place] = elements[place - 1]
        place -= 1
      }
      elements[place] = element
    }
  }

  /// Makes one run of two: `start..<middle` and `middle..<end`.
  private static func merge(
    _ elements: UnsafeMutableBufferPointer<Element>, _ start: Int, _ middle: Int, _ end: Int,
    _ spare: UnsafeMutableBufferPointer<Element>, _ comesBefore: (Element, Element) -> Bool
  ) {
    guard comesBefore(elements[middle], elements[middle - 1]) else { return }
    let count = middle - start
    for index in 0..<count { spare[index] = elements[start + index] }
    var earlier = 0
    var later = middle
    var place = start
    while earlier < count {
      if later < end, comesBefore(elements[later], spare[earlier]) {
        elements[place] = elements[later]
        later += 1
      } else {
        elements[place] = spare[earlier]
        earlier += 1
      }
      place += 1
    }
  }
}
