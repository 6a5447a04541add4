import BluetoothLE
import Linux

extension LogStore {
  /// An hour: what is too old may wait that long.
  static let capInterval: Int64 = 3_600_000_000_000

  /// Takes note that the wall clock was set by so many nanoseconds, before the event with this number.
  ///
  /// What was written before a step forward looks older than it is, by the step. A step back makes it look younger, which
  /// removes nothing.
  package func clockStepped(by nanoseconds: Int64, before sequence: UInt64) {
    guard nanoseconds > 0 else { return }
    steps.append((sequence, nanoseconds))
    // Where a clock is set again and again, the earliest steps count for more than was before them: so more is kept.
    if steps.count > 64 {
      let (_, earliest) = steps.removeFirst()
      steps[0].nanoseconds = steps[0].nanoseconds.addingReportingOverflow(earliest).partialValue
    }
  }

  /// Removes segments beyond the caps.
  package func removeOld() throws(LogFailure) {
    guard let log else { return }
    do throws(SystemError) {
      try removeOld(from: log, makingRoom: 0)
    } catch {
      throw .system(error)
    }
  }

  /// Removes whole segments, the oldest first, until all together with one of `room` octets fit, and none is too old.
  func removeOld(from log: OpenLog, makingRoom room: Int64) throws(SystemError) {
    var size = (log.open?.size ?? 0) + room
    for segment in log.whole { size += segment.size }
    while let oldest = log.whole.first, size > settings.maxSize || isTooOld(log) {
      do throws(SystemError) {
        try disk.remove(SegmentName.text(oldest.number), in: log.folder)
      } catch {
        guard error.isNoSuchFile else { throw error }
      }
      size -= oldest.size
      log.whole.removeFirst()
    }
  }

  /// Whether the oldest segment is: all its lines are no younger than the line that begins the next one.
  ///
  /// Only a clock that is kept right can say so, of a line that such a clock has stamped. It is asked through the newest
  /// line, before which its steps are known.
  private func isTooOld(_ log: OpenLog) -> Bool {
    let second = log.whole.count > 1 ? log.whole[1].first : log.open?.first
    guard let second, second.isSynchronized, let newest, newest.line.isSynchronized else { return false }
    let elapsed = max(bootClock().subtractingReportingOverflow(newest.sinceBoot).partialValue, 0)
    let (now, isFar) = newest.line.time.nanoseconds.addingReportingOverflow(elapsed)
    var (age, overflow) = now.subtractingReportingOverflow(second.time.nanoseconds)
    if isFar || overflow { return false }
    for step in steps where step.before > second.sequence && step.before <= newest.line.sequence {
      age = age.subtractingReportingOverflow(step.nanoseconds).partialValue
    }
    return age > settings.maxAge.nanoseconds
  }
}
