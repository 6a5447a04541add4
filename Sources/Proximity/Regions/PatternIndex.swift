import BluetoothLE

/// Finds the patterns that an identity matches without asking each: every pattern that could match it is looked up.
struct PatternIndex: Sendable {
  /// The numbers of the patterns that match every beacon.
  private var any: [Int] = []
  /// Those of all others but URL prefixes.
  private var numbers: [BeaconPattern: [Int]] = [:]
  private var urlPrefixes: [(pattern: BeaconPattern, number: Int)] = []
  /// The UUIDs of iBeacon patterns and the first 16 octets of AltBeacon ones: most identities of others end here.
  private var owners: Set<UUID128> = []
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
    case .iBeacon(let uuid, _, _): owners.insert(uuid)
    case .altBeacon(let organization, _, _): owners.insert(organization)
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
      guard owners.contains(identity.uuid) else { break }
      add(.iBeacon(uuid: identity.uuid, major: nil, minor: nil), to: &found)
      add(.iBeacon(uuid: identity.uuid, major: identity.major, minor: nil), to: &found)
      add(.iBeacon(uuid: identity.uuid, major: nil, minor: identity.minor), to: &found)
      add(.iBeacon(uuid: identity.uuid, major: identity.major, minor: identity.minor), to: &found)
    case .altBeacon:
      guard owners.contains(identity.uuid) else { break }
      add(.altBeacon(organization: identity.uuid, unit: 0, unitBits: 0), to: &found)
      add(.altBeacon(organization: identity.uuid, unit: identity.unit, unitBits: 16), to: &found)
      add(.altBeacon(organization: identity.uuid, unit: identity.unit, unitBits: 32), to: &found)
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
