/// A clock that can stand still: the one that a beacon's silence is measured on.
struct PausableClock: Sendable {
  private var stoodStill: Int64 = 0
  private(set) var stopped: Instant?

  var isPaused: Bool { stopped != nil }

  /// What the clock reads at `instant`.
  func read(_ instant: Instant) -> Instant {
    let running = stopped.map { min($0, instant) } ?? instant
    let (difference, overflow) = running.nanoseconds.subtractingReportingOverflow(stoodStill)
    return overflow ? .distantPast : Instant(nanoseconds: difference)
  }

  /// When the clock, running, reads `reading`.
  func instant(reading: Instant) -> Instant {
    let (sum, overflow) = reading.nanoseconds.addingReportingOverflow(stoodStill)
    return overflow ? .distantFuture : Instant(nanoseconds: sum)
  }

  /// Stops the clock, as from `instant` on.
  mutating func stop(at instant: Instant) {
    if stopped == nil { stopped = instant }
  }

  mutating func go(at instant: Instant) {
    guard let since = stopped else { return }
    stopped = nil
    guard instant > since else { return }
    let (pause, isLong) = instant.nanoseconds.subtractingReportingOverflow(since.nanoseconds)
    let (sum, overflow) = stoodStill.addingReportingOverflow(isLong ? .max : pause)
    stoodStill = overflow ? .max : sum
  }
}
