/// A point on the floor, in metres.
package struct Place: Hashable, Sendable {
  package var x: Double
  package var y: Double

  /// A point in metres.
  package init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  /// Metres, in a straight line.
  package func distance(to other: Place) -> Double {
    let dx = x - other.x
    let dy = y - other.y
    return (dx * dx + dy * dy).squareRoot()
  }
}

/// Where something is at any time: it goes straight from waypoint to waypoint, waits at the first before it starts, and
/// stays at the last.
package struct Track: Hashable, Sendable {
  /// Where it is at one time.
  package struct Waypoint: Hashable, Sendable {
    /// Since the start of the scene.
    package var seconds: Double
    package var place: Place
    /// dB that walls and doors in between take from the signal.
    package var obstruction: Double

    /// A place at a time, in the units of the properties.
    package init(_ seconds: Double, _ place: Place, obstruction: Double = 0) {
      self.seconds = seconds
      self.place = place
      self.obstruction = obstruction
    }
  }

  /// In the order of their times; never empty.
  package let waypoints: [Waypoint]

  /// Something that never moves.
  package init(at place: Place, obstruction: Double = 0) {
    waypoints = [Waypoint(0, place, obstruction: obstruction)]
  }

  /// From `start` on through the others, which are put into the order of their times.
  package init(from start: Waypoint, _ others: [Waypoint]) {
    waypoints = ([start] + others).sorted { $0.seconds < $1.seconds }
  }

  /// Where it is, and what is in between, at a time.
  package func waypoint(at seconds: Double) -> Waypoint {
    let next = ahead(of: seconds)
    guard next > 0 else { return waypoints[0] }
    guard next < waypoints.count else { return waypoints[next - 1] }
    let from = waypoints[next - 1]
    let to = waypoints[next]
    let share = (seconds - from.seconds) / (to.seconds - from.seconds)
    return Waypoint(
      seconds,
      Place(from.place.x + share * (to.place.x - from.place.x), from.place.y + share * (to.place.y - from.place.y)),
      obstruction: from.obstruction + share * (to.obstruction - from.obstruction))
  }

  /// Until when it stays where it is at a time, in seconds: `seconds` itself where it moves, endless at its last place.
  func rest(from seconds: Double) -> Double {
    let next = ahead(of: seconds)
    guard next < waypoints.count else { return .infinity }
    guard next > 0 else { return waypoints[0].seconds }
    let (from, to) = (waypoints[next - 1], waypoints[next])
    return from.place == to.place && from.obstruction == to.obstruction ? to.seconds : seconds
  }

  /// The number of the first waypoint that lies ahead, by halving.
  private func ahead(of seconds: Double) -> Int {
    var next = 0
    var end = waypoints.count
    while next < end {
      let middle = (next + end) / 2
      if waypoints[middle].seconds > seconds { end = middle } else { next = middle + 1 }
    }
    return next
  }
}
