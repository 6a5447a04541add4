import Proximity

extension Configuration.Region.Fence.Shape {
  init?(circle setting: Setting) {
    let circle: Self? =
      setting.section { section in
        let center = Coordinate(&section)
        // Below a metre no fix can be inside; 1000 km is a country.
        let radius = section.require("radius")?.quantity(.length, in: 1...1_000_000)
        guard let center, let radius else { return nil }
        return .circle(center: center, radius: radius)
      } ?? nil
    guard let circle else { return nil }
    self = circle
  }

  init?(polygon setting: Setting) {
    guard let elements = setting.list(of: "corners, [latitude, longitude] each") else { return nil }
    // Each pair of sides is compared.
    guard elements.count <= 1000 else {
      setting.fault("\(elements.count) corners; must be at most 1000")
      return nil
    }
    var corners = elements.compactMap { Coordinate($0) }
    guard corners.count == elements.count else { return nil }
    // A ring that repeats its first corner at the end, as GeoJSON has it, is the same ring.
    if corners.count > 1, corners.first == corners.last { corners.removeLast() }
    guard Set(corners).count >= 3 else {
      setting.fault("\(Set(corners).count) different corners; must be at least 3")
      return nil
    }
    let ring = Ring(corners)
    guard ring.isClosed else {
      setting.fault("goes round a pole; must lie on one side of it")
      return nil
    }
    if let (first, second) = ring.crossing {
      let sides = "the sides from [\(first)] and from [\(second)]"
      setting.fault("\(sides) touch or cross; corners must be in the order of a walk around, each once")
      return nil
    }
    self = .polygon(corners)
  }
}

/// A polygon on a plane of degrees.
private struct Ring {
  private typealias Point = (x: Double, y: Double)

  private var points: [Point] = []
  /// The walk around ends at the longitude where it began.
  let isClosed: Bool

  /// Longitudes run on across 180 degrees: from corner to corner the short way is meant.
  init(_ corners: [Coordinate]) {
    var longitude = corners[0].longitude
    for corner in corners {
      longitude += Self.turn(from: longitude, to: corner.longitude)
      points.append((longitude, corner.latitude))
    }
    let end = longitude + Self.turn(from: longitude, to: corners[0].longitude)
    isClosed = (end - corners[0].longitude).magnitude < 180
  }

  private static func turn(from a: Double, to b: Double) -> Double {
    var turn = b - a
    while turn > 180 { turn -= 360 }
    while turn < -180 { turn += 360 }
    return turn
  }

  /// The first two sides, by the corners they start from, that meet in more than a common corner.
  var crossing: (Int, Int)? {
    let count = points.count
    for i in 0..<count {
      let (a, b) = (points[i], points[(i + 1) % count])
      for j in i + 1..<count {
        let (c, d) = (points[j], points[(j + 1) % count])
        let isNext = j == i + 1
        let isLast = (j + 1) % count == i
        if isNext || isLast {
          // Neighbours meet in one corner; they overlap where the walk turns back on itself.
          let (corner, end, other) = isNext ? (b, d, a) : (a, c, b)
          if Self.side(other, corner, end) == 0, Self.dot(corner, other, end) > 0 { return (i, j) }
        } else if Self.meet(a, b, c, d) {
          return (i, j)
        }
      }
    }
    return nil
  }

  /// Positive where `c` lies to the left of the line from `a` to `b`, 0 on it.
  private static func side(_ a: Point, _ b: Point, _ c: Point) -> Double {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
  }

  /// Positive where `b` and `c` lie in one direction from `a`.
  private static func dot(_ a: Point, _ b: Point, _ c: Point) -> Double {
    (b.x - a.x) * (c.x - a.x) + (b.y - a.y) * (c.y - a.y)
  }

  private static func meet(_ a: Point, _ b: Point, _ c: Point, _ d: Point) -> Bool {
    let (c1, d1) = (side(a, b, c), side(a, b, d))
    let (a1, b1) = (side(c, d, a), side(c, d, b))
    if c1 * d1 < 0, a1 * b1 < 0 { return true }
    return c1 == 0 && isWithin(c, a, b) || d1 == 0 && isWithin(d, a, b)
      || a1 == 0 && isWithin(a, c, d) || b1 == 0 && isWithin(b, c, d)
  }

  /// For a point on the line through `a` and `b`: whether it is between them.
  private static func isWithin(_ p: Point, _ a: Point, _ b: Point) -> Bool {
    min(a.x, b.x) <= p.x && p.x <= max(a.x, b.x) && min(a.y, b.y) <= p.y && p.y <= max(a.y, b.y)
  }
}
