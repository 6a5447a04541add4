/// What one adapter hears of one beacon, smoothed: the read-out of a `LevelFilter`.
package struct Level: Hashable, Sendable {
  /// dBm.
  package var mean: Double
  /// dB^2; of the mean, not of single packets.
  package var variance: Double
  /// 0.0001...0.9999: how likely the level is on the move, because the beacon, the gateway or a person is.
  package var probabilityOfMoving: Double

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
  // Lane 0 is the mode "still", lane 1 "moving".
  private var mean = SIMD2<Double>()
  private var variance = SIMD2<Double>()
  /// 0 until the first packet: the clamp keeps it from 0 ever after.
  private var moving = 0.0
  private var newest = Instant.distantPast

  package init() {}

  /// Whether a packet with this RSSI (dBm) is evidence of the level; 127 is the controller's "not available", and
  /// values from 20 up or below -120 are no radio's.
  package static func accepts(rssi: Int8) -> Bool { accepts(dBm: Double(rssi)) }

  /// Takes in a packet heard at `instant` with `rssi` dBm; one that is not accepted changes nothing.
  package mutating func update(rssi: Int8, at instant: Instant) {
    update(dBm: Double(rssi), at: instant)
  }

  /// As `update(rssi:at:)`, for receivers that give fractions of a dB.
  package mutating func update(dBm level: Double, at instant: Instant) {
    guard Self.accepts(dBm: level) else { return }
    guard moving > 0 else {
      mean = .init(repeating: level)
      variance = .init(repeating: firstVariance)
      moving = 0.5
      newest = instant
      return
    }
    let elapsed = max(instant.seconds(since: newest), 0)
    newest = max(newest, instant)

    // Packets close together share their fading: each counts less, and says less about the mode.
    let spacing = max(elapsed, shortestSpacing)
    let noise = packetVariance * max(1, coherenceTime / spacing)
    let weight = min(1, spacing / coherenceTime)

    // Mix: where each mode's mass comes from.
    let decay = Double.exp(-(startRate + stopRate) * elapsed)
    let movingAtRest = startRate / (startRate + stopRate)
    let startsMoving = movingAtRest * (1 - decay)
    let stopsMoving = (1 - movingAtRest) * (1 - decay)
    let mass = (1 - moving) * SIMD2(1 - startsMoving, startsMoving)
    let massOfMoving = moving * SIMD2(stopsMoving, 1 - stopsMoving)
    let prior = mass + massOfMoving
    let fromStill = mass / prior
    let fromMoving = massOfMoving / prior
    let mixed = fromStill * mean[0] + fromMoving * mean[1]
    let leftOfStill = mean[0] - mixed
    let leftOfMoving = mean[1] - mixed
    let mixedVariance =
      fromStill * (variance[0] + leftOfStill * leftOfStill)
      + fromMoving * (variance[1] + leftOfMoving * leftOfMoving)

    // Correct: a packet far off is believed less (Student's t), so one stray reading moves little.
    let predicted = mixedVariance + drift * elapsed
    let surprise = level - mixed
    let spread = predicted + noise
    let tail = degreesOfFreedom + surprise * surprise / spread
    let distrust = pointwiseMax(tail / (degreesOfFreedom + 1), .one)
    let gain = predicted / (predicted + noise * distrust)
    mean = mixed + gain * surprise
    variance = (1 - gain) * predicted

    // Judge: the ratio of the two likelihoods is all that matters, so one ln and one exp do for both.
    let square = tail * tail
    let unlikelihood = spread * (square * square * square * tail)
    let evidence = Double.exp(-0.5 * weight * Double.ln(unlikelihood[1] / unlikelihood[0]))
    let ratio = prior[1] * evidence
    moving = min(max(ratio / (prior[0] + ratio), leastProbability), 1 - leastProbability)
  }

  private static func accepts(dBm level: Double) -> Bool { level >= -120 && level < 20 }

  /// The level at `instant` from the packets so far; nil before the first. Later instants are less sure.
  package func level(at instant: Instant) -> Level? {
    guard moving > 0 else { return nil }
    let elapsed = max(instant.seconds(since: newest), 0)
    let share = SIMD2(1 - moving, moving)
    let center = (share * mean).sum()
    let left = mean - center
    let spread = (share * (variance + drift * elapsed + left * left)).sum()
    return Level(mean: center, variance: spread, probabilityOfMoving: moving)
  }
}

// Chosen by measurement on nine data sets: docs/ranging.md, section 2.

/// dB^2 per second that the level may wander: people pass a beacon that stands still; 15 is a walk.
private let drift = SIMD2(0.02, 15)
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

extension SIMD2 where Scalar == Double {
  fileprivate static var one: SIMD2 { SIMD2(repeating: 1) }
}
