/// Advertisements as octets: the encoders of the frames that BluetoothLE decodes.
package enum Payload {
  /// LE General Discoverable, BR/EDR not supported.
  package static let flags: [UInt8] = [0x02, 0x01, 0x06]

  /// One AD structure.
  package static func structure(_ type: UInt8, _ data: [UInt8]) -> [UInt8] { [UInt8(data.count + 1), type] + data }

  /// `uuid` is 16 octets; power is dBm at 1 m.
  package static func iBeacon(uuid: [UInt8], major: UInt16, minor: UInt16, power: Int8) -> [UInt8] {
    flags + structure(0xff, [0x4c, 0x00, 0x02, 0x15] + uuid + big(major) + big(minor) + [UInt8(bitPattern: power)])
  }

  /// `id` is 20 octets; power is dBm at 1 m.
  package static func altBeacon(manufacturer: UInt16, id: [UInt8], power: Int8) -> [UInt8] {
    let head = [UInt8(manufacturer & 0xff), UInt8(manufacturer >> 8), 0xbe, 0xac]
    return flags + structure(0xff, head + id + [UInt8(bitPattern: power), 0])
  }

  /// `namespace` is 10 octets, `instance` 6; power is dBm at 0 m.
  package static func eddystoneUID(namespace: [UInt8], instance: [UInt8], power: Int8) -> [UInt8] {
    eddystone([0x00, UInt8(bitPattern: power)] + namespace + instance + [0, 0])
  }

  /// `encoded` is the scheme octet and the encoded URL; power is dBm at 0 m.
  package static func eddystoneURL(encoded: [UInt8], power: Int8) -> [UInt8] {
    eddystone([0x10, UInt8(bitPattern: power)] + encoded)
  }

  /// Battery in millivolts, temperature in 1/256 °C, time since power-up in 0.1 s.
  package static func eddystoneTLM(
    millivolts: UInt16, temperature: Int16, advertisements: UInt32, deciseconds: UInt32
  ) -> [UInt8] {
    eddystone(
      [0x20, 0x00] + big(millivolts) + big(UInt16(bitPattern: temperature)) + big(advertisements) + big(deciseconds))
  }

  private static func eddystone(_ frame: [UInt8]) -> [UInt8] {
    flags + structure(0x03, [0xaa, 0xfe]) + structure(0x16, [0xaa, 0xfe] + frame)
  }

  private static func big(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}
