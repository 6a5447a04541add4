/// An AltBeacon frame. Source: AltBeacon Protocol Specification 1.0, AltBeacon protocol format.
package struct AltBeacon: Hashable, Sendable {
  package let manufacturer: UInt16
  /// The 20-octet beacon id: 16 octets of the organisation and 4 of its choice.
  package let organization: UUID128
  package let unit: UInt32
  /// Received power at 1 m in dBm, as the beacon states it.
  package let referenceRSSI: Int8
  package let reserved: UInt8

  static let code: UInt16 = 0xbeac

  /// Reads manufacturer data; nil when it does not carry the AltBeacon code.
  @inline(__always)
  package init?(manufacturerData data: Octets) throws(DecodingFailure) {
    guard data.count >= 4, data.bigEndian(at: 2, as: UInt16.self) == Self.code else { return nil }
    guard data.count == 26 else {
      throw DecodingFailure(format: .altBeacon, offset: 0, reason: .length(data.count, expected: 26))
    }
    manufacturer = data.littleEndian(at: 0, as: UInt16.self)
    organization = UUID128(data, at: 4)
    unit = data.bigEndian(at: 20, as: UInt32.self)
    referenceRSSI = Int8(bitPattern: data[24])
    reserved = data[25]
  }
}
