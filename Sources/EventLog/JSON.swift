import BluetoothLE
import Linux

/// What every JSON line of the product is made of, written by hand: an encoder costs ten times as much and orders keys
/// as it likes.
extension OutputBuffer {
  /// A string with its quotes. Octets that are no UTF-8 become U+FFFD.
  package mutating func put(json text: String) {
    put(UInt8(ascii: "\""))
    for octet in text.utf8 { putEscaped(octet) }
    put(UInt8(ascii: "\""))
  }

  /// A description as a string with its quotes.
  package mutating func put(json text: some DescribedInPieces) {
    put(UInt8(ascii: "\""))
    text.describe { for octet in $0.utf8 { putEscaped(octet) } }
    put(UInt8(ascii: "\""))
  }

  /// A description as it is.
  package mutating func put(pieces text: some DescribedInPieces) {
    text.describe { put(string: $0) }
  }

  /// One octet of UTF-8 inside a string. Source: RFC 8259, section 7.
  package mutating func putEscaped(_ octet: UInt8) {
    switch octet {
    case UInt8(ascii: "\""): put("\\\"")
    case UInt8(ascii: "\\"): put("\\\\")
    case 0..<0x20, 0x7f:
      put("\\u00")
      put(hex: UInt64(octet), digits: 2)
    default: put(octet)
    }
  }

  /// A string of hex digits, with its quotes.
  package mutating func put(jsonHex octets: Octets) {
    put(UInt8(ascii: "\""))
    octets.withUnsafeBytes { put(hex: $0) }
    put(UInt8(ascii: "\""))
  }

  /// `c0:00:00:00:00:01`.
  package mutating func put(_ address: DeviceAddress) {
    put(colonHex: address.value)
  }

  /// `74278bda-b644-4520-8f0c-720eaf059935`.
  package mutating func put(_ uuid: UUID128) {
    put(uuidHigh: uuid.high, low: uuid.low)
  }

  /// The 10 octets of an Eddystone namespace.
  package mutating func put(namespace id: UUID128) {
    put(hex: id.high, digits: 16)
    put(hex: id.low >> 48, digits: 4)
  }

  /// The 6 octets of an Eddystone instance.
  package mutating func put(instance id: UUID128) {
    put(hex: id.low, digits: 12)
  }

  /// The URL that a scheme octet and an encoded URL stand for, escaped for JSON, without quotes.
  package mutating func put(jsonURL encoded: Octets) {
    guard !encoded.isEmpty, let scheme = EddystoneURL.scheme(encoded[0]) else { return }
    put(scheme)
    for index in 1..<encoded.count {
      if let expansion = EddystoneURL.expansion(encoded[index]) {
        put(expansion)
      } else {
        putEscaped(encoded[index])
      }
    }
  }
}
