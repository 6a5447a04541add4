import BluetoothLE

/// Finds the regions that an identity belongs to without asking each: by the part that every pattern of a kind has.
struct RegionIndex: Sendable {
  private struct Entry: Sendable {
    let pattern: BeaconPattern
    let region: Int
  }

  private var any: [Int] = []
  /// iBeacon patterns by UUID, AltBeacon patterns by the first 16 octets.
  private var uuids: [UUID128: [Entry]] = [:]
  private var namespaces: [EddystoneNamespace: [Entry]] = [:]
  private var urls: [String: [Int]] = [:]
  private var urlPrefixes: [Entry] = []
  private var addresses: [DeviceAddress: [Int]] = [:]

  /// Whether devices are watched by their address, so that reports without a frame count too.
  var hasAddresses: Bool { !addresses.isEmpty }

  /// Whether some region tells devices of one identity apart.
  private(set) var distinguishes = false

  /// `regions` by their numbers; gaps are regions that were removed.
  init(_ regions: [BeaconRegion?]) {
    for (number, region) in regions.enumerated() {
      for pattern in region?.patterns ?? [] { add(pattern, number) }
      if region?.distinguishesAddresses == true { distinguishes = true }
    }
  }

  private mutating func add(_ pattern: BeaconPattern, _ region: Int) {
    let entry = Entry(pattern: pattern, region: region)
    switch pattern {
    case .any: any.append(region)
    case .iBeacon(let uuid, _, _): uuids[uuid, default: []].append(entry)
    case .altBeacon(let organization, _, _): uuids[organization, default: []].append(entry)
    case .eddystoneUID(let namespace, _): namespaces[namespace, default: []].append(entry)
    case .eddystoneURL(let text, isPrefix: false): urls[text, default: []].append(region)
    case .eddystoneURL(_, isPrefix: true): urlPrefixes.append(entry)
    case .address(let address): addresses[address, default: []].append(region)
    }
  }

  /// The numbers of the regions that match, in order, each once.
  func regions(matching identity: BeaconIdentity) -> [Int] {
    var found = identity.kind == .device ? [] : any
    switch identity.kind {
    case .iBeacon, .altBeacon: append(uuids[identity.uuid], identity, &found)
    case .eddystoneUID: append(namespaces[EddystoneNamespace(identity.uuid)], identity, &found)
    case .eddystoneURL:
      if !urls.isEmpty { found += urls[identity.withEncodedURL { EddystoneURL.text($0) }] ?? [] }
      append(urlPrefixes, identity, &found)
    case .eddystoneEID: break
    case .device: found += identity.deviceAddress.flatMap { addresses[$0] } ?? []
    }
    guard found.count > 1 else { return found }
    found.sort()
    var unique = [found[0]]
    for number in found.dropFirst() where number != unique[unique.count - 1] { unique.append(number) }
    return unique
  }

  /// Whether a device of this address is watched.
  func watches(_ address: DeviceAddress) -> Bool { addresses[address] != nil }

  private func append(_ entries: [Entry]?, _ identity: BeaconIdentity, _ found: inout [Int]) {
    for entry in entries ?? [] where entry.pattern.matches(identity) { found.append(entry.region) }
  }
}
