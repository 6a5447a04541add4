/// A point on a clock that never steps: time since boot when live, the recording's time in replay.
///
/// Whole nanoseconds, so that equal inputs compare equal on every machine. Arithmetic saturates: a hostile time stamp
/// is a far instant, never a trap.
package struct Instant: Hashable, Comparable, Sendable {
  package var nanoseconds: Int64

  @inlinable
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  package static let distantPast = Instant(nanoseconds: .min)
  package static let distantFuture = Instant(nanoseconds: .max)

  @inlinable
  package static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

  /// Seconds from `earlier` to this instant; negative when `earlier` is the later one.
  @inlinable
  package func seconds(since earlier: Instant) -> Double {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
    return overflow ? (nanoseconds > earlier.nanoseconds ? 9.3e9 : -9.3e9) : Double(difference) * 1e-9
  }

  /// Nanoseconds from `earlier` to this instant, kept within the representable range.
  package func nanoseconds(since earlier: Instant) -> Int64 {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
    return overflow ? (nanoseconds > earlier.nanoseconds ? .max : .min) : difference
  }

  /// This instant moved back by `nanoseconds`, kept within the representable range.
  package func before(nanoseconds age: Int64) -> Instant {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(age)
    return overflow ? (age > 0 ? .distantPast : .distantFuture) : Instant(nanoseconds: difference)
  }

  /// This instant moved by `seconds`, cut to whole nanoseconds, kept within the representable range.
  @inlinable
  package func advanced(by seconds: Double) -> Instant {
    let nanos = seconds * 1e9
    guard nanos > -9.2e18 else { return .distantPast }
    guard nanos < 9.2e18 else { return .distantFuture }
    let (sum, overflow) = nanoseconds.addingReportingOverflow(Int64(nanos))
    return overflow ? (nanos > 0 ? .distantFuture : .distantPast) : Instant(nanoseconds: sum)
  }
}
