/// What the Eddystone frames share. Source: Eddystone Protocol Specification, "Common Elements".
package enum Eddystone {
  /// The 16-bit service UUID of every Eddystone frame.
  package static let service: UInt16 = 0xfeaa
  /// Eddystone states power at 0 m; at 1 m it is this much lower, in dB. Source: Eddystone-UID, "Tx Power".
  package static let lossToOneMeter = 41

  package enum FrameType: UInt8, Sendable {
    case uid = 0x00
    case url = 0x10
    case tlm = 0x20
    case eid = 0x30
  }
}

/// Source: Eddystone-UID, "Frame Specification".
package struct EddystoneUID: Hashable, Sendable {
  /// Transmitted power at 0 m in dBm.
  package let power: Int8
  /// The 10-octet namespace and the 6-octet instance behind it.
  package let id: UUID128
  /// The two octets reserved for future use; nil in the 18-octet form that leaves them out.
  package let reserved: UInt16?

  init(_ frame: Octets) throws(DecodingFailure) {
    guard frame.count == 20 || frame.count == 18 else {
      throw DecodingFailure(format: .eddystoneUID, offset: 2, reason: .length(frame.count, expected: 20))
    }
    power = Int8(bitPattern: frame[1])
    id = UUID128(frame, at: 2)
    reserved = frame.count == 20 ? frame.bigEndian(at: 18, as: UInt16.self) : nil
  }
}

/// Source: Eddystone-EID, "Frame Specification".
package struct EddystoneEID: Hashable, Sendable {
  /// Transmitted power at 0 m in dBm.
  package let power: Int8
  /// The 8 octets of the ephemeral identifier, most significant first.
  package let eid: UInt64

  init(_ frame: Octets) throws(DecodingFailure) {
    guard frame.count == 10 else {
      throw DecodingFailure(format: .eddystoneEID, offset: 2, reason: .length(frame.count, expected: 10))
    }
    power = Int8(bitPattern: frame[1])
    eid = frame.bigEndian(at: 2, as: UInt64.self)
  }
}
