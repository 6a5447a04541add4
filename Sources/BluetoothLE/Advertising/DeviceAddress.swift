/// A Bluetooth device address: 48 bits, the most significant octet first in text.
package struct DeviceAddress: Hashable, Comparable, Sendable {
  /// The address in the low 48 bits.
  package let value: UInt64

  @inlinable
  package init(_ value: UInt64) {
    self.value = value & 0xffff_ffff_ffff
  }

  /// Reads six octets as they travel, least significant first.
  @inlinable
  package init(_ octets: Octets, at offset: Int) {
    value =
      UInt64(octets.littleEndian(at: offset, as: UInt32.self))
      | UInt64(octets.littleEndian(at: offset + 4, as: UInt16.self)) << 32
  }

  /// Reads `c0:00:00:00:00:01`, in either case.
  package init?(_ text: some StringProtocol) {
    var value: UInt64 = 0
    var position = 0
    for octet in text.utf8 {
      if position % 3 == 2 {
        guard octet == UInt8(ascii: ":") else { return nil }
      } else {
        guard position < 17, let digit = hexDigit(octet) else { return nil }
        value = value << 4 | UInt64(digit)
      }
      position += 1
    }
    guard position == 17 else { return nil }
    self.value = value
  }

  package static func < (a: DeviceAddress, b: DeviceAddress) -> Bool { a.value < b.value }
}

extension DeviceAddress: CustomStringConvertible {
  package var description: String {
    var text = ""
    for shift in stride(from: 40, through: 0, by: -8) {
      let octet = String(value >> UInt64(shift) & 0xff, radix: 16)
      text += (octet.count == 1 ? "0" : "") + octet + (shift > 0 ? ":" : "")
    }
    return text
  }
}

/// Address type of an advertising report. Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.2 and 7.7.65.13.
package struct AddressType: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  @inlinable
  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let `public` = AddressType(rawValue: 0x00)
  package static let random = AddressType(rawValue: 0x01)
  package static let publicIdentity = AddressType(rawValue: 0x02)
  package static let randomIdentity = AddressType(rawValue: 0x03)
  package static let anonymous = AddressType(rawValue: 0xff)
}

/// The value of an ASCII hex digit.
@inlinable
package func hexDigit(_ octet: UInt8) -> UInt8? {
  switch octet {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): octet - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): octet - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): octet - UInt8(ascii: "A") + 10
  default: nil
  }
}

/// The octets that hex digits stand for, two digits an octet; nil where there is anything else.
package func hexOctets(_ digits: String) -> [UInt8]? {
  let values = digits.utf8.compactMap(hexDigit)
  guard values.count == digits.utf8.count, values.count % 2 == 0 else { return nil }
  return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
}

/// At most 8 octets as a number, the most significant first.
package func bigEndian(_ octets: ArraySlice<UInt8>) -> UInt64 {
  octets.reduce(0) { $0 << 8 | UInt64($1) }
}
