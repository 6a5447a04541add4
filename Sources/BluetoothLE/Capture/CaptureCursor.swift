/// The part of a capture that is in memory, and where in the capture it lies.
package struct CaptureCursor {
  /// What is there and not yet consumed.
  package private(set) var unread: Octets
  /// Offset of `unread` in the capture.
  package private(set) var position: UInt64
  /// Octets to pass over that are not in memory yet.
  private var toSkip: UInt64 = 0
  /// Nothing follows `unread`.
  package private(set) var isAtEnd: Bool

  package init() {
    unread = Octets()
    position = 0
    isAtEnd = false
  }

  /// Takes a new view of the capture: the unread octets again, more behind them.
  package mutating func refill(_ octets: Octets, isAtEnd: Bool) {
    unread = octets
    self.isAtEnd = isAtEnd
    applySkip()
  }

  /// Nothing is left, neither to read nor to pass over.
  var isExhausted: Bool { isAtEnd && unread.isEmpty && toSkip == 0 }

  mutating func consume(_ count: Int) {
    unread = unread.dropping(count)
    position += UInt64(count)
  }

  /// Passes over `count` octets, also beyond what is in memory.
  mutating func skip(_ count: UInt64) {
    toSkip += count
    applySkip()
  }

  private mutating func applySkip() {
    guard toSkip > 0 else { return }
    let now = Int(min(toSkip, UInt64(unread.count)))
    toSkip -= UInt64(now)
    consume(now)
  }
}
