import BluetoothLE

/// A value in JSON text, read where it stands: nothing is copied before it is asked for.
///
/// Like the octets it is valid for one call. Source: RFC 8259.
package struct JSONValue {
  /// The value's own octets, no white space around.
  private let octets: Octets

  /// The value that the octets are, with white space around it or not; nil where they are anything else, are not UTF-8
  /// throughout, or nest deeper than 16.
  package init?(_ octets: Octets) {
    var scanner = JSONScanner(octets)
    scanner.skipSpace()
    let start = scanner.index
    guard scanner.scanValue(depth: 0) else { return nil }
    let end = scanner.index
    scanner.skipSpace()
    guard scanner.index == octets.count else { return nil }
    self.octets = octets[start, upTo: end]
  }

  /// Octets that are known to be a value.
  fileprivate init(valid octets: Octets) {
    self.octets = octets
  }

  package var isObject: Bool { octets[0] == UInt8(ascii: "{") }
  package var isArray: Bool { octets[0] == UInt8(ascii: "[") }
  package var isNull: Bool { octets[0] == UInt8(ascii: "n") }

  package var boolean: Bool? {
    switch octets[0] {
    case UInt8(ascii: "t"): true
    case UInt8(ascii: "f"): false
    default: nil
    }
  }

  /// The number as the nearest Double.
  package var number: Double? {
    guard isNumber else { return nil }
    return plainNumber ?? Double(String(decoding: octets.array, as: UTF8.self))
  }

  /// A number of at most 15 digits and without an exponent: both parts of the quotient are exact, and so it is the nearest.
  private var plainNumber: Double? {
    let isNegative = octets[0] == UInt8(ascii: "-")
    guard octets.count <= 15 else { return nil }
    var digits: Int64 = 0
    var unit: Int64 = 0
    for index in (isNegative ? 1 : 0)..<octets.count {
      if let digit = decimalDigit(octets[index]) {
        digits = digits * 10 + Int64(digit)
        unit *= 10
      } else if octets[index] == UInt8(ascii: ".") {
        unit = 1
      } else {
        return nil
      }
    }
    let magnitude = Double(digits) / Double(max(unit, 1))
    return isNegative ? -magnitude : magnitude
  }

  /// The number, where it is whole, not negative, written without point and exponent, and not too large.
  package var unsigned: UInt64? {
    guard isNumber else { return nil }
    var value: UInt64 = 0
    for index in 0..<octets.count {
      guard let digit = decimalDigit(octets[index]) else { return nil }
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowSum) = tens.addingReportingOverflow(UInt64(digit))
      if overflow || overflowSum { return nil }
      value = sum
    }
    return value
  }

  /// The number, where it is whole, written without point and exponent, and fits.
  package var integer: Int64? { isNumber ? Int64(String(decoding: octets.array, as: UTF8.self)) : nil }

  private var isNumber: Bool { octets[0] == UInt8(ascii: "-") || decimalDigit(octets[0]) != nil }

  /// The string; half a surrogate pair in it becomes U+FFFD.
  package var string: String? {
    guard octets[0] == UInt8(ascii: "\"") else { return nil }
    let content = octets[1, upTo: octets.count - 1]
    return content.withUnsafeBytes { JSONString.text($0) }
  }

  /// Whether it is the string of these octets.
  func isString(_ text: UnsafeRawBufferPointer) -> Bool {
    guard octets[0] == UInt8(ascii: "\"") else { return false }
    return octets[1, upTo: octets.count - 1].withUnsafeBytes { content in
      if content.count == text.count, content.elementsEqual(text) { return true }
      guard content.count > text.count, content.contains(UInt8(ascii: "\\")) else { return false }
      return JSONString.text(content).utf8.elementsEqual(text)
    }
  }

  /// The first member of an object that has this name.
  package subscript(_ name: String) -> JSONValue? {
    guard isObject else { return nil }
    var name = name
    return name.withUTF8 { name in
      var scanner = JSONScanner(octets)
      scanner.index = 1
      while let member = scanner.nextMember() {
        if member.name.isString(UnsafeRawBufferPointer(name)) { return member.value }
      }
      return nil
    }
  }

  /// The element of an array with this index.
  package subscript(_ index: Int) -> JSONValue? {
    var found: JSONValue?
    var place = 0
    forEachElement { element in
      if place == index { found = element }
      place += 1
    }
    return found
  }

  /// Calls `body` with each element of an array, in order; not at all for other values.
  package func forEachElement(_ body: (JSONValue) -> Void) {
    guard isArray else { return }
    var scanner = JSONScanner(octets)
    scanner.index = 1
    while let element = scanner.nextValue(before: UInt8(ascii: "]")) { body(element) }
  }

  /// Calls `body` with the name, a string, and the value of each member of an object, in order; not at all for other
  /// values.
  package func forEachMember(_ body: (JSONValue, JSONValue) -> Void) {
    guard isObject else { return }
    var scanner = JSONScanner(octets)
    scanner.index = 1
    while let member = scanner.nextMember() { body(member.name, member.value) }
  }
}

extension JSONScanner {
  /// The next value of a list that is known to be valid, the comma behind it taken; nil at the list's end.
  fileprivate mutating func nextValue(before end: UInt8) -> JSONValue? {
    skipSpace()
    guard index < octets.count, octets[index] != end else { return nil }
    let start = index
    // The whole was held against the limit on depth: its parts nest less.
    guard scanValue(depth: 0) else { return nil }
    let value = JSONValue(valid: octets[start, upTo: index])
    skip(UInt8(ascii: ","))
    return value
  }

  /// The next member of an object that is known to be valid, the comma behind it taken; nil at the object's end.
  fileprivate mutating func nextMember() -> (name: JSONValue, value: JSONValue)? {
    guard let name = nextValue(before: UInt8(ascii: "}")) else { return nil }
    skip(UInt8(ascii: ":"))
    return nextValue(before: UInt8(ascii: "}")).map { (name, $0) }
  }

  /// Skips white space, and then `octet` where it is there.
  fileprivate mutating func skip(_ octet: UInt8) {
    skipSpace()
    if index < octets.count, octets[index] == octet { index += 1 }
  }
}

/// The inside of a JSON string that is known to be valid.
private enum JSONString {
  static func text(_ octets: UnsafeRawBufferPointer) -> String {
    octets.contains(UInt8(ascii: "\\")) ? unescaped(octets) : String(decoding: octets, as: UTF8.self)
  }

  private static func unescaped(_ octets: UnsafeRawBufferPointer) -> String {
    var text = ""
    text.reserveCapacity(octets.count)
    var index = 0
    while index < octets.count {
      guard octets[index] == UInt8(ascii: "\\") else {
        let end = octets[index...].firstIndex(of: UInt8(ascii: "\\")) ?? octets.count
        text += String(decoding: octets[index..<end], as: UTF8.self)
        index = end
        continue
      }
      index += 2
      switch octets[index - 1] {
      case UInt8(ascii: "b"): text.unicodeScalars.append("\u{8}")
      case UInt8(ascii: "f"): text.unicodeScalars.append("\u{c}")
      case UInt8(ascii: "n"): text.unicodeScalars.append("\n")
      case UInt8(ascii: "r"): text.unicodeScalars.append("\r")
      case UInt8(ascii: "t"): text.unicodeScalars.append("\t")
      case UInt8(ascii: "u"):
        let unit = codeUnit(octets, at: index)
        index += 4
        // A high surrogate makes one scalar with the low one that follows it. Source: RFC 8259, section 7.
        if unit & 0xfc00 == 0xd800, index + 6 <= octets.count, octets[index] == UInt8(ascii: "\\"),
          octets[index + 1] == UInt8(ascii: "u"), codeUnit(octets, at: index + 2) & 0xfc00 == 0xdc00
        {
          let low = codeUnit(octets, at: index + 2)
          index += 6
          text.unicodeScalars.append(scalar(0x10000 + (unit & 0x3ff) << 10 + low & 0x3ff))
        } else {
          text.unicodeScalars.append(scalar(unit))
        }
      case let octet: text.unicodeScalars.append(Unicode.Scalar(octet))
      }
    }
    return text
  }

  private static func scalar(_ value: UInt32) -> Unicode.Scalar { Unicode.Scalar(value) ?? "\u{fffd}" }

  private static func codeUnit(_ octets: UnsafeRawBufferPointer, at index: Int) -> UInt32 {
    var unit: UInt32 = 0
    for octet in octets[index..<index + 4] { unit = unit << 4 | UInt32(hexDigit(octet) ?? 0) }
    return unit
  }
}
