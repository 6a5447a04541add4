import BluetoothLE
import Proximity

extension Configuration.Region {
  /// The region in one line of the configuration's own syntax: two regions with the same are the same.
  package var definition: String {
    var members = ["id: \(quoted(id))"]
    switch kind {
    case .beacons(let beacons): members += beacons.members
    case .fence(let fence): members += fence.members
    }
    if assuming != .outside { members.append("assuming: \(assuming.rawValue)") }
    return "{\(members.joined(separator: ", "))}"
  }

  /// Reads a definition; nil where it is none.
  package init?(definition: String) {
    let faults = FaultCollector()
    let octets = Array("[\(definition)]".utf8)
    let root = octets.withUnsafeBytes { octets in try? YAMLDocument.parse(octets) }
    guard let root, let regions = Self.list(Setting(root, path: "region", keyMark: .start, faults: faults)),
      faults.all() == nil, regions.count == 1
    else { return nil }
    self = regions[0]
  }
}

extension Configuration.Region.Beacons {
  fileprivate var members: [String] {
    var members = ["match: [\(match.map { $0.definition }.joined(separator: ", "))]"]
    if each { members.append("each: true") }
    if let within { members.append("within: \(decimal(within)) m") }
    if isRanged { members.append("range: true") }
    if let exitAfter { members.append("exit-after: \(decimal(exitAfter.milliseconds)) ms") }
    if entersOnFirstPacket { members.append("enter-packets: 1") }
    if distinguish != .identity { members.append("distinguish: \(distinguish.rawValue)") }
    return members
  }
}

extension Configuration.Region.Fence {
  fileprivate var members: [String] {
    let shape =
      switch shape {
      case .circle(let center, let radius):
        "circle: {latitude: \(decimal(center.latitude)), longitude: \(decimal(center.longitude)), "
          + "radius: \(decimal(radius)) m}"
      case .polygon(let corners):
        "polygon: [" + corners.map { "[\(decimal($0.latitude)), \(decimal($0.longitude))]" }.joined(separator: ", ")
          + "]"
      }
    return notifyAfter > .zero ? [shape, "notify-after: \(decimal(notifyAfter.milliseconds)) ms"] : [shape]
  }
}

extension BeaconPattern {
  fileprivate var definition: String {
    switch self {
    case .any: return "any"
    case .iBeacon(let uuid, let major, let minor):
      let parts = ["uuid: \(uuid)"] + [major.map { "major: \($0)" }, minor.map { "minor: \($0)" }].compactMap { $0 }
      return "{ibeacon: {\(parts.joined(separator: ", "))}}"
    case .eddystoneUID(let namespace, let instance):
      let id = "namespace: \"\(hex(namespace.high, digits: 16))\(hex(namespace.low, digits: 4))\""
      return "{eddystone-uid: {\(id)\(instance.map { ", instance: \"\(hex($0, digits: 12))\"" } ?? "")}}"
    case .eddystoneURL(let url, let isPrefix): return "{eddystone-url: \(quoted(url + (isPrefix ? "*" : "")))}"
    case .altBeacon(let organization, let unit, let unitBits):
      let tail = hex(unit, digits: 8).prefix(unitBits / 4)
      return "{altbeacon: {id: \"\(hex(organization.high, digits: 16))\(hex(organization.low, digits: 16))\(tail)\"}}"
    case .address(let address): return "{address: \"\(address)\"}"
    }
  }
}

/// A double-quoted YAML scalar; ids and URLs hold only what can be printed.
private func quoted(_ text: String) -> String {
  // `replacing` would link all of the library's regular expressions: a fifth of the program.
  var quoted = "\""
  for scalar in text.unicodeScalars {
    if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
    quoted.unicodeScalars.append(scalar)
  }
  return quoted + "\""
}

/// A number without an exponent, to 15 places: more than any key's unit needs.
private func decimal(_ value: Double) -> String {
  let text = plain(value)
  guard text.contains("e") else { return text }
  let digits = String(Int64((value.magnitude * 1e15).rounded()))
  return (value < 0 ? "-0." : "0.") + String(repeating: "0", count: max(0, 15 - digits.count)) + digits
}
