/// Whether octets are one JSON value, as RFC 8259 has it, in UTF-8 and without a line end.
///
/// Written here, so that what our writer makes is judged by something other than our writer.
package func isJSONLine(_ octets: UnsafeRawBufferPointer) -> Bool {
  guard String(validating: octets, as: UTF8.self) != nil else { return false }
  var reader = JSONReader(octets: octets)
  return reader.value(depth: 0) && reader.index == octets.count
}

/// Walks JSON without white space, which our lines have none of.
private struct JSONReader {
  let octets: UnsafeRawBufferPointer
  var index = 0

  init(octets: UnsafeRawBufferPointer) {
    self.octets = octets
  }

  private var next: UInt8? { index < octets.count ? octets[index] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func take(word: StaticString) -> Bool {
    for offset in 0..<word.utf8CodeUnitCount where !take(Unicode.Scalar(word.utf8Start[offset])) { return false }
    return true
  }

  mutating func value(depth: Int) -> Bool {
    guard depth < 16 else { return false }
    switch next {
    case UInt8(ascii: "{"): return list("{", "}") { $0.string() && $0.take(":") && $0.value(depth: depth + 1) }
    case UInt8(ascii: "["): return list("[", "]") { $0.value(depth: depth + 1) }
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "n"): return take(word: "null")
    case UInt8(ascii: "t"): return take(word: "true")
    case UInt8(ascii: "f"): return take(word: "false")
    default: return number()
    }
  }

  private mutating func list(
    _ start: Unicode.Scalar, _ end: Unicode.Scalar, _ element: (inout JSONReader) -> Bool
  ) -> Bool {
    guard take(start) else { return false }
    if take(end) { return true }
    repeat {
      guard element(&self) else { return false }
    } while take(",")
    return take(end)
  }

  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while let octet = next {
      index += 1
      switch octet {
      case UInt8(ascii: "\""): return true
      case 0..<0x20: return false
      case UInt8(ascii: "\\"):
        guard let escaped = next else { return false }
        index += 1
        if escaped == UInt8(ascii: "u") {
          for _ in 0..<4 {
            guard let digit = next, Character(Unicode.Scalar(digit)).isHexDigit else { return false }
            index += 1
          }
        } else if !"\"\\/bfnrt".utf8.contains(escaped) {
          return false
        }
      default: break
      }
    }
    return false
  }

  private mutating func number() -> Bool {
    _ = take("-")
    if !take("0") {
      guard digits() else { return false }
    }
    return take(".") ? digits() : true
  }

  private mutating func digits() -> Bool {
    let start = index
    while let octet = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) { index += 1 }
    return index > start
  }
}
