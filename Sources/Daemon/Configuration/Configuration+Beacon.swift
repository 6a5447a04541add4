import Proximity

extension Configuration {
  /// A beacon that is known by name.
  package struct Beacon: Hashable, Sendable {
    package var name: String
    /// One identity, all of it.
    package var match: BeaconPattern
    /// dBm that are received at 1 m, as calibrated; nil for what the beacon says itself.
    package var measuredPower: Double?

    package init(name: String, match: BeaconPattern, measuredPower: Double? = nil) {
      self.name = name
      self.match = match
      self.measuredPower = measuredPower
    }
  }
}

extension Configuration.Beacon {
  /// The beacons of a list, without the faulty ones.
  static func list(_ setting: Setting) -> [Self]? {
    var names = UniqueNames()
    var matches: [BeaconPattern: YAMLMark] = [:]
    return setting.list(of: "beacons")?.compactMap { element in
      element.section { section in Self(&section, &names, &matches) } ?? nil
    }
  }

  private init?(_ section: inout Section, _ names: inout UniqueNames, _ matches: inout [BeaconPattern: YAMLMark]) {
    let name = section.require("name").flatMap { names.text($0) }
    let matchSetting = section.require("match")
    let match = matchSetting.flatMap { Self.identity($0) }
    // What is not believed when a beacon says it. Source: docs/ranging.md, section 1.
    let measuredPower = section.take("measured-power")?.quantity(.power, in: -100 ... -20)
    if let matchSetting, let match {
      if let first = matches[match] {
        matchSetting.fault("the same beacon is given twice; the first is at \(first)")
      } else {
        matches[match] = matchSetting.node.mark
      }
    }
    guard let name, let match else { return nil }
    self.init(name: name, match: match, measuredPower: measuredPower)
  }

  /// One beacon's identity.
  private static func identity(_ setting: Setting) -> BeaconPattern? {
    guard let match = BeaconPattern(setting) else { return nil }
    guard match.isWhole else {
      let lack =
        switch match {
        case .iBeacon(_, .none, _): "add 'major' and 'minor'"
        case .iBeacon: "add 'minor'"
        case .eddystoneUID: "add 'instance'"
        case .eddystoneURL: "give the whole URL"
        case .altBeacon: "give all 20 octets"
        case .address, .any: "give its identity"
        }
      setting.fault("matches more than one beacon; \(lack)")
      return nil
    }
    return match
  }
}
