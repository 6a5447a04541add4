import CLinux
import Glibc

/// The clock that shows the time of day, and that people and time servers set.
package enum WallClock {
  /// Nanoseconds since 1970-01-01T00:00:00Z.
  package static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Whether a time server or another source keeps it right, as far as the kernel knows.
  package static var isSynchronized: Bool { linux_clock_is_synchronized() != 0 }
}
