import BluetoothLE

/// Who a beacon is: the octets that tell it from every other, in a key without heap memory.
package struct BeaconIdentity: Hashable, Sendable {
  package enum Kind: UInt8, CaseIterable, Comparable, Sendable {
    case iBeacon, eddystoneUID, eddystoneURL, eddystoneEID, altBeacon
    /// Any device, by its address.
    case device

    package static func < (a: Kind, b: Kind) -> Bool { a.rawValue < b.rawValue }
  }

  /// The longest encoded URL that is an identity, in octets with its scheme: the specification allows 18, a legacy
  /// advertisement holds 25.
  package static let longestURL = 32

  package let kind: Kind
  /// How many octets of `words` count, for a URL; else 0.
  private let length: UInt8
  /// The identity's octets, most significant first.
  private let words: (UInt64, UInt64, UInt64, UInt64)
  /// The address of one device among several of the identity, bit 48 set; 0 where they are one beacon.
  private var device: UInt64 = 0

  private init(_ kind: Kind, length: UInt8 = 0, _ a: UInt64, _ b: UInt64 = 0, _ c: UInt64 = 0, _ d: UInt64 = 0) {
    self.kind = kind
    self.length = length
    words = (a, b, c, d)
  }

  /// Nil for telemetry, which says nothing of who sent it, and for a URL longer than `longestURL`.
  package init?(_ frame: Frame) {
    switch frame {
    case .iBeacon(let frame):
      self.init(iBeacon: frame.uuid, major: frame.major, minor: frame.minor)
    case .eddystoneUID(let frame):
      self.init(eddystoneUID: frame.id)
    case .eddystoneEID(let frame):
      self.init(eddystoneEID: frame.eid)
    case .altBeacon(let frame):
      self.init(altBeacon: frame.organization, unit: frame.unit, manufacturer: frame.manufacturer)
    case .eddystoneURL(let frame):
      self.init(eddystoneURL: frame.encoded)
    case .eddystoneTLM, .eddystoneETLM:
      return nil
    }
  }

  package init(iBeacon uuid: UUID128, major: UInt16, minor: UInt16) {
    self.init(.iBeacon, uuid.high, uuid.low, UInt64(major) << 16 | UInt64(minor))
  }

  /// Namespace and instance.
  package init(eddystoneUID id: UUID128) {
    self.init(.eddystoneUID, id.high, id.low)
  }

  package init(eddystoneEID eid: UInt64) {
    self.init(.eddystoneEID, eid)
  }

  /// The first 16 octets of the id, the other four, and the manufacturer.
  package init(altBeacon organization: UUID128, unit: UInt32, manufacturer: UInt16) {
    self.init(.altBeacon, organization.high, organization.low, UInt64(unit) << 16 | UInt64(manufacturer))
  }

  /// The scheme octet and the encoded URL; nil if they are longer than `longestURL`.
  package init?(eddystoneURL encoded: Octets) {
    guard encoded.count <= Self.longestURL else { return nil }
    var words = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    withUnsafeMutableBytes(of: &words) { target in
      encoded.withUnsafeBytes { target.copyMemory(from: $0) }
    }
    self.init(
      .eddystoneURL, length: UInt8(encoded.count), UInt64(bigEndian: words.0), UInt64(bigEndian: words.1),
      UInt64(bigEndian: words.2), UInt64(bigEndian: words.3))
  }

  /// Any device, by its address.
  package init(device address: DeviceAddress) {
    self.init(.device, address.value)
  }

  /// The same identity, of one device among several that have it.
  package func of(_ address: DeviceAddress) -> BeaconIdentity {
    var identity = self
    identity.device = address.value | 1 << 48
    return identity
  }

  /// The same identity, whichever device has it.
  package var ofAnyDevice: BeaconIdentity {
    var identity = self
    identity.device = 0
    return identity
  }

  package static func == (a: BeaconIdentity, b: BeaconIdentity) -> Bool {
    a.kind == b.kind && a.length == b.length && a.device == b.device && a.words == b.words
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3 ^ UInt64(kind.rawValue) ^ device << 8)
  }
}

// MARK: Parts, each meaningful for the kinds named

extension BeaconIdentity {
  /// iBeacon: the UUID. Eddystone-UID: namespace and instance. AltBeacon: the first 16 octets of the id.
  package var uuid: UUID128 { UUID128(high: words.0, low: words.1) }
  /// Eddystone-UID: the 6-octet instance.
  package var instance: UInt64 { words.1 & 0xffff_ffff_ffff }
  /// iBeacon.
  package var major: UInt16 { UInt16(truncatingIfNeeded: words.2 >> 16) }
  /// iBeacon.
  package var minor: UInt16 { UInt16(truncatingIfNeeded: words.2) }
  /// Eddystone-EID.
  package var eid: UInt64 { words.0 }
  /// AltBeacon: the last 4 octets of the id.
  package var unit: UInt32 { UInt32(truncatingIfNeeded: words.2 >> 16) }
  /// AltBeacon.
  package var manufacturer: UInt16 { UInt16(truncatingIfNeeded: words.2) }

  /// The address that is part of the identity: of a device watched by it, or told from others by it.
  package var deviceAddress: DeviceAddress? {
    if kind == .device { return DeviceAddress(words.0) }
    return device == 0 ? nil : DeviceAddress(device)
  }

  /// Eddystone-URL: calls `body` with the scheme octet and the encoded URL.
  package func withEncodedURL<Result>(_ body: (Octets) -> Result) -> Result {
    let octets = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
    return withUnsafeBytes(of: octets) { body(Octets($0).prefix(Int(length))) }
  }
}

extension BeaconIdentity: Comparable {
  /// By kind, then octet by octet; a URL that another one starts with comes before it. Then by the device.
  package static func < (a: BeaconIdentity, b: BeaconIdentity) -> Bool {
    guard a.kind == b.kind else { return a.kind < b.kind }
    if a.words != b.words { return a.words < b.words }
    return a.length == b.length ? a.device < b.device : a.length < b.length
  }
}
