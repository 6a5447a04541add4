import Proximity

extension Coordinate {
  /// Reads the keys `latitude` and `longitude`; nil where one is missing or out of range.
  init?(_ section: inout Section) {
    let latitude = section.require("latitude")?.latitude()
    let longitude = section.require("longitude")?.longitude()
    guard let latitude, let longitude else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }

  /// Reads a list of latitude and longitude.
  init?(_ setting: Setting) {
    guard let pair = setting.list(of: "latitude and longitude") else { return nil }
    guard pair.count == 2 else {
      setting.fault("\(pair.count) numbers; must be two, [latitude, longitude]")
      return nil
    }
    let latitude = pair[0].latitude()
    let longitude = pair[1].longitude()
    guard let latitude, let longitude else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }
}

extension Setting {
  fileprivate func latitude() -> Double? { decimal(in: -90...90, "degrees north") }
  fileprivate func longitude() -> Double? { decimal(in: -180...180, "degrees east") }
}
