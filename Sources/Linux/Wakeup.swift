import CLinux
import Glibc

/// Wakes a thread that waits; signals that nobody waits for are kept as one.
package struct Wakeup: ~Copyable, Sendable {
  private let descriptor: FileDescriptor

  package init() throws(SystemError) {
    descriptor = FileDescriptor(try FileDescriptor.call("cannot make an event descriptor") { linux_eventfd() })
  }

  /// The number to poll for reading.
  package var number: Int32 { descriptor.number }

  package func signal() {
    var one: UInt64 = 1
    // It fails only where 2^64 - 2 signals wait already.
    _ = write(number, &one, 8)
  }

  /// Waits for a signal, or until the boot clock reads `deadline`; says whether there was one.
  @discardableResult
  package func wait(until deadline: Int64? = nil) -> Bool {
    guard Self.poll([number], until: deadline) else { return false }
    return take()
  }

  /// Takes the signals that wait.
  @discardableResult
  package func take() -> Bool {
    var count: UInt64 = 0
    return read(number, &count, 8) == 8
  }

  /// Waits until one of the descriptors can be read, or the boot clock reads `deadline`; says whether one can.
  package static func poll(_ numbers: [Int32], until deadline: Int64?) -> Bool {
    var descriptors = numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while true {
      let rest = deadline.map { milliseconds(until: $0) } ?? -1
      let ready = Glibc.poll(&descriptors, nfds_t(descriptors.count), rest)
      if ready > 0 { return true }
      if ready == 0, let deadline, BootClock.now >= deadline { return false }
      // A failure of another kind than a signal is the caller's mistake, and no reason to spin.
      if ready < 0, errno != EINTR { return false }
    }
  }

  /// Rounded up, or the last millisecond would be a spin; at most a day, for a count that C holds.
  private static func milliseconds(until deadline: Int64) -> Int32 {
    let now = BootClock.now
    return deadline <= now ? 0 : Int32(min((deadline - now - 1) / 1_000_000 + 1, 86_400_000))
  }
}
