/// An iBeacon frame. Source: Apple, Proximity Beacon Specification R1, table 1.
package struct IBeacon: Hashable, Sendable {
  package let uuid: UUID128
  package let major: UInt16
  package let minor: UInt16
  /// Received power at 1 m in dBm, as the beacon states it.
  package let measuredPower: Int8

  static let appleCompany: UInt16 = 0x004c
  /// Subtype and length, 0x02 0x15, read most significant first.
  static let typeAndLength: UInt16 = 0x0215

  /// Reads manufacturer data; nil when it is another company's or another Apple type's.
  @inline(__always)
  package init?(manufacturerData data: Octets) throws(DecodingFailure) {
    guard data.count >= 3 else { return nil }
    let company = data.littleEndian(at: 0, as: UInt16.self)
    guard company == Self.appleCompany else {
      // Another company's data that otherwise reads as an iBeacon: a firmware fault worth naming.
      if data.count >= 4, data.bigEndian(at: 2, as: UInt16.self) == Self.typeAndLength {
        throw DecodingFailure(format: .iBeacon, offset: 0, reason: .company(company))
      }
      return nil
    }
    guard data[2] == 0x02 else { return nil }
    guard data.count == 25 else {
      throw DecodingFailure(format: .iBeacon, offset: 0, reason: .length(data.count, expected: 25))
    }
    guard data[3] == 0x15 else {
      throw DecodingFailure(format: .iBeacon, offset: 3, reason: .innerLength(data[3]))
    }
    uuid = UUID128(data, at: 4)
    major = data.bigEndian(at: 20, as: UInt16.self)
    minor = data.bigEndian(at: 22, as: UInt16.self)
    measuredPower = Int8(bitPattern: data[24])
  }
}
