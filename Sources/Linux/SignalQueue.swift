import CLinux
import Glibc

/// What a process is asked by a signal.
package enum Signal: Hashable, Sendable {
  /// SIGTERM or SIGINT.
  case terminate
  /// SIGHUP.
  case reload
  /// SIGUSR1.
  case status
}

/// The signals that a daemon answers, taken one by one where it waits anyway.
package struct SignalQueue: ~Copyable {
  private let descriptor: FileDescriptor

  /// Keeps the signals back from now on; threads that are started later do the same. With `ignoringPipes` a reader that goes
  /// away is an error of the next write, and not the end of the process.
  package init(ignoringPipes: Bool) throws(SystemError) {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP, SIGUSR1] { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    if ignoringPipes { signal(SIGPIPE, SIG_IGN) }
    descriptor = FileDescriptor(
      try FileDescriptor.call("cannot make a signal descriptor") { linux_signalfd(&set) })
  }

  private init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = descriptor
  }

  /// One to which no signal comes.
  package static var silent: SignalQueue { SignalQueue(FileDescriptor(-1, isOwned: false)) }

  /// The number to poll for reading.
  package var number: Int32 { descriptor.number }

  /// The next signal that came; nil where none waits.
  package func next() -> Signal? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(number, &information, size) == size else { return nil }
    return switch information.ssi_signo {
    case UInt32(SIGHUP): .reload
    case UInt32(SIGUSR1): .status
    default: .terminate
    }
  }
}
