/// The edge of a zone: a beacon is in it when nearer than a distance.
package struct ZoneLimit: Hashable, Sendable {
  /// Decimal logarithms of metres; between them nothing changes.
  fileprivate let enterBelow: Double
  fileprivate let leaveAbove: Double

  /// Nil unless `meters` is positive and finite.
  package init?(meters: Double) {
    guard meters > 0, meters < .infinity else { return nil }
    let edge = Double.log10(meters)
    enterBelow = edge - proximityHysteresis
    leaveAbove = edge + proximityHysteresis
  }
}

/// On which side of a zone's edge one beacon is; it starts outside.
///
/// A change takes two packets running that agree: one stray strong packet moves nobody. While the distance is unknown
/// nothing is to be taken in, and the side stays.
package struct ZoneSide: Hashable, Sendable {
  /// Nearer than the limit.
  package private(set) var isInside: Bool
  /// The packet before this one spoke for the other side.
  private var isContested = false

  /// `isInside` is the side that was saved, after a restart.
  package init(isInside: Bool = false) {
    self.isInside = isInside
  }

  /// Takes in the distance (decimal logarithm of metres, the median) after a packet; true if the side changed by it.
  package mutating func update(log10Distance x: Double, limit: ZoneLimit) -> Bool {
    let isAgainst = isInside ? x > limit.leaveAbove : x < limit.enterBelow
    guard isAgainst, isContested else {
      isContested = isAgainst
      return false
    }
    isInside.toggle()
    isContested = false
    return true
  }
}
