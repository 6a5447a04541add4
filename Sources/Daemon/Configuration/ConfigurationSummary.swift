import BluetoothLE
import Proximity

extension Configuration {
  /// Regions that fit on a screen.
  private static let mostShown = 30

  /// What a person wants to see of a good file: who is watched, and what is off. Each line is ended.
  package var summary: String {
    var lines = [
      "gateway    \(gateway ?? "the host's name")",
      "bluetooth  \(bluetooth.summary)",
      "location   \(location.summary)",
      "ranging    every \(ranging.interval.text), near from \(plain(ranging.thresholds.immediate)) m, "
        + "far from \(plain(ranging.thresholds.near)) m",
      "log        \(log.folder), at most \(Quantity.size.text(Double(log.maxSize))) and \(log.maxAge.text)",
      "beacons    \(beacons.count) named, \(beacons.filter { $0.measuredPower != nil }.count) of them calibrated",
      "regions    \(regions.count)",
    ]
    let width = min(24, regions.prefix(Self.mostShown).map { $0.id.count }.max() ?? 0)
    for region in regions.prefix(Self.mostShown) {
      let padding = String(repeating: " ", count: max(0, width - region.id.count))
      let lack = unwatched(region).map { " -- not watched: \($0)" } ?? ""
      lines.append("  \(region.id)\(padding)  \(region.summary)\(lack)")
    }
    if regions.count > Self.mostShown { lines.append("  and \(regions.count - Self.mostShown) more") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Why a region is not watched under the permissions given; nil if it is.
  private func unwatched(_ region: Region) -> String? {
    let (authorization, key): (Authorization?, String) =
      switch region.kind {
      case .beacons: (bluetooth.authorization, "bluetooth.authorization")
      case .fence: (location.authorization, "location.authorization")
      }
    switch authorization {
    case .always: return nil
    case .whenInUse: return "\(key) is when-in-use"
    case .denied: return "\(key) is denied"
    case nil: return "\(key) is not set"
    }
  }
}

extension Configuration.Bluetooth {
  fileprivate var summary: String {
    if authorization == .denied { return "denied" }
    let adapters =
      switch adapters {
      case .all: "all adapters"
      case .only(let addresses): addresses.map { $0.description }.joined(separator: ", ")
      }
    let duty =
      switch duty {
      case .auto: "auto"
      case .percent(let percent): "\(plain(percent)) %"
      }
    let phys = phys.map { $0.rawValue }.joined(separator: " and ")
    var parts = [adapters, "\(scan.rawValue) scan", "duty \(duty)", phys]
    if source != .auto { parts.append("by \(source.rawValue)") }
    if isExclusive { parts.append("exclusive") }
    if authorization == .whenInUse { parts.append("only when in use") }
    return parts.joined(separator: ", ")
  }
}

extension Configuration.Location {
  fileprivate var summary: String {
    guard let authorization else {
      return "off; 'location.authorization' with a 'location.purpose' turns it on"
    }
    if authorization == .denied { return "denied" }
    var parts = ["for: \(purpose ?? "")", accuracy.rawValue]
    if authorization == .whenInUse { parts.append("only when in use") }
    if !places.isEmpty { parts.append("places: " + places.map { $0.name }.joined(separator: ", ")) }
    return parts.joined(separator: "; ")
  }
}

extension Configuration.Region {
  fileprivate var summary: String {
    var parts: [String] = []
    switch kind {
    case .beacons(let beacons):
      let shown = beacons.match.prefix(3).map { $0.summary } + (beacons.match.count > 3 ? ["..."] : [])
      parts.append(shown.joined(separator: " or "))
      if let within = beacons.within { parts.append("within \(plain(within)) m") }
      if beacons.each { parts.append("each by itself") }
      if beacons.isRanged { parts.append("ranged") }
      if let exitAfter = beacons.exitAfter { parts.append("gone after \(exitAfter.text)") }
    case .fence(let fence):
      switch fence.shape {
      case .circle(let center, let radius):
        parts.append("\(plain(radius)) m around \(plain(center.latitude)), \(plain(center.longitude))")
      case .polygon(let corners):
        parts.append("polygon of \(corners.count) corners")
      }
      if fence.notifyAfter > .zero { parts.append("after \(fence.notifyAfter.text)") }
    }
    if assuming != .outside { parts.append("assuming \(assuming.rawValue)") }
    return parts.joined(separator: ", ")
  }
}

extension BeaconPattern {
  fileprivate var summary: String {
    switch self {
    case .iBeacon(let uuid, let major, let minor):
      (["iBeacon \(uuid)"] + [major, minor].compactMap { $0.map { String($0) } }).joined(separator: " ")
    case .eddystoneUID(let namespace, let instance):
      "Eddystone-UID \(hex(namespace.high, digits: 16))\(hex(namespace.low, digits: 4))"
        + (instance.map { " \(hex($0, digits: 12))" } ?? "")
    case .eddystoneURL(let url, let isPrefix): "Eddystone-URL \(url)\(isPrefix ? "*" : "")"
    case .altBeacon(let organization, let unit, let unitBits):
      "AltBeacon \(organization)" + (unitBits == 0 ? "" : "-\(hex(unit, digits: 8).prefix(unitBits / 4))")
    case .address(let address): "address \(address)"
    case .any: "any beacon"
    }
  }

}

extension Duration {
  fileprivate var text: String { Quantity.duration.text(milliseconds) }
}
