import Glibc

/// A value that one thread at a time uses.
///
/// As Swift's `Mutex` does, but by the C library's lock: the thread sanitizer does not see Swift's on Linux, and reports a
/// race wherever one is used.
package final class Guarded<Value>: @unchecked Sendable {
  /// In a place of its own, since C wants its address.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Calls `body` when no other thread does. What it returns is all that may leave.
  package func withLock<Result: Sendable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
