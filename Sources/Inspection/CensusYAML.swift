import BluetoothLE
import EventLog
import Linux
import Proximity

extension OutputBuffer {
  /// Regions and beacons as the configuration wants them: one region for the beacons that belong together, and a name
  /// for each beacon, to be pasted and edited.
  package mutating func put(yaml census: BeaconCensus) {
    let beacons = census.beacons.filter { $0.identity.kind != .eddystoneEID }
    let ephemeral = census.beacons.count - beacons.count
    if ephemeral > 0 {
      put("# Left out: ")
      put(decimal: ephemeral)
      put(ephemeral == 1 ? " Eddystone-EID, whose identity changes." : " Eddystone-EIDs, whose identities change.")
      endLine()
    }
    guard !beacons.isEmpty else {
      put("# No beacon that a region could match.")
      endLine()
      return
    }
    var names = UniqueNames()
    put("regions:")
    endLine()
    for group in Self.groups(beacons) {
      put("  - id: ")
      put(string: names.unique(group.regionName))
      endLine()
      put("    match:")
      endLine()
      put("      - ")
      put(yamlMatch: group, isWhole: false)
      endLine()
      put("    each: true")
      endLine()
      put("    range: true")
      endLine()
    }
    names = UniqueNames()
    put("beacons:")
    endLine()
    for beacon in beacons {
      put("  - name: ")
      put(string: names.unique(beacon.identity.beaconName))
      put("   # ")
      put(decimal: beacon.packets)
      put(beacon.packets == 1 ? " packet" : " packets")
      if beacon.levels > 0 {
        put(", ")
        put(decimal: beacon.weakest)
        put(" to ")
        put(decimal: beacon.strongest)
        put(" dBm")
      }
      endLine()
      put("    match: {")
      put(yamlMatch: beacon.identity, isWhole: true)
      put("}")
      endLine()
    }
  }

  /// One beacon of each group, in the order of their identities.
  private static func groups(_ beacons: [BeaconCensus.Entry]) -> [BeaconIdentity] {
    var seen: Set<String> = []
    return beacons.map { $0.identity }.sorted().filter { seen.insert($0.groupKey).inserted }
  }

  /// What matches a beacon, or the group that it belongs to.
  private mutating func put(yamlMatch identity: BeaconIdentity, isWhole: Bool) {
    switch identity.kind {
    case .iBeacon:
      put("ibeacon: {uuid: ")
      put(identity.uuid)
      if isWhole {
        put(", major: ")
        put(decimal: identity.major)
        put(", minor: ")
        put(decimal: identity.minor)
      }
      put("}")
    case .eddystoneUID:
      put("eddystone-uid: {namespace: \"")
      put(namespace: identity.uuid)
      if isWhole {
        put("\", instance: \"")
        put(instance: identity.uuid)
      }
      put("\"}")
    case .eddystoneURL:
      put("eddystone-url: \"")
      identity.withEncodedURL { put(jsonURL: $0) }
      put("\"")
    case .altBeacon:
      put("altbeacon: {id: \"")
      put(hex: identity.uuid.high, digits: 16)
      put(hex: identity.uuid.low, digits: 16)
      if isWhole { put(hex: UInt64(identity.unit), digits: 8) }
      put("\"}")
    case .eddystoneEID, .device:
      break
    }
  }
}

extension BeaconIdentity {
  /// Beacons of one key go into one region: those of one UUID, namespace or organisation; each URL by itself.
  fileprivate var groupKey: String {
    switch kind {
    case .iBeacon, .altBeacon: "\(kind) \(uuid)"
    case .eddystoneUID: "\(kind) \(uuid.high) \(uuid.low >> 48)"
    case .eddystoneURL: "\(kind) \(url)"
    case .eddystoneEID, .device: "\(kind)"
    }
  }

  fileprivate var url: String { withEncodedURL { EddystoneURL.text($0) } }

  fileprivate var regionName: String {
    switch kind {
    case .eddystoneURL: "eddystone-url"
    default: "\(kind.word)-\(hex(uuid.high >> 32, digits: 8))"
    }
  }

  fileprivate var beaconName: String {
    switch kind {
    case .iBeacon: "\(regionName)-\(major)-\(minor)"
    case .eddystoneUID: "\(kind.word)-\(hex(uuid.low & 0xffff_ffff_ffff, digits: 12))"
    case .altBeacon: "\(regionName)-\(hex(unit, digits: 8))"
    case .eddystoneURL, .eddystoneEID, .device: regionName
    }
  }
}

/// Gives each name once: the second of a kind gets a number.
private struct UniqueNames {
  private var used: Set<String> = []

  mutating func unique(_ name: String) -> String {
    var candidate = name
    var number = 2
    while !used.insert(candidate).inserted {
      candidate = "\(name)-\(number)"
      number += 1
    }
    return candidate
  }
}
