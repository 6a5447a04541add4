import BluetoothLE
import Linux
import Proximity

/// What the daemon keeps for its next start: the engine's state, when that was, and how far the log was then.
///
/// The log's events from there on are part of it: a state file need not be written for each of them.
package struct SavedState: Hashable, Sendable {
  /// A region with what it was defined as, so that a change can be told.
  package struct Definition: Hashable, Sendable {
    /// In one line of the configuration's syntax.
    package var text: String
    /// It was added while the daemon ran, and is in no file.
    package var isAdded: Bool

    package init(_ text: String, isAdded: Bool = false) {
      self.text = text
      self.isAdded = isAdded
    }
  }

  package var moment: Moment
  /// The `seq` of the last event before it.
  package var sequence: UInt64
  /// The daemon ended with it: nothing has happened since.
  package var isFinal: Bool
  /// By region id.
  package var definitions: [String: Definition]
  package var engine: EngineState

  package init(
    _ engine: EngineState, at moment: Moment, after sequence: UInt64, isFinal: Bool,
    definitions: [String: Definition] = [:]
  ) {
    self.engine = engine
    self.moment = moment
    self.sequence = sequence
    self.isFinal = isFinal
    self.definitions = definitions
  }
}

/// A time on every clock that a later start may know.
package struct Moment: Hashable, Sendable {
  package var utc: UnixTime
  /// The wall clock was set by somebody who knew.
  package var isSynchronized: Bool
  /// Which boot of which machine; empty in replay.
  package var boot: String
  /// Nanoseconds since that boot.
  package var sinceBoot: Int64

  package init(utc: UnixTime, isSynchronized: Bool = true, boot: String = "", sinceBoot: Int64 = 0) {
    self.utc = utc
    self.isSynchronized = isSynchronized
    self.boot = boot
    self.sinceBoot = sinceBoot
  }

  /// Nanoseconds from `earlier` to this; 0 where no clock tells.
  package func nanoseconds(since earlier: Moment) -> Int64 {
    let isSameBoot = !boot.isEmpty && boot == earlier.boot
    guard isSameBoot || isSynchronized && earlier.isSynchronized else { return 0 }
    let (now, then) = isSameBoot ? (sinceBoot, earlier.sinceBoot) : (utc.nanoseconds, earlier.utc.nanoseconds)
    let (difference, overflow) = now.subtractingReportingOverflow(then)
    return overflow ? 0 : max(difference, 0)
  }
}
