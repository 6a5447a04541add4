import BluetoothLE

/// Walks JSON text and holds it against the grammar. Source: RFC 8259.
struct JSONScanner {
  /// Events nest four deep; a text that wants more wants the stack.
  private static let deepest = 16

  let octets: Octets
  var index = 0

  init(_ octets: Octets) {
    self.octets = octets
  }

  private var next: UInt8? { index < octets.count ? octets[index] : nil }

  mutating func skipSpace() {
    while let octet = next, octet == 0x20 || octet == 0x0a || octet == 0x0d || octet == 0x09 { index += 1 }
  }

  private mutating func take(_ octet: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: octet) else { return false }
    index += 1
    return true
  }

  private mutating func take(word: StaticString) -> Bool {
    guard octets.dropping(index).starts(with: word) else { return false }
    index += word.utf8CodeUnitCount
    return true
  }

  /// Walks over one value; false where there is none.
  mutating func scanValue(depth: Int) -> Bool {
    guard depth < Self.deepest else { return false }
    switch next {
    case UInt8(ascii: "{"): return scanObject(depth: depth)
    case UInt8(ascii: "["): return scanArray(depth: depth)
    case UInt8(ascii: "\""): return scanString()
    case UInt8(ascii: "n"): return take(word: "null")
    case UInt8(ascii: "t"): return take(word: "true")
    case UInt8(ascii: "f"): return take(word: "false")
    default: return scanNumber()
    }
  }

  private mutating func scanObject(depth: Int) -> Bool {
    index += 1
    skipSpace()
    if take("}") { return true }
    repeat {
      skipSpace()
      guard scanString() else { return false }
      skipSpace()
      guard take(":") else { return false }
      skipSpace()
      guard scanValue(depth: depth + 1) else { return false }
      skipSpace()
    } while take(",")
    return take("}")
  }

  private mutating func scanArray(depth: Int) -> Bool {
    index += 1
    skipSpace()
    if take("]") { return true }
    repeat {
      skipSpace()
      guard scanValue(depth: depth + 1) else { return false }
      skipSpace()
    } while take(",")
    return take("]")
  }

  private mutating func scanString() -> Bool {
    guard take("\"") else { return false }
    while let octet = next {
      switch octet {
      case UInt8(ascii: "\""):
        index += 1
        return true
      case UInt8(ascii: "\\"):
        index += 1
        guard scanEscape() else { return false }
      case 0x20..<0x80: index += 1
      case 0x80...: guard scanMultibyte(octet) else { return false }
      default: return false
      }
    }
    return false
  }

  private mutating func scanEscape() -> Bool {
    guard let escaped = next else { return false }
    index += 1
    switch escaped {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return true
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard let octet = next, hexDigit(octet) != nil else { return false }
        index += 1
      }
      return true
    default: return false
    }
  }

  /// A scalar of two to four octets. Source: RFC 3629, section 4.
  private mutating func scanMultibyte(_ first: UInt8) -> Bool {
    let second: ClosedRange<UInt8>
    let length: Int
    switch first {
    case 0xc2...0xdf: (length, second) = (2, 0x80...0xbf)
    case 0xe0: (length, second) = (3, 0xa0...0xbf)
    case 0xed: (length, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: (length, second) = (3, 0x80...0xbf)
    case 0xf0: (length, second) = (4, 0x90...0xbf)
    case 0xf1...0xf3: (length, second) = (4, 0x80...0xbf)
    case 0xf4: (length, second) = (4, 0x80...0x8f)
    default: return false
    }
    guard index + length <= octets.count, second.contains(octets[index + 1]) else { return false }
    for later in 2..<max(length, 2) where octets[index + later] & 0xc0 != 0x80 { return false }
    index += length
    return true
  }

  private mutating func scanNumber() -> Bool {
    _ = take("-")
    // No digit follows a zero at the beginning.
    guard take("0") || scanDigits() else { return false }
    if take("."), !scanDigits() { return false }
    if take("e") || take("E") {
      _ = take("+") || take("-")
      return scanDigits()
    }
    return true
  }

  private mutating func scanDigits() -> Bool {
    let start = index
    while let octet = next, decimalDigit(octet) != nil { index += 1 }
    return index > start
  }
}

/// The value of a decimal digit.
func decimalDigit(_ octet: UInt8) -> UInt8? {
  let value = octet &- UInt8(ascii: "0")
  return value < 10 ? value : nil
}
