/// A small seeded generator, so that a random test gives the same numbers every time. Source: Steele et al., SplitMix64.
package struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  package mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + Double(next() >> 11) * 0x1p-53 * (range.upperBound - range.lowerBound)
  }

  /// True with the given probability.
  package mutating func chance(_ probability: Double) -> Bool { uniform(0...1) < probability }

  /// Normally distributed about 0 with standard deviation 1, near enough: the sum of twelve uniform values.
  package mutating func normal() -> Double {
    (0..<12).reduce(into: -6.0) { sum, _ in sum += uniform(0...1) }
  }
}
