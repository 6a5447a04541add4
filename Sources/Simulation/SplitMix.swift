/// A small seeded generator, so that everything drawn is the same every time. Source: Steele et al., SplitMix64.
package struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator that gives the same numbers for the same seed.
  package init(seed: UInt64) {
    state = seed
  }

  /// A generator of its own for each number of a family, such as the devices of a scene.
  init(seed: UInt64, stream: UInt64) {
    // Streams of one generator start far apart: its output is a bijection of its state.
    var mixer = SplitMix(seed: seed ^ stream &* 0xd1b5_4a32_d192_ed03)
    state = mixer.next()
  }

  /// The next 64 bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// Uniformly distributed between the bounds, the upper one left out.
  package mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + Double(next() >> 11) * 0x1p-53 * (range.upperBound - range.lowerBound)
  }

  /// True with the given probability.
  package mutating func chance(_ probability: Double) -> Bool { uniform(0...1) < probability }

  /// Normally distributed about 0 with standard deviation 1, near enough: the sum of twelve uniform values.
  package mutating func normal() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += uniform(0...1) }
    return sum
  }
}
