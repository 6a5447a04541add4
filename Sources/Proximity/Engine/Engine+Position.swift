// Where the gateway itself is. Events carry the newest fix, whether it was told of or not.

extension Engine {
  /// Takes a fix that a source gave at `instant`. What date the fix itself bears decides nothing.
  package mutating func take(_ fix: Fix, at instant: Instant, _ events: inout EventBatch) {
    advance(to: instant, &events)
    newestFix = (fix, now)
    if let last = announcedPosition, last.distance(to: fix.coordinate) < settings.distanceFilter { return }
    announcedPosition = fix.coordinate
    emit(.didUpdateLocations, nil, &events)
  }

  /// Takes a heading that a source gave at `instant`.
  package mutating func take(_ heading: Heading, at instant: Instant, _ events: inout EventBatch) {
    advance(to: instant, &events)
    if let last = announcedHeading {
      guard CompassAngle.difference(last, heading.trueHeading) >= settings.headingFilter else { return }
    }
    announcedHeading = heading.trueHeading
    emit(.didUpdateHeading(heading), nil, &events)
  }

  /// The newest fix, as old as it is now.
  var location: Location? {
    newestFix.map { Location($0.fix, from: $0.instant, at: now) }
  }
}
