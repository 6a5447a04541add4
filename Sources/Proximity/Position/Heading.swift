/// Where the gateway's front points; degrees clockwise from north, 0 up to 360.
package struct Heading: Hashable, Sendable {
  package let trueHeading: Double
  /// As a compass has it; nil where none was asked.
  package let magneticHeading: Double?
  /// Degrees to either side within which the true heading is with 68 % probability.
  package let accuracy: Double

  /// Nil where an angle is no number or the accuracy is not above 0°.
  package init?(trueHeading: Double, magneticHeading: Double? = nil, accuracy: Double) {
    guard let angle = CompassAngle.normalized(trueHeading), accuracy > 0, accuracy.isFinite else { return nil }
    self.trueHeading = angle
    self.magneticHeading = magneticHeading.flatMap { CompassAngle.normalized($0) }
    self.accuracy = accuracy
  }
}

enum CompassAngle {
  /// The same direction as 0 up to 360; nil for what is no number of degrees.
  static func normalized(_ degrees: Double) -> Double? {
    guard degrees.isFinite else { return nil }
    let rest = degrees.truncatingRemainder(dividingBy: 360)
    // A tiny negative rest is 360 when rounded.
    let angle = rest < 0 ? rest + 360 : rest
    return angle < 360 ? angle + 0 : 0
  }

  /// Degrees from one direction to another the shorter way, 0 to 180.
  static func difference(_ a: Double, _ b: Double) -> Double {
    let difference = (a - b).magnitude
    return min(difference, 360 - difference)
  }
}
