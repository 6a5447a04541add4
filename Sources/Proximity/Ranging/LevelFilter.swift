/// What one adapter hears of one beacon, smoothed: the read-out of a `LevelFilter`.
package struct Level: Hashable, Sendable {
  /// dBm.
  package var mean: Double
  /// dB^2; of the mean, not of single packets.
  package var variance: Double
  /// 0.0001...0.9999: how likely the level is on the move, because the beacon, the gateway or a person is.
  package var probabilityOfMoving: Double

  /// A level in the units of the properties.
  package init(mean: Double, variance: Double, probabilityOfMoving: Double) {
    self.mean = mean
    self.variance = variance
    self.probabilityOfMoving = probabilityOfMoving
  }
}

/// The level of one beacon at one adapter, followed packet by packet by a Kalman filter with two modes.
///
/// In the one mode the level stands still, in the other it drifts; both run, each packet says which fits better
/// (interacting multiple models). Instants are time since boot, running on during outages. Any instants are safe: one
/// older than the newest so far counts as the newest. Method and constants: docs/ranging.md, section 2.
package struct LevelFilter: Sendable {
  private var still = Mode()
  private var moving = Mode()
  /// Of the mode "moving"; 0 until the first packet, and kept from 0 ever after.
  private var probability = 0.0
  private var newest = Instant.distantPast

  /// A filter that has heard nothing.
  package init() {}

  /// Whether a packet with this RSSI (dBm) is evidence of the level; 127 is the controller's "not available", and
  /// values from 20 up or below -120 are no radio's.
  package static func accepts(rssi: Int8) -> Bool { accepts(dBm: Double(rssi)) }

  static func accepts(dBm level: Double) -> Bool { level >= -120 && level < 20 }

  /// Takes in a packet heard at `instant` with `rssi` dBm; one that is not accepted changes nothing.
  package mutating func update(rssi: Int8, at instant: Instant) {
    update(dBm: Double(rssi), at: instant)
  }

  /// As `update(rssi:at:)`, for receivers that give fractions of a dB.
  package mutating func update(dBm level: Double, at instant: Instant) {
    guard Self.accepts(dBm: level) else { return }
    guard probability > 0 else {
      still = Mode(mean: level, variance: firstVariance)
      moving = still
      probability = 0.5
      newest = instant
      return
    }
    let elapsed = max(instant.seconds(since: newest), 0)
    newest = max(newest, instant)

    // Packets close together share their fading: each counts less, and says less about the mode.
    let spacing = max(elapsed, shortestSpacing)
    let noise = packetVariance * max(1, coherenceTime / spacing)
    let weight = min(1, spacing / coherenceTime)

    // How much of each mode's probability comes from where.
    let change = 1 - Double.exp(-(startRate + stopRate) * elapsed)
    let starts = startRate / (startRate + stopRate) * change
    let stops = stopRate / (startRate + stopRate) * change
    let stayedStill = (1 - probability) * (1 - starts)
    let started = (1 - probability) * starts
    let stopped = probability * stops
    let stayedMoving = probability * (1 - stops)
    var nowStill = Mode(mixing: still, stayedStill, moving, stopped)
    var nowMoving = Mode(mixing: still, started, moving, stayedMoving)
    nowStill.variance += driftAtRest * elapsed
    nowMoving.variance += driftInMotion * elapsed
    let againstStill = nowStill.correct(towards: level, noise: noise)
    let againstMoving = nowMoving.correct(towards: level, noise: noise)
    still = nowStill
    moving = nowMoving

    // Only the ratio of the two likelihoods matters: one ln and one exp do for both.
    let evidence = Double.exp(-0.5 * weight * Double.ln(againstMoving / againstStill))
    let forMoving = (started + stayedMoving) * evidence
    let share = forMoving / (stayedStill + stopped + forMoving)
    probability = min(max(share, leastProbability), 1 - leastProbability)
  }

  /// The level at `instant` from the packets so far; nil before the first. Later instants are less sure.
  package func level(at instant: Instant) -> Level? {
    guard probability > 0 else { return nil }
    let elapsed = max(instant.seconds(since: newest), 0)
    var nowStill = still
    var nowMoving = moving
    nowStill.variance += driftAtRest * elapsed
    nowMoving.variance += driftInMotion * elapsed
    let mix = Mode(mixing: nowStill, 1 - probability, nowMoving, probability)
    return Level(mean: mix.mean, variance: mix.variance, probabilityOfMoving: probability)
  }
}

/// What one mode takes the level for.
private struct Mode {
  var mean = 0.0
  var variance = 0.0

  init() {}

  init(mean: Double, variance: Double) {
    self.mean = mean
    self.variance = variance
  }

  /// Two modes by their probabilities, which need not sum to 1.
  init(mixing a: Mode, _ shareOfA: Double, _ b: Mode, _ shareOfB: Double) {
    let whole = 1 / (shareOfA + shareOfB)
    mean = (shareOfA * a.mean + shareOfB * b.mean) * whole
    let offA = a.mean - mean
    let offB = b.mean - mean
    variance = (shareOfA * (a.variance + offA * offA) + shareOfB * (b.variance + offB * offB)) * whole
  }

  /// Takes in a packet; gives 1 / likelihood^2 of it, but for a factor.
  mutating func correct(towards level: Double, noise: Double) -> Double {
    // A packet far off is believed less (Student's t), so one stray reading moves little.
    let surprise = level - mean
    let spread = variance + noise
    let tail = degreesOfFreedom + surprise * surprise / spread
    let distrust = max(tail * (1 / (degreesOfFreedom + 1)), 1)
    let gain = variance / (variance + noise * distrust)
    mean += gain * surprise
    variance *= 1 - gain
    let square = tail * tail
    return spread * (square * square * square * tail)
  }
}

// Chosen by measurement on nine data sets: docs/ranging.md, section 2.

// dB^2 per second that the level may wander: hardly at all, or as it does on a walk.
private let driftAtRest = 0.02
private let driftInMotion = 15.0
/// dB^2: fading and the three advertising channels scatter single packets by some 5.5 dB.
private let packetVariance = 30.0
/// Seconds over which fading is alike: packets closer than this are not independent.
private let coherenceTime = 0.5
/// Seconds; bounds the noise of packets with (nearly) one time stamp at 25 times the ordinary.
private let shortestSpacing = 0.02
/// dB^2: after one packet the level is known as well as one packet is.
private let firstVariance = 30.0
/// Of the t distribution: 6 fits the tails of RSSI, where a normal distribution would follow every outlier.
private let degreesOfFreedom = 6.0
/// Per second: a thing at rest starts to move about every 30 s ...
private let startRate = 0.03
/// ... and moves for about 3 s.
private let stopRate = 0.3
/// Keeps either mode able to come back.
private let leastProbability = 1e-4
