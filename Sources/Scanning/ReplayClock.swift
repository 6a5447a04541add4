import BluetoothLE
import Proximity

/// Turns the times of a recording into instants that never step back, and tells when the recording's clock did.
package struct ReplayClock: Sendable {
  /// A packet's place in time.
  package struct Reading: Sendable {
    package let instant: Instant
    /// The recording's clock has stepped: what it reads at `instant` now.
    package let step: UnixTime?
  }

  /// Smaller steps back are packets that were written out of order, not a clock that was set, in nanoseconds.
  private static let smallestStep: Int64 = 100_000_000

  private var last: Instant?
  private var offset: Int64 = 0

  package init() {}

  /// The instant of a packet of `time`: the recording's own time, until that steps back.
  package mutating func read(_ time: UnixTime) -> Reading {
    let (sum, overflow) = time.nanoseconds.subtractingReportingOverflow(offset)
    let instant = Instant(nanoseconds: overflow ? (offset < 0 ? .max : .min) : sum)
    guard let last, instant < last else {
      self.last = instant
      return Reading(instant: instant, step: nil)
    }
    let (back, isFar) = last.nanoseconds.subtractingReportingOverflow(instant.nanoseconds)
    guard isFar || back > Self.smallestStep else { return Reading(instant: last, step: nil) }
    offset = time.nanoseconds.subtractingReportingOverflow(last.nanoseconds).partialValue
    return Reading(instant: last, step: time)
  }
}
