// Numbers as text. The digits of eight decimals, or of four octets in hex, are made at once in the lanes of a word.

extension OutputBuffer {
  /// Decimal digits.
  @inlinable
  public mutating func put(decimal value: UInt64) {
    reserve(20)
    if value < 10 {
      cursor.pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)
      cursor += 1
    } else if value < 100 {
      let tens = UInt16(truncatingIfNeeded: value / 10)
      let text = (tens | (UInt16(truncatingIfNeeded: value) &- tens &* 10) << 8) &+ 0x3030
      UnsafeMutableRawPointer(cursor).storeBytes(of: text.littleEndian, as: UInt16.self)
      cursor += 2
    } else if value < 100_000_000 {
      putLeading(UInt32(truncatingIfNeeded: value))
    } else {
      putLong(value)
    }
  }

  /// Nine digits and more.
  @usableFromInline
  mutating func putLong(_ value: UInt64) {
    let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
    put(decimal: high)
    putEight(UInt32(truncatingIfNeeded: low))
  }

  @inlinable
  public mutating func put(decimal value: Int64) {
    if value < 0 { put(UInt8(ascii: "-")) }
    put(decimal: value.magnitude)
  }

  @inlinable
  public mutating func put(decimal value: some FixedWidthInteger & SignedInteger) {
    put(decimal: Int64(value))
  }

  @inlinable
  public mutating func put(decimal value: some FixedWidthInteger & UnsignedInteger) {
    put(decimal: UInt64(value))
  }

  /// The last `digits` decimal digits, at most 8, zeros in front.
  @inlinable @inline(__always)
  public mutating func put(decimal value: UInt64, digits: Int) {
    reserve(8)
    let text = decimalDigits(UInt32(truncatingIfNeeded: value % 100_000_000)) >> UInt64(64 - 8 * digits)
    UnsafeMutableRawPointer(cursor).storeBytes(of: text.littleEndian, as: UInt64.self)
    cursor += digits
  }

  /// A number below 10^8 without zeros in front.
  @inlinable
  mutating func putLeading(_ value: UInt32) {
    let digits = decimalDigits(value)
    // Digits differ from "0" in their low nibble; the lowest octet that does is the first digit.
    let zeros = min(7, (digits & 0x0f0f_0f0f_0f0f_0f0f).trailingZeroBitCount / 8)
    UnsafeMutableRawPointer(cursor).storeBytes(of: (digits >> UInt64(8 * zeros)).littleEndian, as: UInt64.self)
    cursor += 8 - zeros
  }

  @inlinable
  mutating func putEight(_ value: UInt32) {
    reserve(8)
    UnsafeMutableRawPointer(cursor).storeBytes(of: decimalDigits(value).littleEndian, as: UInt64.self)
    cursor += 8
  }

  /// A number with `places` decimals, at most 8, rounded half away from zero; no negative zero. What is no number, or
  /// too large to write so, is `null`.
  public mutating func put(fixed value: Double, places: Int) {
    var unit: UInt64 = 1
    for _ in 0..<places { unit *= 10 }
    let scaled = value.magnitude * Double(unit) + 0.5
    guard scaled < 9e18 else {
      put("null")
      return
    }
    let units = UInt64(scaled)
    if value < 0, units > 0 { put(UInt8(ascii: "-")) }
    put(decimal: units / unit)
    if places > 0 {
      put(UInt8(ascii: "."))
      put(decimal: units % unit, digits: places)
    }
  }

  /// The last `digits` hex digits of `value`, lower case, at most 16.
  @inlinable @inline(__always)
  public mutating func put(hex value: UInt64, digits: Int) {
    reserve(16)
    let shifted = value << UInt64(64 - 4 * digits)
    let target = UnsafeMutableRawPointer(cursor)
    target.storeBytes(of: hexDigits(UInt32(truncatingIfNeeded: shifted >> 32).byteSwapped), as: UInt64.self)
    if digits > 8 {
      let rest = hexDigits(UInt32(truncatingIfNeeded: shifted).byteSwapped)
      target.storeBytes(of: rest, toByteOffset: 8, as: UInt64.self)
    }
    cursor += digits
  }

  /// Octets as hex digits, lower case.
  public mutating func put(hex octets: UnsafeRawBufferPointer) {
    let count = octets.count
    reserve(count * 2 + 8)
    let target = UnsafeMutableRawPointer(cursor)
    cursor += count * 2
    guard count >= 4 else {
      for index in 0..<count {
        target.storeBytes(of: hexDigits(UInt32(octets[index])), toByteOffset: index * 2, as: UInt64.self)
      }
      return
    }
    var index = 0
    while index < count {
      // The last four overlap the ones before them where the count is no multiple of four.
      let start = min(index, count - 4)
      let four = UInt32(littleEndian: octets.loadUnaligned(fromByteOffset: start, as: UInt32.self))
      target.storeBytes(of: hexDigits(four), toByteOffset: start * 2, as: UInt64.self)
      index += 4
    }
  }

  /// The low 48 bits as six octets in hex with a colon between each, as a device address is written.
  public mutating func put(colonHex value: UInt64) {
    reserve(24)
    let high = UInt64(littleEndian: hexDigits(UInt32(truncatingIfNeeded: value >> 16).byteSwapped))
    let low = UInt64(littleEndian: hexDigits(UInt32(truncatingIfNeeded: value << 16).byteSwapped))
    let colon = UInt64(UInt8(ascii: ":"))
    let target = UnsafeMutableRawPointer(cursor)
    // Two digits and a colon three times; eight octets at a time, the next store starting in the last one's slack.
    let first = high & 0xffff | colon << 16 | (high >> 16 & 0xffff) << 24 | colon << 40
    let second = high >> 32 & 0xffff | colon << 16 | (high >> 48) << 24 | colon << 40
    let third = low & 0xffff | colon << 16 | (low >> 16 & 0xffff) << 24
    target.storeBytes(of: first.littleEndian, as: UInt64.self)
    target.storeBytes(of: second.littleEndian, toByteOffset: 6, as: UInt64.self)
    target.storeBytes(of: third.littleEndian, toByteOffset: 12, as: UInt64.self)
    cursor += 17
  }
}

extension OutputBuffer {
  /// 128 bits as 8, 4, 4, 4 and 12 hex digits with a dash between, as a UUID is written.
  public mutating func put(uuidHigh high: UInt64, low: UInt64) {
    reserve(40)
    let dash = UInt8(ascii: "-")
    let target = UnsafeMutableRawPointer(cursor)
    func store(_ octets: UInt32, at offset: Int) -> UInt64 {
      let digits = hexDigits(octets.byteSwapped)
      target.storeBytes(of: digits, toByteOffset: offset, as: UInt64.self)
      return UInt64(littleEndian: digits)
    }
    // Each word's second half is stored again one octet on, behind a dash.
    _ = store(UInt32(truncatingIfNeeded: high >> 32), at: 0)
    let second = store(UInt32(truncatingIfNeeded: high), at: 9)
    let third = store(UInt32(truncatingIfNeeded: low >> 32), at: 19)
    target.storeBytes(of: UInt32(truncatingIfNeeded: second >> 32).littleEndian, toByteOffset: 14, as: UInt32.self)
    target.storeBytes(of: UInt32(truncatingIfNeeded: third >> 32).littleEndian, toByteOffset: 24, as: UInt32.self)
    _ = store(UInt32(truncatingIfNeeded: low), at: 28)
    target.storeBytes(of: dash, toByteOffset: 8, as: UInt8.self)
    target.storeBytes(of: dash, toByteOffset: 13, as: UInt8.self)
    target.storeBytes(of: dash, toByteOffset: 18, as: UInt8.self)
    target.storeBytes(of: dash, toByteOffset: 23, as: UInt8.self)
    cursor += 36
  }
}

/// The eight decimal digits of a number below 10^8, the first in the lowest octet.
@inlinable
func decimalDigits(_ value: UInt32) -> UInt64 {
  // Halves of four digits, then quarters of two, then digits: each split is a multiplication by a reciprocal that is
  // exact for the range (value / 100 for value < 10^4, value / 10 for value < 100), in all lanes at once.
  let halves = UInt64(value / 10_000) | UInt64(value % 10_000) << 32
  let hundreds = (halves &* 10_486) >> 20 & 0x0000_007f_0000_007f
  let quarters = hundreds | (halves &- hundreds &* 100) << 16
  let tens = (quarters &* 103) >> 10 & 0x000f_000f_000f_000f
  return (tens | (quarters &- tens &* 10) << 8) &+ 0x3030_3030_3030_3030
}

/// The hex digits of four octets, the lowest first, as eight octets of text in memory order.
@inlinable
func hexDigits(_ octets: UInt32) -> UInt64 {
  var spread = UInt64(octets)
  spread = (spread | spread << 16) & 0x0000_ffff_0000_ffff
  spread = (spread | spread << 8) & 0x00ff_00ff_00ff_00ff
  let nibbles = (spread >> 4 & 0x000f_000f_000f_000f) | (spread & 0x000f_000f_000f_000f) << 8
  let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
  return (nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27).littleEndian
}
