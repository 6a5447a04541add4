// What the simulation needs beyond + - * / and square roots, made of these, so that every machine and compiler gives the
// same recording. Nothing is shared with the estimator: what its functions got wrong would cancel out.

/// The decimal logarithm of a positive finite number, to about 1e-15.
///
/// Method: x = 2^k m with m in 0.707...1.415; ln m is the series of 2 artanh((m - 1) / (m + 1)).
func log10(_ x: Double) -> Double {
  var exponent = Double(x.exponent)
  var significand = x.significand
  if significand > 1.4142 {
    significand *= 0.5
    exponent += 1
  }
  let s = (significand - 1) / (significand + 1)
  let square = s * s
  var sum = 0.0
  // s is at most 0.172: the first term left out is below 1e-17 of the sum.
  for divisor in stride(from: 21, through: 1, by: -2) { sum = sum * square + 1 / Double(divisor) }
  return (2 * s * sum + exponent * 0x1.62e42fefa39efp-1) * 0x1.bcb7b1526e50ep-2
}

/// The largest integer that is not above `x`, for magnitudes below 2^62.
func floor(_ x: Double) -> Int64 {
  let cut = Int64(x)
  return Double(cut) > x ? cut - 1 : cut
}

/// A value that wanders smoothly about 0 with standard deviation 1: normally distributed at every point, independent
/// from about 1.5 units on. The same seed gives the same value at the same place, in whatever order places are asked for.
package struct SmoothNoise: Sendable {
  private let seed: UInt64

  /// Noise that belongs to a seed.
  package init(seed: UInt64) {
    self.seed = seed
  }

  /// Along a line.
  package func value(at x: Double) -> Double {
    let cell = floor(x)
    let (near, far) = Self.weights(x - Double(cell))
    let sum = near * knot(cell, 0) + far * knot(cell + 1, 0)
    return sum / (near * near + far * far).squareRoot()
  }

  /// On a plane.
  package func value(at x: Double, _ y: Double) -> Double {
    let column = floor(x)
    let row = floor(y)
    let (left, right) = Self.weights(x - Double(column))
    let (low, high) = Self.weights(y - Double(row))
    let sum =
      low * (left * knot(column, row) + right * knot(column + 1, row))
      + high * (left * knot(column, row + 1) + right * knot(column + 1, row + 1))
    return sum / ((left * left + right * right) * (low * low + high * high)).squareRoot()
  }

  private func knot(_ x: Int64, _ y: Int64) -> Double {
    var random = SplitMix(
      seed: seed ^ UInt64(bitPattern: x) &* 0x9e6c_63d0_676a_9a99,
      stream: UInt64(bitPattern: y) &+ 1)
    return random.normal()
  }

  /// The shares of the knots before and after, `fraction` of the way from one to the other: a smooth step.
  private static func weights(_ fraction: Double) -> (Double, Double) {
    let share = fraction * fraction * (3 - 2 * fraction)
    return (1 - share, share)
  }
}
