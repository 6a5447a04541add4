import BluetoothLE

/// Finds the patterns that an identity matches without asking each: every pattern that could match it is looked up.
struct PatternIndex: Sendable {
  /// What patterns of one owner say beyond it: only such as there are need be looked up.
  private struct Shapes: OptionSet {
    let rawValue: UInt8

    static let iBeacon = Shapes(rawValue: 1)
    static let iBeaconMajor = Shapes(rawValue: 2)
    static let iBeaconMinor = Shapes(rawValue: 4)
    static let iBeaconBoth = Shapes(rawValue: 8)
    static let altBeacon = Shapes(rawValue: 16)
    static let altBeacon16 = Shapes(rawValue: 32)
    static let altBeacon32 = Shapes(rawValue: 64)
  }

  /// The numbers of the patterns that match every beacon.
  private var any: [Int] = []
  /// Those of all others but URL prefixes.
  private var numbers: [BeaconPattern: [Int]] = [:]
  private var urlPrefixes: [(pattern: BeaconPattern, number: Int)] = []
  /// The UUIDs of iBeacon patterns and the first 16 octets of AltBeacon ones: most identities of others end here.
  private var owners: [UUID128: Shapes] = [:]
  private var hasURLs = false
  /// Whether devices are looked for by their address, so that reports without a frame count too.
  private(set) var hasAddresses = false

  /// Adds a pattern of `number`; numbers are to come in ascending order.
  mutating func add(_ pattern: BeaconPattern, _ number: Int) {
    switch pattern {
    case .any:
      any.append(number)
      return
    case .eddystoneURL(_, isPrefix: true):
      urlPrefixes.append((pattern, number))
      return
    case .eddystoneURL: hasURLs = true
    case .iBeacon(let uuid, let major, let minor):
      let withMajor: Shapes = minor == nil ? .iBeaconMajor : .iBeaconBoth
      let withoutMajor: Shapes = minor == nil ? .iBeacon : .iBeaconMinor
      owners[uuid, default: []].insert(major == nil ? withoutMajor : withMajor)
    case .altBeacon(let organization, _, let unitBits):
      owners[organization, default: []].insert(
        unitBits == 0 ? .altBeacon : unitBits == 16 ? .altBeacon16 : .altBeacon32)
    case .address: hasAddresses = true
    case .eddystoneUID: break
    }
    numbers[pattern.lookedUp, default: []].append(number)
  }

  /// The numbers of the patterns that match, in order, each once.
  func numbers(matching identity: BeaconIdentity) -> [Int] {
    var found = identity.kind == .device ? [] : any
    switch identity.kind {
    case .iBeacon:
      guard let shapes = owners[identity.uuid] else { break }
      let uuid = identity.uuid
      let (major, minor) = (identity.major, identity.minor)
      if shapes.contains(.iBeacon) { add(.iBeacon(uuid: uuid, major: nil, minor: nil), to: &found) }
      if shapes.contains(.iBeaconMajor) { add(.iBeacon(uuid: uuid, major: major, minor: nil), to: &found) }
      if shapes.contains(.iBeaconMinor) { add(.iBeacon(uuid: uuid, major: nil, minor: minor), to: &found) }
      if shapes.contains(.iBeaconBoth) { add(.iBeacon(uuid: uuid, major: major, minor: minor), to: &found) }
    case .altBeacon:
      guard let shapes = owners[identity.uuid] else { break }
      let (organization, unit) = (identity.uuid, identity.unit)
      if shapes.contains(.altBeacon) { add(.altBeacon(organization: organization, unit: 0, unitBits: 0), to: &found) }
      if shapes.contains(.altBeacon16) {
        add(.altBeacon(organization: organization, unit: unit, unitBits: 16), to: &found)
      }
      if shapes.contains(.altBeacon32) {
        add(.altBeacon(organization: organization, unit: unit, unitBits: 32), to: &found)
      }
    case .eddystoneUID:
      guard !numbers.isEmpty else { break }
      let namespace = EddystoneNamespace(identity.uuid)
      add(.eddystoneUID(namespace: namespace, instance: nil), to: &found)
      add(.eddystoneUID(namespace: namespace, instance: identity.instance), to: &found)
    case .eddystoneURL:
      if hasURLs {
        add(.eddystoneURL(identity.withEncodedURL { EddystoneURL.text($0) }, isPrefix: false), to: &found)
      }
      for prefix in urlPrefixes where prefix.pattern.matches(identity) { found.append(prefix.number) }
    case .eddystoneEID: break
    case .device: if let address = identity.deviceAddress { add(.address(address), to: &found) }
    }
    guard found.count > 1 else { return found }
    found.sort()
    var unique = [found[0]]
    for number in found.dropFirst() where number != unique[unique.count - 1] { unique.append(number) }
    return unique
  }

  /// Whether a device of this address is looked for.
  func watches(_ address: DeviceAddress) -> Bool { hasAddresses && numbers[.address(address)] != nil }

  private func add(_ pattern: BeaconPattern, to found: inout [Int]) {
    if let more = numbers[pattern.lookedUp] { found += more }
  }
}

extension BeaconPattern {
  /// The same pattern without what does not count in it.
  fileprivate var lookedUp: BeaconPattern {
    guard case .altBeacon(let organization, let unit, let unitBits) = self else { return self }
    return .altBeacon(organization: organization, unit: unit & Self.mask(unitBits), unitBits: unitBits)
  }
}
