import BluetoothLE

/// Which beacons a region is about: an identity, whole or with its last parts left open.
package enum BeaconPattern: Hashable, Sendable {
  /// Every iBeacon, Eddystone and AltBeacon.
  case any
  case iBeacon(uuid: UUID128, major: UInt16?, minor: UInt16?)
  /// A 10-octet namespace, and the 6-octet instance in the low 48 bits.
  case eddystoneUID(namespace: EddystoneNamespace, instance: UInt64?)
  /// A whole URL as text, or how it starts.
  case eddystoneURL(String, isPrefix: Bool)
  /// The first 16, 18 or 20 octets of the id; `unitBits` of `unit` count: 0, 16 or 32, from the top.
  case altBeacon(organization: UUID128, unit: UInt32, unitBits: Int)
  /// Any device with this address.
  case address(DeviceAddress)

  package func matches(_ identity: BeaconIdentity) -> Bool {
    switch self {
    case .any:
      return identity.kind != .device
    case .iBeacon(let uuid, let major, let minor):
      return identity.kind == .iBeacon && identity.uuid == uuid && major.map { identity.major == $0 } ?? true
        && minor.map { identity.minor == $0 } ?? true
    case .eddystoneUID(let namespace, let instance):
      return identity.kind == .eddystoneUID && EddystoneNamespace(identity.uuid) == namespace
        && instance.map { identity.instance == $0 } ?? true
    case .eddystoneURL(let text, let isPrefix):
      guard identity.kind == .eddystoneURL else { return false }
      let url = identity.withEncodedURL { EddystoneURL.text($0) }
      return isPrefix ? url.utf8.starts(with: text.utf8) : url == text
    case .altBeacon(let organization, let unit, let unitBits):
      let mask = Self.mask(unitBits)
      return identity.kind == .altBeacon && identity.uuid == organization && identity.unit & mask == unit & mask
    case .address(let address):
      return identity.kind == .device && identity.deviceAddress == address
    }
  }

  /// The upper `bits` of the last 4 octets of an AltBeacon's id.
  static func mask(_ bits: Int) -> UInt32 { bits == 0 ? 0 : UInt32.max << UInt32(32 - bits) }
}

/// The 10 octets that Eddystone-UIDs of one owner share.
package struct EddystoneNamespace: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt16

  package init(high: UInt64, low: UInt16) {
    self.high = high
    self.low = low
  }

  /// The namespace of a whole UID.
  package init(_ id: UUID128) {
    self.init(high: id.high, low: UInt16(truncatingIfNeeded: id.low >> 48))
  }
}
