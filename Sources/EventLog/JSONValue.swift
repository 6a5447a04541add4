/// A JSON text that was checked once and is looked into where it lies, without a copy.
///
/// Strict: UTF-8, nothing before or behind the value, at most 16 levels. Source: RFC 8259. Borrowed: valid for as long as
/// the octets are.
package struct JSONValue {
  /// Without white space around it.
  private let octets: UnsafeRawBufferPointer

  /// Nil where the octets are not one JSON value.
  package init?(_ octets: UnsafeRawBufferPointer) {
    var scanner = JSONScanner(octets)
    guard let range = scanner.value(depth: 1), scanner.isAtEnd else { return nil }
    self.octets = UnsafeRawBufferPointer(rebasing: octets[range])
  }

  private init(part octets: UnsafeRawBufferPointer) {
    self.octets = octets
  }

  // MARK: Objects and lists

  /// The first member of an object that has the key; a key that is written with escapes is not found.
  package subscript(key: String) -> JSONValue? {
    var found: JSONValue?
    forEachMember { name, value in
      if found == nil, name.elementsEqual(key.utf8) { found = value }
      return found == nil
    }
    return found
  }

  /// The elements of a list; nil for anything else.
  package var elements: [JSONValue]? {
    guard octets.first == UInt8(ascii: "[") else { return nil }
    var scanner = JSONScanner(octets)
    var elements: [JSONValue] = []
    scanner.skip(1)
    while let range = scanner.value(depth: 0) {
      elements.append(JSONValue(part: UnsafeRawBufferPointer(rebasing: octets[range])))
      scanner.skip(1)
    }
    return elements
  }

  /// Calls `body` with each key, as it is written between its quotes, and its value, until that gives false.
  private func forEachMember(_ body: (UnsafeRawBufferPointer, JSONValue) -> Bool) {
    guard octets.first == UInt8(ascii: "{") else { return }
    var scanner = JSONScanner(octets)
    scanner.skip(1)
    while let name = scanner.value(depth: 0) {
      scanner.skip(1)
      guard let range = scanner.value(depth: 0) else { return }
      let text = UnsafeRawBufferPointer(rebasing: octets[name.lowerBound + 1..<name.upperBound - 1])
      guard body(text, JSONValue(part: UnsafeRawBufferPointer(rebasing: octets[range]))) else { return }
      scanner.skip(1)
    }
  }

  // MARK: Scalars; nil for anything else

  package var boolean: Bool? {
    switch octets.first {
    case UInt8(ascii: "t"): true
    case UInt8(ascii: "f"): false
    default: nil
    }
  }

  package var number: Double? {
    guard let first = octets.first, first == UInt8(ascii: "-") || JSONScanner.isDigit(first) else { return nil }
    return Double(String(decoding: octets, as: UTF8.self))
  }

  /// A number without a point or an exponent that fits.
  package var integer: Int64? { Int64(String(decoding: octets, as: UTF8.self)) }

  package var string: String? {
    guard octets.first == UInt8(ascii: "\"") else { return nil }
    let text = UnsafeRawBufferPointer(rebasing: octets[1..<octets.count - 1])
    guard text.contains(UInt8(ascii: "\\")) else { return String(decoding: text, as: UTF8.self) }
    return JSONScanner.unescaped(text)
  }
}

/// A walk over JSON text.
private struct JSONScanner {
  private static let deepest = 16

  private let octets: UnsafeRawBufferPointer
  private var position = 0

  init(_ octets: UnsafeRawBufferPointer) {
    self.octets = octets
  }

  static func isDigit(_ octet: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) }

  /// Nothing but white space is left.
  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return position == octets.count
    }
  }

  private var next: UInt8? { position < octets.count ? octets[position] : nil }

  /// Passes white space and so many octets behind it.
  mutating func skip(_ count: Int) {
    skipSpace()
    position = min(position + count, octets.count)
  }

  private mutating func skipSpace() {
    while let octet = next, [0x20, 0x09, 0x0a, 0x0d].contains(octet) { position += 1 }
  }

  private mutating func take(_ octet: UInt8) -> Bool {
    skipSpace()
    guard next == octet else { return false }
    position += 1
    return true
  }

  /// Passes a value; gives where it stands, nil where there is none.
  mutating func value(depth: Int) -> Range<Int>? {
    skipSpace()
    let start = position
    let isValue: Bool
    switch next {
    case UInt8(ascii: "{"): isValue = depth <= Self.deepest && list(end: UInt8(ascii: "}"), hasKeys: true, depth)
    case UInt8(ascii: "["): isValue = depth <= Self.deepest && list(end: UInt8(ascii: "]"), hasKeys: false, depth)
    case UInt8(ascii: "\""): isValue = string()
    case UInt8(ascii: "t"): isValue = word("true")
    case UInt8(ascii: "f"): isValue = word("false")
    case UInt8(ascii: "n"): isValue = word("null")
    default: isValue = number()
    }
    return isValue ? start..<position : nil
  }

  private mutating func list(end: UInt8, hasKeys: Bool, _ depth: Int) -> Bool {
    position += 1
    if take(end) { return true }
    repeat {
      if hasKeys {
        skipSpace()
        guard next == UInt8(ascii: "\""), string(), take(UInt8(ascii: ":")) else { return false }
      }
      guard value(depth: depth + 1) != nil else { return false }
    } while take(UInt8(ascii: ","))
    return take(end)
  }

  private mutating func word(_ text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard octets.count - position >= length else { return false }
    let isThere = octets[position..<position + length].elementsEqual(
      UnsafeBufferPointer(start: text.utf8Start, count: length))
    position += length
    return isThere
  }

  private mutating func number() -> Bool {
    if next == UInt8(ascii: "-") { position += 1 }
    // No zeros in front.
    if next == UInt8(ascii: "0") {
      position += 1
    } else if !digits() {
      return false
    }
    if next == UInt8(ascii: ".") {
      position += 1
      if !digits() { return false }
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      if !digits() { return false }
    }
    return true
  }

  private mutating func digits() -> Bool {
    let start = position
    while let octet = next, Self.isDigit(octet) { position += 1 }
    return position > start
  }

  private mutating func string() -> Bool {
    let start = position + 1
    position = start
    while let octet = next {
      switch octet {
      case UInt8(ascii: "\""):
        position += 1
        return isUTF8(start..<position - 1)
      case UInt8(ascii: "\\"):
        guard escape() else { return false }
      case 0..<0x20: return false
      default: position += 1
      }
    }
    return false
  }

  private mutating func escape() -> Bool {
    position += 1
    guard let octet = next else { return false }
    position += 1
    switch octet {
    case UInt8(ascii: "u"):
      guard octets.count - position >= 4, octets[position..<position + 4].allSatisfy({ Self.hexDigit($0) != nil })
      else {
        return false
      }
      position += 4
      return true
    default: return #""\/bfnrt"#.utf8.contains(octet)
    }
  }

  private static func hexDigit(_ octet: UInt8) -> UInt16? {
    UnicodeScalar(octet).properties.isASCIIHexDigit
      ? Character(UnicodeScalar(octet)).hexDigitValue.map { UInt16($0) } : nil
  }

  private func isUTF8(_ range: Range<Int>) -> Bool {
    let text = UnsafeRawBufferPointer(rebasing: octets[range])
    if text.allSatisfy({ $0 < 0x80 }) { return true }
    return String(validating: text, as: UTF8.self) != nil
  }

  /// A string's text with its escapes resolved; half a surrogate pair becomes U+FFFD.
  static func unescaped(_ text: UnsafeRawBufferPointer) -> String {
    var units: [UInt8] = []
    var surrogates: [UInt16] = []
    func flush() {
      guard !surrogates.isEmpty else { return }
      units += Array(String(decoding: surrogates, as: UTF16.self).utf8)
      surrogates.removeAll()
    }
    var index = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else {
        flush()
        units.append(text[index])
        index += 1
        continue
      }
      let octet = text[index + 1]
      index += 2
      if octet == UInt8(ascii: "u") {
        surrogates.append(text[index..<min(index + 4, text.count)].reduce(0) { $0 << 4 | (hexDigit($1) ?? 0) })
        index += 4
        continue
      }
      flush()
      switch octet {
      case UInt8(ascii: "b"): units.append(0x08)
      case UInt8(ascii: "f"): units.append(0x0c)
      case UInt8(ascii: "n"): units.append(0x0a)
      case UInt8(ascii: "r"): units.append(0x0d)
      case UInt8(ascii: "t"): units.append(0x09)
      default: units.append(octet)
      }
    }
    flush()
    return String(decoding: units, as: UTF8.self)
  }
}
