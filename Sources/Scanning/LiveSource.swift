import BluetoothLE
import Linux
import Proximity

/// An adapter as its source knows it; its number is its place among them, which it keeps when it is unplugged.
package struct LiveAdapter: Hashable, Sendable {
  /// More than a gateway has.
  package static let most = 64

  package var address: DeviceAddress
  /// The kernel's: N of hciN. Nil while it is not there.
  package var index: UInt16?
  package var isPowered: Bool

  package init(_ address: DeviceAddress, index: UInt16?, isPowered: Bool) {
    self.address = address
    self.index = index
    self.isPowered = isPowered
  }
}

/// What has happened to an adapter since the start.
package struct AdapterCounters: Hashable, Sendable {
  /// Packets with advertising reports.
  package var reports: UInt64 = 0
  package var lastReport: Instant?
  /// Packets that found no room in the socket's buffer.
  package var dropped: UInt64 = 0
  /// Times that it was powered off and on, or reset, by us.
  package var resets = 0

  package init() {}
}

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

  /// Waits until it is known what adapters there are, or nanoseconds have passed.
  func settle(within time: Int64)

  /// The adapters that were met, those that have gone among them.
  var liveAdapters: [LiveAdapter] { get }

  func counters(of adapter: Int) -> AdapterCounters

  /// Leaves all adapters as they were found, in at most a second.
  func end(_ tell: (RadioEvent) -> Void)
}

extension LiveSource {
  /// Waits for what cannot wait, for the descriptor `number`, or until `deadline`; for reports no more than from `rest` on:
  /// they gather in the kernel, which has their times.
  package func wait(orFor number: Int32, until deadline: Int64, reportsFrom rest: Int64) {
    if BootClock.now < rest, deadline > BootClock.now {
      if Wakeup.poll([number] + descriptors(withReports: false), until: min(rest, deadline)) { return }
    }
    if deadline > BootClock.now { _ = Wakeup.poll([number] + descriptors(withReports: true), until: deadline) }
  }
}

/// Hears nothing, since nobody wants it.
package final class NoSource: LiveSource {
  package init() {}

  package func descriptors(withReports: Bool) -> [Int32] { [] }
  package var nextDeadline: Instant? { nil }
  package func read(at now: Instant, offset: Int64, into heard: inout HeardPackets, _ tell: (RadioEvent) -> Void) {}
  package func askForProof(_ adapter: Int, at now: Instant, _ tell: (RadioEvent) -> Void) {}
  package var restriction: String? { nil }
  package func settle(within time: Int64) {}
  package var liveAdapters: [LiveAdapter] { [] }
  package func counters(of adapter: Int) -> AdapterCounters { AdapterCounters() }
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

  package func settle(within time: Int64) {
    let deadline = BootClock.now + time
    // Nobody asks for reports yet.
    var heard = HeardPackets()
    while !isReady, BootClock.now < deadline {
      _ = Wakeup.poll([descriptor], until: min(deadline, dueTime ?? deadline))
      exchange(at: BootClock.now, into: &heard)
    }
  }

  package var liveAdapters: [LiveAdapter] { adapters.map { $0.asLiveAdapter } }

  package func counters(of adapter: Int) -> AdapterCounters { adapters[adapter].counters }

  package func end(_ tell: (RadioEvent) -> Void) { stop() }
}
