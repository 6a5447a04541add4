/// A 128-bit identifier, kept in two words so that comparing and hashing it is trivial.
package struct UUID128: Hashable, Comparable, Sendable {
  package let high: UInt64
  package let low: UInt64

  @inlinable
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads 16 octets, most significant first.
  @inlinable
  package init(_ octets: Octets, at offset: Int) {
    high = octets.bigEndian(at: offset, as: UInt64.self)
    low = octets.bigEndian(at: offset + 8, as: UInt64.self)
  }

  package static func < (a: UUID128, b: UUID128) -> Bool { (a.high, a.low) < (b.high, b.low) }
}

extension UUID128: CustomStringConvertible {
  /// `74278bda-b644-4520-8f0c-720eaf059935`.
  package var description: String {
    let digits = hex(high, digits: 16) + hex(low, digits: 16)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index == 8 || index == 12 || index == 16 || index == 20 { text += "-" }
      text.append(digit)
    }
    return text
  }
}
