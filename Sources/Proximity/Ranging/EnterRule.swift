/// When a beacon that was not there has come: one state per region and beacon.
///
/// Two packets close together, or one strong one; right after an exit by silence three, for a beacon at the end of the
/// range would flap otherwise. Instants are on the beacon's silence clock. See docs/ranging.md, section 5.
package struct EnterRule: Sendable {
  // Of the packets since the last exit by silence: how many (up to 2), and when the last ones came.
  private var count = 0
  private var last = Instant.distantPast
  private var lastButOne = Instant.distantPast
  private var exit: Instant?

  /// A beacon of which nothing was heard.
  package init() {}

  /// Takes in a packet; true if by this one the beacon is there.
  ///
  /// `clock` is the beacon's as it was before this packet. A packet without a usable RSSI counts, but is never strong.
  package mutating func heard(
    rssi: Int8, at instant: Instant, before clock: SilenceClock, _ settings: PresenceSettings
  ) -> Bool {
    let now = count > 0 ? max(instant, last) : instant
    defer {
      lastButOne = last
      last = now
      count = min(count + 1, 2)
    }
    if settings.entersOnFirstPacket { return true }
    if let exit, now.seconds(since: exit) < wariness {
      return count == 2 && now.seconds(since: lastButOne) <= max(shortestWaryWindow, windowInGaps * clock.meanGap)
    }
    if LevelFilter.accepts(rssi: rssi), Double(rssi) > settings.sensitivity + strongMargin { return true }
    // The gap that this packet ends counts: with it the rhythm may just have become known.
    let knowsRhythm = clock.lastHeard != nil && clock.gaps + 1 >= gapsToKnowRhythm
    let window = knowsRhythm ? max(shortestWindow, windowInGaps * clock.meanGap) : windowOfStranger
    return count > 0 && now.seconds(since: last) <= window
  }

  /// How long ago, in nanoseconds, the exit was that makes entering harder still; nil where none does.
  package func recentExit(at instant: Instant) -> Int64? {
    guard let exit, instant.seconds(since: exit) < wariness else { return nil }
    return instant.nanoseconds(since: exit)
  }

  /// Notes an exit by silence: packets before it count no more, and for a minute three are asked for.
  package mutating func exited(at instant: Instant) {
    count = 0
    exit = instant
  }
}

/// Seconds after an exit by silence in which entering is harder.
private let wariness = 60.0
/// dB above the sensitivity: one packet as strong is no chance reception from the end of the range.
private let strongMargin = 20.0
/// Times the mean gap, in which two (or three) packets have to come: four of five may get lost.
private let windowInGaps = 5.0
/// Seconds, for beacons so fast that five gaps are no time.
private let shortestWindow = 3.0
private let shortestWaryWindow = 10.0
/// Seconds, while the rhythm is not known: a beacon every 30 s is let in with its second packet.
private let windowOfStranger = 40.0
