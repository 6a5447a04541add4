/// What decides how long a silence may last.
package struct PresenceSettings: Hashable, Sendable {
  /// dBm at which this gateway's radio hears half of the packets: beacons near it lose many, and get more time.
  package var sensitivity: Double
  /// Seconds of silence to an exit; nil lets the beacon's rhythm decide. Beacons slower than one packet a minute need it.
  package var exitAfter: Double?
  /// One packet is enough to enter, also right after an exit.
  package var entersOnFirstPacket: Bool

  /// Settings in the units of the properties; the defaults are the daemon's.
  package init(sensitivity: Double = -94, exitAfter: Double? = nil, entersOnFirstPacket: Bool = false) {
    self.sensitivity = sensitivity
    self.exitAfter = exitAfter
    self.entersOnFirstPacket = entersOnFirstPacket
  }
}

/// The silences that mean something.
package struct SilenceTimeOuts: Hashable, Sendable {
  /// Seconds after which the distance is unknown; never above `exit`.
  package var unknown: Double
  /// Seconds after which the beacon has left: 5...900 unless set.
  package var exit: Double

  /// Time-outs in seconds.
  package init(unknown: Double, exit: Double) {
    self.unknown = unknown
    self.exit = exit
  }
}

/// What was learned of how a beacon sends: what a silence clock knows apart from instants.
package struct Rhythm: Hashable, Sendable {
  /// Gaps between packets so far, counted up to 64: beyond that nothing depends on it.
  package fileprivate(set) var gaps = 0
  /// Seconds, a running mean; 0 until the second packet.
  package fileprivate(set) var meanGap = 0.0
  /// dBm, over minutes: the level to expect, not the level now.
  package fileprivate(set) var longTermLevel = levelOfUnheard
  /// How many packets `longTermLevel` is worth; old ones fade.
  package fileprivate(set) var levelWeight = 0.0

  /// The rhythm of a beacon of which nothing was heard.
  package init() {}

  /// A rhythm that was saved; nil if no beacon has it.
  package init?(gaps: Int, meanGap: Double, longTermLevel: Double, levelWeight: Double) {
    guard (0...gapsOfMemory).contains(gaps), meanGap >= 0, meanGap < .infinity, (-128...127).contains(longTermLevel),
      levelWeight >= 0, levelWeight < .infinity
    else { return nil }
    self.gaps = gaps
    self.meanGap = meanGap
    self.longTermLevel = longTermLevel
    self.levelWeight = levelWeight
  }
}

/// The rhythm of one beacon: how often it is heard, how strongly in the long run, and so how much silence is too much.
///
/// It survives an exit. Instants are on the beacon's silence clock, which stands still while the scanner is down; one
/// older than the newest so far counts as the newest. Method and constants: docs/ranging.md, section 5.
package struct SilenceClock: Sendable {
  package private(set) var rhythm: Rhythm
  /// The newest packet; nil before the first.
  package private(set) var lastHeard: Instant?

  /// The clock of a beacon of which nothing was heard, or of one whose rhythm is known and which was heard last at
  /// `lastHeard`.
  package init(_ rhythm: Rhythm = Rhythm(), lastHeard: Instant? = nil) {
    self.rhythm = rhythm
    self.lastHeard = lastHeard
  }

  package var gaps: Int { rhythm.gaps }
  package var meanGap: Double { rhythm.meanGap }
  package var longTermLevel: Double { rhythm.longTermLevel }

  /// Takes in a packet heard at `instant` with `rssi` dBm; one without a usable RSSI counts for the rhythm alone.
  package mutating func heard(rssi: Int8, at instant: Instant) {
    var gap = 0.0
    if let lastHeard {
      gap = max(instant.seconds(since: lastHeard), 0)
      // One absence is not the beacon's rhythm, once that is known.
      let counted = gaps + 1 < gapsToKnowRhythm ? gap : min(gap, longestCountedGap * meanGap)
      rhythm.gaps = min(gaps + 1, gapsOfMemory)
      rhythm.meanGap += (counted - meanGap) / Double(gaps)
    }
    lastHeard = max(lastHeard ?? instant, instant)

    guard LevelFilter.accepts(rssi: rssi) else { return }
    rhythm.levelWeight = rhythm.levelWeight * .exp(-gap / levelMemory) + 1
    rhythm.longTermLevel += (Double(rssi) - longTermLevel) / rhythm.levelWeight
  }

  /// The time-outs from the newest packet on; ask anew after each packet.
  package func timeOuts(_ settings: PresenceSettings) -> SilenceTimeOuts {
    guard gaps >= gapsToKnowRhythm else {
      let exit = settings.exitAfter ?? exitOfStranger
      return SilenceTimeOuts(unknown: min(unknownOfStranger, exit), exit: exit)
    }
    let alpha = Double(min(gaps, mostEvidence))
    let exit = settings.exitAfter ?? learnedExit(alpha: alpha, sensitivity: settings.sensitivity)
    let quiet = alpha * meanGap * (.exp(lnOfUnknownOdds / alpha) - 1)
    let unknown = min(max(quiet, shortestUnknown), max(longestUnknown, 2 * meanGap), exit)
    return SilenceTimeOuts(unknown: unknown, exit: exit)
  }

  /// Seconds: no learned exit comes after a shorter silence, whatever the other settings. Costs next to nothing.
  package var leastExit: Double {
    gaps < gapsToKnowRhythm ? exitOfStranger : min(max(leastExitInGaps * meanGap, shortestExit), longestExit)
  }

  private func learnedExit(alpha: Double, sensitivity: Double) -> Double {
    // All packets at one instant: no silence is long for such a beacon, and the formula would be 0 times infinity.
    let rhythm =
      meanGap > 0
      ? alpha * meanGap * (.exp(-.ln(falseExitsPerDay * meanGap / secondsPerDay) / alpha) - 1)
      : 0
    let weakness = (comfortableMargin - (longTermLevel - sensitivity)) / comfortableMargin
    let extra = extraForWeak * min(max(weakness, 0), 1)
    return min(max(rhythm, shortestExit + extra), longestExit)
  }
}

/// Packets needed less one, before the rhythm counts as known.
let gapsToKnowRhythm = 4
/// Gaps the running mean looks back on: a changed interval is learned in a minute or two of a 1 s beacon.
private let gapsOfMemory = 64
/// Times the mean gap; longer gaps are absences and count as this.
private let longestCountedGap = 12.0
/// dBm: a beacon never heard with an RSSI is taken for one at the end of the range.
private let levelOfUnheard = -94.0
/// Seconds: levels of two minutes ago count a third.
private let levelMemory = 120.0

// Gaps of a lossy beacon scatter exponentially with an uncertain mean, so the gap that is exceeded with a probability p
// is alpha mu (p^(-1/alpha) - 1): a Lomax distribution, exponential in the end.

/// Gaps that count as evidence of the mean: more would trust a mean that drifts.
private let mostEvidence = 24
/// A silence exceeded so often by chance costs a false exit; one in ten days is the aim.
private let falseExitsPerDay = 0.1
private let secondsPerDay = 86_400.0
/// `learnedExit` is the shortest for most evidence; there it is 11.3 gaps or more for mean gaps up to 81.8 s, from where
/// on 11 gaps are beyond the longest exit.
private let leastExitInGaps = 11.0
/// ln 1000: a distance goes unknown when only one gap in a thousand is as long.
private let lnOfUnknownOdds = Double.ln(1000)

/// Seconds; a controller may pause as long for its own business.
private let shortestExit = 5.0
/// Seconds; a quarter of an hour is the longest anyone waits for an exit, unless it is set.
private let longestExit = 900.0
/// Seconds, for a beacon at the end of the range: a person in the way silences it.
private let extraForWeak = 60.0
/// dB above the sensitivity from which on a beacon gets no extra time.
private let comfortableMargin = 25.0
/// Seconds, while the rhythm is not known.
private let exitOfStranger = 180.0
private let unknownOfStranger = 15.0
/// Seconds: a value is not taken back within three ranging intervals, and not shown for longer than a minute ...
private let shortestUnknown = 3.0
/// ... but for beacons slower than that.
private let longestUnknown = 60.0
