import Linux
import Proximity

/// When the machine's clock reads what a recording's does.
struct Pace {
  /// Seconds of the recording in one.
  private let factor: Double
  private var start: (instant: Instant, time: Int64)?

  /// Told from an instant and the nanoseconds since boot then, or from the first instant that it is asked for.
  init(_ factor: Double, from start: (instant: Instant, time: Int64)? = nil) {
    self.factor = factor
    self.start = start
  }

  /// In nanoseconds since boot.
  mutating func time(of instant: Instant) -> Int64 {
    let start = self.start ?? (instant, BootClock.now)
    self.start = start
    let wait = instant.seconds(since: start.instant) / factor * 1e9
    return start.time.addingReportingOverflow(Int64(min(max(wait, 0), 1e18))).partialValue
  }
}

extension Options {
  /// Seconds of the recording in one, as --speed says; nil for no waiting.
  func speed(default standard: Double?) throws(CommandFailure) -> Double? {
    guard let word = value("--speed") else { return standard }
    if word == "max" { return nil }
    guard let factor = Double(word), factor > 0, factor <= 1e6 else {
      throw CommandFailure(.usage, "--speed '\(word)': it is 'max' or a number above 0, as 1 or 200.")
    }
    return factor
  }
}
