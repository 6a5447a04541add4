/// How near a beacon is, in a word; ordered from the nearest, unknown last.
package enum ProximityClass: UInt8, Hashable, Comparable, CaseIterable, Sendable {
  /// In reach of a hand, if the thresholds are the standard ones.
  case immediate
  /// In the same room.
  case near
  /// Farther off.
  case far
  /// Heard too long ago to say, or not at all.
  case unknown

  /// Whether `a` is the nearer class.
  package static func < (a: ProximityClass, b: ProximityClass) -> Bool { a.rawValue < b.rawValue }
}

/// The distances at which the classes end, metres.
package struct ProximityThresholds: Hashable, Sendable {
  /// Immediate is below this, near from here on.
  package let immediate: Double
  /// Near is below this, far from here on.
  package let near: Double

  /// 0.5 m, in reach of a hand, and 4 m, in the same room.
  package static let standard = ProximityThresholds(uncheckedImmediate: 0.5, near: 4)

  /// Nil unless 0 < immediate < near < infinity.
  package init?(immediate: Double, near: Double) {
    guard immediate > 0, immediate < near, near < .infinity else { return nil }
    self.init(uncheckedImmediate: immediate, near: near)
  }

  private init(uncheckedImmediate immediate: Double, near: Double) {
    self.immediate = immediate
    self.near = near
  }
}

/// The half width of the band around a threshold in which nothing changes, in decades of distance (17 %): a level that
/// hovers at a threshold would flap otherwise.
let proximityHysteresis = 0.07

/// The rule from distance to class, with hysteresis; the state is the class itself, kept by the caller.
package struct ProximityClassifier: Sendable {
  // Decimal logarithms of metres.
  private let immediate: Double
  private let near: Double

  /// Computes the thresholds in decades once.
  package init(thresholds: ProximityThresholds = .standard) {
    immediate = .log10(thresholds.immediate)
    near = .log10(thresholds.near)
  }

  /// The class at a distance (decimal logarithm of metres, nil while unknown) for a beacon that was in `previous`.
  ///
  /// Meant to be asked once a ranging interval. After `unknown` there is no hysteresis; two steps at once are possible.
  package func classify(log10Distance: Double?, after previous: ProximityClass) -> ProximityClass {
    guard let x = log10Distance else { return .unknown }
    let band = proximityHysteresis
    switch previous {
    case .unknown: return x < immediate ? .immediate : x < near ? .near : .far
    case .immediate: return x <= immediate + band ? .immediate : x <= near + band ? .near : .far
    case .near: return x < immediate - band ? .immediate : x <= near + band ? .near : .far
    case .far: return x < immediate - band ? .immediate : x < near - band ? .near : .far
    }
  }
}
