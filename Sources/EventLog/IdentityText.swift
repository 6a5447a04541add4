import BluetoothLE
import Linux
import Proximity

extension BeaconIdentity.Kind {
  /// The word that the configuration and every output use.
  package var word: StaticString {
    switch self {
    case .iBeacon: "ibeacon"
    case .eddystoneUID: "eddystone-uid"
    case .eddystoneURL: "eddystone-url"
    case .eddystoneEID: "eddystone-eid"
    case .altBeacon: "altbeacon"
    case .device: "address"
    }
  }
}

extension OutputBuffer {
  /// Kind and identity as JSON members, without braces.
  package mutating func put(jsonMembers identity: BeaconIdentity) {
    put("\"kind\":\"")
    put(word: identity.kind.word)
    switch identity.kind {
    case .iBeacon:
      put("\",\"uuid\":\"")
      put(identity.uuid)
      put("\",\"major\":")
      put(decimal: identity.major)
      put(",\"minor\":")
      put(decimal: identity.minor)
    case .eddystoneUID:
      put("\",\"namespace\":\"")
      put(namespace: identity.uuid)
      put("\",\"instance\":\"")
      put(instance: identity.uuid)
      put("\"")
    case .eddystoneURL:
      put("\",\"url\":\"")
      identity.withEncodedURL { put(jsonURL: $0) }
      put("\"")
    case .eddystoneEID:
      put("\",\"eid\":\"")
      put(hex: identity.eid, digits: 16)
      put("\"")
    case .altBeacon:
      put("\",\"id\":\"")
      put(altBeaconID: identity)
      put("\",\"manufacturer\":")
      put(decimal: identity.manufacturer)
    case .device:
      put("\"")
    }
  }

  /// Kind and identity for a person, as `iBeacon 74278bda-b644-4520-8f0c-720eaf059935/1/7`.
  package mutating func put(text identity: BeaconIdentity) {
    switch identity.kind {
    case .iBeacon:
      put("iBeacon ")
      put(identity.uuid)
      put("/")
      put(decimal: identity.major)
      put("/")
      put(decimal: identity.minor)
    case .eddystoneUID:
      put("Eddystone-UID ")
      put(namespace: identity.uuid)
      put("-")
      put(instance: identity.uuid)
    case .eddystoneURL:
      put("Eddystone-URL ")
      identity.withEncodedURL { put(jsonURL: $0) }
    case .eddystoneEID:
      put("Eddystone-EID ")
      put(hex: identity.eid, digits: 16)
    case .altBeacon:
      put("AltBeacon ")
      put(altBeaconID: identity)
    case .device:
      put("device")
    }
    if let address = identity.deviceAddress {
      put(" ")
      put(address)
    }
  }

  /// Kind and identity for a person in a list, as `iBeacon 74278bda…/1/7`: what tells beacons of one house apart.
  package mutating func put(brief identity: BeaconIdentity) {
    switch identity.kind {
    case .iBeacon:
      put("iBeacon ")
      put(hex: identity.uuid.high >> 32, digits: 8)
      put("…/")
      put(decimal: identity.major)
      put("/")
      put(decimal: identity.minor)
    case .altBeacon:
      put("AltBeacon ")
      put(hex: identity.uuid.high >> 32, digits: 8)
      put("…")
      put(hex: UInt64(identity.unit), digits: 8)
    case .eddystoneUID:
      put("Eddystone-UID ")
      put(hex: identity.uuid.high >> 32, digits: 8)
      put("…-")
      put(instance: identity.uuid)
    case .eddystoneURL, .eddystoneEID, .device:
      put(text: identity)
    }
  }

  /// The 20 octets of an AltBeacon's id.
  package mutating func put(altBeaconID identity: BeaconIdentity) {
    put(hexHigh: identity.uuid.high, low: identity.uuid.low)
    put(hex: UInt64(identity.unit), digits: 8)
  }
}
