/// Where the gateway was found to be.
package struct Fix: Hashable, Sendable {
  package enum Source: CaseIterable, Hashable, Sendable {
    /// A satellite receiver.
    case gps
    /// Radio networks around.
    case network
    /// A place that the configuration names; it does not grow old.
    case place
  }

  package let coordinate: Coordinate
  /// Metres within which the true position is with 68 % probability.
  package let accuracy: Double
  /// Metres above mean sea level.
  package let altitude: Double?
  /// Metres per second over ground.
  package let speed: Double?
  /// Direction of movement, degrees clockwise from true north, 0 up to 360.
  package let course: Double?
  package let source: Source

  /// Nil where the accuracy is not above 0 m. What cannot be of the rest is left out.
  package init?(
    _ coordinate: Coordinate, accuracy: Double, altitude: Double? = nil, speed: Double? = nil, course: Double? = nil,
    from source: Source
  ) {
    guard accuracy > 0, accuracy.isFinite else { return nil }
    self.coordinate = coordinate
    self.accuracy = accuracy
    self.altitude = altitude.flatMap { $0.isFinite ? $0 : nil }
    self.speed = speed.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
    self.course = course.flatMap { CompassAngle.normalized($0) }
    self.source = source
  }
}

/// A fix at the time of an event.
package struct Location: Hashable, Sendable {
  /// Seconds after which a fix says nothing of where the gateway is now.
  private static let freshFor = 60.0

  package let fix: Fix
  /// Seconds since the fix.
  package let age: Double
  package let isStale: Bool

  package init(_ fix: Fix, age: Double, isStale: Bool) {
    self.fix = fix
    self.age = age
    self.isStale = isStale
  }

  /// The fix came at `instant`.
  init(_ fix: Fix, from instant: Instant, at now: Instant) {
    self.fix = fix
    age = now.seconds(since: instant)
    // Instants are exact, seconds are rounded.
    isStale = now > instant.advanced(by: Self.freshFor) && fix.source != .place
  }
}
