import Glibc

/// The clock that runs from boot on, also while the machine sleeps, and is never set.
package enum BootClock {
  /// Nanoseconds since boot.
  package static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Sleeps until the clock reads `deadline`; not at all where that has passed.
  package static func sleep(until deadline: Int64) {
    guard deadline > now else { return }
    var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
    // The error number is the result; after a signal the deadline still holds.
    while clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &time, nil) == EINTR {}
  }
}
