import Linux
import Proximity

/// What hears the air. One thread: wait for its descriptors or its deadline, then `read`.
package protocol LiveSource: AnyObject {
  /// What to wait for. Reports may be left alone for a while: they stay where they are, with their times.
  func descriptors(withReports: Bool) -> [Int32]

  /// When `read` must be called though nothing came.
  var nextDeadline: Instant? { get }

  /// Takes what has happened up to `now`, by the boot clock; `offset` is from it to UTC, in nanoseconds.
  func read(at now: Instant, offset: Int64, into heard: inout HeardPackets, _ tell: (RadioEvent) -> Void)

  /// Asks an adapter for proof that it delivers.
  func askForProof(_ adapter: Int, at now: Instant, _ tell: (RadioEvent) -> Void)

  /// What stands against hearing anything at all, in words a person can act on; nil where nothing does.
  var restriction: String? { get }

  /// Leaves all adapters as they were found, in at most a second.
  func end(_ tell: (RadioEvent) -> Void)
}

/// Hears nothing, since nobody wants it.
package final class NoSource: LiveSource {
  package init() {}

  package func descriptors(withReports: Bool) -> [Int32] { [] }
  package var nextDeadline: Instant? { nil }
  package func read(at now: Instant, offset: Int64, into heard: inout HeardPackets, _ tell: (RadioEvent) -> Void) {}
  package func askForProof(_ adapter: Int, at now: Instant, _ tell: (RadioEvent) -> Void) {}
  package var restriction: String? { nil }
  package func end(_ tell: (RadioEvent) -> Void) {}
}

extension BlueZSource: LiveSource {
  package func descriptors(withReports: Bool) -> [Int32] { [descriptor] }

  package var nextDeadline: Instant? { dueTime.map { Instant(nanoseconds: $0) } }

  package func read(
    at now: Instant, offset: Int64, into heard: inout HeardPackets, _ tell: (RadioEvent) -> Void
  ) {
    read(at: now.nanoseconds, into: &heard, tell)
  }

  package func askForProof(_ adapter: Int, at now: Instant, _ tell: (RadioEvent) -> Void) {
    askForProof(adapter, at: now.nanoseconds)
  }

  package func end(_ tell: (RadioEvent) -> Void) { stop() }
}
