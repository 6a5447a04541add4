import Glibc

/// What a process is asked by a signal.
package enum Signal: Hashable, Sendable {
  /// SIGTERM or SIGINT.
  case terminate
  /// SIGHUP.
  case reload
}

/// The signals that a daemon answers, taken one by one where it waits anyway.
package struct SignalSet: Sendable {
  private static let numbers = [SIGTERM, SIGINT, SIGHUP]

  private var set = sigset_t()

  /// Keeps the signals back from now on; threads that are started later do the same.
  package init() {
    sigemptyset(&set)
    for number in Self.numbers { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // A reader that goes away is an error of the next write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Waits for a signal until the boot clock reads `deadline`; nil if none came.
  package func wait(until deadline: Int64) -> Signal? {
    var set = set
    while true {
      let left = max(deadline.subtractingReportingOverflow(BootClock.now).partialValue, 0)
      // In pieces: a machine that slept must not be waited for once more.
      let piece = min(left, 1_000_000_000)
      var time = timespec(tv_sec: Int(piece / 1_000_000_000), tv_nsec: Int(piece % 1_000_000_000))
      switch sigtimedwait(&set, nil, &time) {
      case SIGTERM, SIGINT: return .terminate
      case SIGHUP: return .reload
      default: if left == piece, BootClock.now >= deadline { return nil }
      }
    }
  }
}
