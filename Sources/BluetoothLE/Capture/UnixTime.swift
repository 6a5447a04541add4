/// Time of a captured packet: nanoseconds since 1970-01-01T00:00:00Z, negative before. Saturates.
package struct UnixTime: Hashable, Comparable, Sendable {
  package let nanoseconds: Int64

  @inlinable
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  package init(microseconds: Int64) {
    let (product, overflow) = microseconds.multipliedReportingOverflow(by: 1000)
    nanoseconds = overflow ? (microseconds < 0 ? .min : .max) : product
  }

  /// `fraction` nanoseconds after `seconds`.
  package init(seconds: Int64, fraction: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowSum) = product.addingReportingOverflow(fraction)
    nanoseconds = overflow || overflowSum ? (seconds < 0 ? .min : .max) : sum
  }

  package static func < (a: UnixTime, b: UnixTime) -> Bool { a.nanoseconds < b.nanoseconds }

  /// Seconds and microseconds of the magnitude, as tools print the time that they hold as a double: of nanoseconds
  /// that cannot all be shown, the microsecond nearest to the double is given.
  @inlinable
  package var secondsAndMicroseconds: (seconds: UInt64, microseconds: UInt64) {
    let (seconds, nanoseconds) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard nanoseconds % 1000 != 0 else { return (seconds, nanoseconds / 1000) }
    let whole = Double(seconds)
    let fraction = (whole + Double(nanoseconds) / 1e9) - whole
    let microseconds = UInt64(fraction * 1e6 + 0.5)
    return microseconds < 1_000_000 ? (seconds, microseconds) : (seconds + 1, 0)
  }
}
