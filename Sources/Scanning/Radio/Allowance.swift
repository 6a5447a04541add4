import Proximity

/// How often something may be done within an hour, or another time.
struct Allowance: Hashable, Sendable {
  let most: Int
  /// Nanoseconds.
  private let span: Int64
  /// The times at which it was done, none older than that when it was looked at last.
  private var uses: [Instant] = []

  init(_ most: Int, inSeconds span: Int64 = 3600) {
    self.most = most
    self.span = span * 1_000_000_000
  }

  /// How often it was done lately.
  var used: Int { uses.count }

  /// Uses it once, if there is something left.
  mutating func take(at now: Instant) -> Bool {
    uses.removeAll { now.nanoseconds(since: $0) >= span }
    guard uses.count < most else { return false }
    uses.append(now)
    return true
  }

  /// When there is something left again.
  func next(after now: Instant) -> Instant {
    guard uses.count >= most, let first = uses.first else { return now }
    return first.before(nanoseconds: -span)
  }
}
