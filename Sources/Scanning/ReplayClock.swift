import BluetoothLE
import Proximity

/// Turns the times of a recording into instants that never step back, and tells when the recording's clock did.
package struct ReplayClock: Sendable {
  /// A packet's place in time.
  package struct Reading: Sendable {
    package let instant: Instant
    /// As the recording has it.
    package let time: UnixTime
    /// The recording's clock has stepped: what it reads at `instant` now.
    package let step: UnixTime?
  }

  /// Smaller steps back are packets that were written out of order, not a clock that was set, in nanoseconds.
  private static let smallestStep: Int64 = 100_000_000

  /// Nanoseconds between the packets of a capture without times.
  private let interval: Int64?
  private var last: Instant?
  private var offset: Int64 = 0

  /// `interval` is the time in seconds from packet to packet in captures without times.
  package init(interval: Double? = nil) {
    self.interval = interval.map { Int64(min(max($0, 0), 1e6) * 1e9) }
  }

  /// As for the packet's time; nil where it has none and no interval is given.
  package mutating func read(_ packet: CapturedPacket) -> Reading? {
    if let time = packet.time { return read(time) }
    guard let interval else { return nil }
    let (product, overflow) = Int64(clamping: packet.record - 1).multipliedReportingOverflow(by: interval)
    return read(UnixTime(nanoseconds: overflow ? .max : product))
  }

  /// The instant of a packet of `time`: the recording's own time, until that steps back.
  package mutating func read(_ time: UnixTime) -> Reading {
    let (sum, overflow) = time.nanoseconds.subtractingReportingOverflow(offset)
    let instant = Instant(nanoseconds: overflow ? (offset < 0 ? .max : .min) : sum)
    guard let last, instant < last else {
      self.last = instant
      return Reading(instant: instant, time: time, step: nil)
    }
    let (back, isFar) = last.nanoseconds.subtractingReportingOverflow(instant.nanoseconds)
    guard isFar || back > Self.smallestStep else { return Reading(instant: last, time: time, step: nil) }
    offset = time.nanoseconds.subtractingReportingOverflow(last.nanoseconds).partialValue
    return Reading(instant: last, time: time, step: time)
  }
}
