/// Octets written as hex digits; white space between them is skipped. Nil when anything else is there, or a digit alone.
package func octets(hex text: String) -> [UInt8]? {
  var result: [UInt8] = []
  var high: UInt8?
  for character in text where !character.isWhitespace {
    guard let digit = character.hexDigitValue.map(UInt8.init) else { return nil }
    if let first = high {
      result.append(first << 4 | digit)
      high = nil
    } else {
      high = digit
    }
  }
  return high == nil ? result : nil
}
