import BluetoothLE

/// What a beacon says, to be encoded: the counterpart of `Frame`.
package enum BeaconFrame: Hashable, Sendable {
  /// Power in dBm at 1 m.
  case iBeacon(uuid: UUID128, major: UInt16, minor: UInt16, power: Int8)
  /// The 20-octet id is that of an organisation and a unit; power in dBm at 1 m.
  case altBeacon(manufacturer: UInt16, organization: UUID128, unit: UInt32, power: Int8)
  /// A namespace of 10 octets and an instance of 6; power in dBm at 0 m.
  case eddystoneUID(UUID128, power: Int8)
  /// A scheme octet and an encoded URL, as `EddystoneURL.encoded(_:)` gives; power in dBm at 0 m.
  case eddystoneURL([UInt8], power: Int8)
  /// An ephemeral identifier; power in dBm at 0 m.
  case eddystoneEID(UInt64, power: Int8)
  /// Telemetry: millivolts, 1/256 °C, advertisements and tenths of a second since power-up.
  case eddystoneTLM(millivolts: UInt16, temperature256: Int16, count: UInt32, deciseconds: UInt32)
}

extension BeaconFrame {
  /// The whole advertisement: flags, the service list where it is Eddystone, the frame.
  package var advertisement: [UInt8] {
    // Flags: general discoverable, no BR/EDR.
    var octets: [UInt8] = []
    octets.append(.flags, [0x06])
    switch self {
    case .iBeacon(let uuid, let major, let minor, let power):
      var data: [UInt8] = [0x4c, 0x00, 0x02, 0x15]
      data.append(bigEndian: uuid.high)
      data.append(bigEndian: uuid.low)
      data.append(bigEndian: major)
      data.append(bigEndian: minor)
      data.append(bigEndian: power)
      octets.append(.manufacturerData, data)
    case .altBeacon(let manufacturer, let organization, let unit, let power):
      var data: [UInt8] = []
      data.append(bigEndian: manufacturer.byteSwapped)
      data += [0xbe, 0xac]
      data.append(bigEndian: organization.high)
      data.append(bigEndian: organization.low)
      data.append(bigEndian: unit)
      data.append(bigEndian: power)
      data.append(0)
      octets.append(.manufacturerData, data)
    case .eddystoneUID(let id, let power):
      var frame = [Eddystone.FrameType.uid.rawValue, UInt8(bitPattern: power)]
      frame.append(bigEndian: id.high)
      frame.append(bigEndian: id.low)
      octets.append(eddystone: frame + [0, 0])
    case .eddystoneURL(let encoded, let power):
      octets.append(eddystone: [Eddystone.FrameType.url.rawValue, UInt8(bitPattern: power)] + encoded)
    case .eddystoneEID(let eid, let power):
      var frame = [Eddystone.FrameType.eid.rawValue, UInt8(bitPattern: power)]
      frame.append(bigEndian: eid)
      octets.append(eddystone: frame)
    case .eddystoneTLM(let millivolts, let temperature256, let count, let deciseconds):
      var frame = [Eddystone.FrameType.tlm.rawValue, 0]
      frame.append(bigEndian: millivolts)
      frame.append(bigEndian: temperature256)
      frame.append(bigEndian: count)
      frame.append(bigEndian: deciseconds)
      octets.append(eddystone: frame)
    }
    return octets
  }
}

extension EddystoneURL {
  /// A scheme octet and the encoded URL, the shortest there is; nil when it has no known scheme, a character that cannot
  /// be encoded, or does not fit into the 18 octets that a frame has for it.
  package static func encoded(_ url: String) -> [UInt8]? {
    var rest = url.utf8[...]
    guard let scheme = longest(0...0x03, EddystoneURL.scheme, at: &rest) else { return nil }
    var octets = [scheme]
    while let octet = longest(0...0x0d, EddystoneURL.expansion, at: &rest) ?? rest.popFirst() {
      guard octet <= 0x0d || (0x21...0x7e).contains(octet) else { return nil }
      octets.append(octet)
    }
    return octets.count <= 18 ? octets : nil
  }

  /// The code of the longest text that `rest` starts with, which is taken off.
  private static func longest(
    _ codes: ClosedRange<UInt8>, _ text: (UInt8) -> StaticString?, at rest: inout Substring.UTF8View
  ) -> UInt8? {
    var found: (code: UInt8, length: Int)?
    for code in codes {
      guard let text = text(code)?.description.utf8, rest.starts(with: text), text.count > found?.length ?? 0 else {
        continue
      }
      found = (code, text.count)
    }
    guard let found else { return nil }
    rest = rest.dropFirst(found.length)
    return found.code
  }
}

extension [UInt8] {
  /// Appends an AD structure.
  package mutating func append(_ type: ADType, _ data: [UInt8]) {
    append(UInt8(data.count + 1))
    append(type.rawValue)
    self += data
  }

  /// Appends the list of services that Eddystone's frames come with, and a frame.
  fileprivate mutating func append(eddystone frame: [UInt8]) {
    let service = [UInt8(Eddystone.service & 0xff), UInt8(Eddystone.service >> 8)]
    append(.completeUUIDs16, service)
    append(.serviceData16, service + frame)
  }

  mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
