/// A point on the earth, WGS 84.
package struct Coordinate: Hashable, Sendable {
  /// Degrees north, -90 to 90.
  package let latitude: Double
  /// Degrees east, -180 to 180.
  package let longitude: Double

  /// Nil where there is no such point.
  package init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Metres in a straight line, on a sphere: at most 0.6 % from what an ellipsoid gives, as the earth's radii of curvature
  /// are (6335 to 6400 km); 100 km along the ground are 1 m more than straight.
  package func distance(to other: Coordinate) -> Double {
    let northward = Double.sine(degrees: (other.latitude - latitude) / 2)
    let eastward = Double.sine(degrees: (other.longitude - longitude) / 2)
    let cosines = Double.cosine(degrees: latitude) * Double.cosine(degrees: other.latitude)
    // The haversine; the chord is twice its root.
    return 2 * meanRadius * (northward * northward + cosines * eastward * eastward).squareRoot()
  }
}

/// Metres. Source: Moritz, Geodetic Reference System 1980, Journal of Geodesy 74, mean radius R1.
private let meanRadius = 6_371_008.8
