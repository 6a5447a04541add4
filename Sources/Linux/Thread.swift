import CLinux
import Glibc

/// A thread of the kernel's, for what blocks.
package enum Thread {
  /// Runs `body` on a thread of its own, which ends with it and is never joined.
  ///
  /// Signals are blocked there as they are in the caller. Of `name` tools show 15 octets.
  package static func detach(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    var thread = pthread_t()
    // The error number is the result.
    let number = pthread_create(&thread, nil, run, start.toOpaque())
    guard number == 0 else {
      start.release()
      throw SystemError("cannot start a thread", number: number)
    }
    pthread_detach(thread)
  }

  /// What a thread begins with. A class, since C carries one pointer.
  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
    guard let pointer else { return nil }
    let start = Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
    linux_name_thread(String(start.name.prefix(15)))
    start.body()
    return nil
  }
}
