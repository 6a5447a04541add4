// Numbers as text. The digits of eight decimals, or of four octets in hex, are made at once in the lanes of a word.

extension OutputBuffer {
  /// Decimal digits. What is one digit mostly, as an adapter's index, costs no call.
  @inlinable @inline(__always)
  public mutating func put(decimal value: UInt64) {
    if value < 10 {
      put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value))
    } else {
      putDigits(value)
    }
  }

  @inlinable @inline(__always)
  public mutating func put(decimal value: some FixedWidthInteger & SignedInteger) {
    if value < 0 { put(UInt8(ascii: "-")) }
    put(decimal: UInt64(value.magnitude))
  }

  @inlinable @inline(__always)
  public mutating func put(decimal value: some FixedWidthInteger & UnsignedInteger) {
    put(decimal: UInt64(value))
  }

  /// Decimal digits of a level in dBm or another small number, a minus in front of a negative one.
  public mutating func put(decimal value: Int8) {
    let magnitude = UInt32(value.magnitude)
    guard magnitude >= 10, magnitude < 100 else {
      if value < 0 { put(UInt8(ascii: "-")) }
      return put(decimal: UInt64(magnitude))
    }
    // Sign, tens and ones in the lanes of a word, the sign shifted out where there is none.
    reserve(4)
    let tens = magnitude / 10
    let text = UInt32(UInt8(ascii: "-")) | (tens | (magnitude - tens * 10) << 8 | 0x3030) << 8
    let unsigned: UInt32 = value < 0 ? 0 : 1
    UnsafeMutableRawPointer(cursor).storeBytes(of: (text >> (8 * unsigned)).littleEndian, as: UInt32.self)
    cursor += 3 - Int(unsigned)
  }

  @inline(never)
  @usableFromInline
  mutating func putDigits(_ value: UInt64) {
    reserve(20)
    if value < 100 {
      let tens = UInt16(truncatingIfNeeded: value / 10)
      let text = (tens | (UInt16(truncatingIfNeeded: value) &- tens &* 10) << 8) &+ 0x3030
      UnsafeMutableRawPointer(cursor).storeBytes(of: text.littleEndian, as: UInt16.self)
      cursor += 2
    } else if value < 100_000_000 {
      // Digits differ from "0" in their low nibble; the lowest octet that does is the first digit.
      let digits = decimalDigits(UInt32(truncatingIfNeeded: value))
      let zeros = (digits & 0x0f0f_0f0f_0f0f_0f0f).trailingZeroBitCount / 8
      UnsafeMutableRawPointer(cursor).storeBytes(of: (digits >> UInt64(8 * zeros)).littleEndian, as: UInt64.self)
      cursor += 8 - zeros
    } else {
      let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
      put(decimal: high)
      put(decimal: low, digits: 8)
    }
  }

  /// A number counted in units of 10^-`places`, at most 8 places: `put(units: 2950, places: 3)` is 2.950.
  @inlinable
  public mutating func put(units value: UInt64, places: Int) {
    var one: UInt64 = 1
    for _ in 0..<places { one *= 10 }
    put(decimal: value / one)
    guard places > 0 else { return }
    put(UInt8(ascii: "."))
    put(decimal: value % one, digits: places)
  }

  /// Sixteen decimal digits with a point behind the tenth, the way seconds and microseconds are written; `value` is
  /// below 10^16.
  @inlinable
  public mutating func put(sixteenDigits value: UInt64) {
    reserve(24)
    let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
    let digits = decimalDigits(UInt32(truncatingIfNeeded: low))
    let target = UnsafeMutableRawPointer(cursor)
    target.storeBytes(of: decimalDigits(UInt32(truncatingIfNeeded: high)).littleEndian, as: UInt64.self)
    target.storeBytes(of: digits.littleEndian, toByteOffset: 8, as: UInt64.self)
    target.storeBytes(of: UInt8(ascii: "."), toByteOffset: 10, as: UInt8.self)
    target.storeBytes(of: (digits >> 16).littleEndian, toByteOffset: 11, as: UInt64.self)
    cursor += 17
  }

  /// The last `digits` decimal digits, at most 8, zeros in front.
  @inlinable @inline(__always)
  public mutating func put(decimal value: UInt64, digits: Int) {
    reserve(8)
    let text = decimalDigits(UInt32(truncatingIfNeeded: value % 100_000_000)) >> UInt64(64 - 8 * digits)
    UnsafeMutableRawPointer(cursor).storeBytes(of: text.littleEndian, as: UInt64.self)
    cursor += digits
  }

  /// A number with `places` decimals, at most 8, rounded half away from zero; no negative zero. What is no number, or
  /// too large to write so, is `null`.
  @inlinable
  public mutating func put(fixed value: Double, places: Int) {
    // What is common, below 10^8 units of a place or two, is made at once.
    let shift: Double = places == 1 ? 10 : places == 2 ? 100 : 0
    let common = value.magnitude * shift + 0.5
    guard common >= 1, common < 1e8 else { return put(anyFixed: value, places: places) }
    if value < 0 { put(UInt8(ascii: "-")) }
    reserve(24)
    let digits = decimalDigits(UInt32(truncatingIfNeeded: Int64(common)))
    // One digit at least is before the point; digits differ from "0" in their low nibble.
    let zeros = min((digits & 0x0f0f_0f0f_0f0f_0f0f).trailingZeroBitCount &>> 3, 7 &- places)
    let target = UnsafeMutableRawPointer(cursor)
    target.storeBytes(of: (digits &>> UInt64(truncatingIfNeeded: 8 &* zeros)).littleEndian, as: UInt64.self)
    let point = target + (8 &- zeros &- places)
    point.storeBytes(of: UInt8(ascii: "."), as: UInt8.self)
    let decimals = digits &>> UInt64(truncatingIfNeeded: 64 &- 8 &* places)
    point.storeBytes(of: decimals.littleEndian, toByteOffset: 1, as: UInt64.self)
    cursor += 9 &- zeros
  }

  @usableFromInline
  mutating func put(anyFixed value: Double, places: Int) {
    var unit: UInt64 = 1
    for _ in 0..<places { unit *= 10 }
    let scaled = value.magnitude * Double(unit) + 0.5
    guard scaled < 9e18 else {
      put("null")
      return
    }
    let units = UInt64(scaled)
    if value < 0, units > 0 { put(UInt8(ascii: "-")) }
    put(units: units, places: places)
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
    var index = 0
    // The last of a loop's pieces overlaps the one before it where the count is no multiple of its size.
    if count >= 16 {
      while index < count {
        let start = min(index, count - 16)
        let piece = octets.loadUnaligned(fromByteOffset: start, as: SIMD16<UInt8>.self)
        target.storeBytes(of: hexDigits(piece), toByteOffset: start * 2, as: SIMD16<UInt16>.self)
        index += 16
      }
    } else if count >= 4 {
      while index < count {
        let start = min(index, count - 4)
        let piece = UInt32(littleEndian: octets.loadUnaligned(fromByteOffset: start, as: UInt32.self))
        target.storeBytes(of: hexDigits(piece), toByteOffset: start * 2, as: UInt64.self)
        index += 4
      }
    } else {
      while index < count {
        target.storeBytes(of: hexDigits(UInt32(octets[index])), toByteOffset: index * 2, as: UInt64.self)
        index += 1
      }
    }
  }

  /// The low 48 bits as six octets in hex with a colon between each, as a device address is written.
  @inlinable
  public mutating func put(colonHex value: UInt64) {
    reserve(17)
    let target = UnsafeMutableRawPointer(cursor)
    target.storeBytes(of: colonDigits(value >> 24 & 0xff_ffff), as: UInt64.self)
    target.storeBytes(of: UInt8(ascii: ":"), toByteOffset: 8, as: UInt8.self)
    target.storeBytes(of: colonDigits(value & 0xff_ffff), toByteOffset: 9, as: UInt64.self)
    cursor += 17
  }
}

extension OutputBuffer {
  /// 128 bits as 32 hex digits.
  public mutating func put(hexHigh high: UInt64, low: UInt64) {
    reserve(32)
    let octets = unsafeBitCast(SIMD2(high.bigEndian, low.bigEndian), to: SIMD16<UInt8>.self)
    UnsafeMutableRawPointer(cursor).storeBytes(of: hexDigits(octets), as: SIMD16<UInt16>.self)
    cursor += 32
  }

  /// 128 bits as 8, 4, 4, 4 and 12 hex digits with a dash between, as a UUID is written.
  public mutating func put(uuidHigh high: UInt64, low: UInt64) {
    reserve(36)
    let dash = UInt8(ascii: "-")
    let target = UnsafeMutableRawPointer(cursor)
    let octets = unsafeBitCast(SIMD2(high.bigEndian, low.bigEndian), to: SIMD16<UInt8>.self)
    let digits = unsafeBitCast(hexDigits(octets), to: SIMD4<UInt64>.self)
    // The second and the third word's later halves are stored again one octet on, behind a dash.
    target.storeBytes(of: digits[0], as: UInt64.self)
    target.storeBytes(of: digits[1], toByteOffset: 9, as: UInt64.self)
    target.storeBytes(of: laterHalf(digits[1]), toByteOffset: 14, as: UInt32.self)
    target.storeBytes(of: digits[2], toByteOffset: 19, as: UInt64.self)
    target.storeBytes(of: laterHalf(digits[2]), toByteOffset: 24, as: UInt32.self)
    target.storeBytes(of: digits[3], toByteOffset: 28, as: UInt64.self)
    target.storeBytes(of: dash, toByteOffset: 8, as: UInt8.self)
    target.storeBytes(of: dash, toByteOffset: 13, as: UInt8.self)
    target.storeBytes(of: dash, toByteOffset: 18, as: UInt8.self)
    target.storeBytes(of: dash, toByteOffset: 23, as: UInt8.self)
    cursor += 36
  }
}

/// The last four octets in memory of eight.
private func laterHalf(_ octets: UInt64) -> UInt32 {
  UInt32(truncatingIfNeeded: octets.littleEndian >> 32).littleEndian
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

/// The hex digits of sixteen octets, two to a lane.
///
/// Only the even half of a vector is set: for the odd one Swift 6.0.3 makes a loop over its octets.
@inlinable @inline(__always)
func hexDigits(_ octets: SIMD16<UInt8>) -> SIMD16<UInt16> {
  var spread = SIMD32<UInt8>()
  spread.evenHalf = octets
  let lanes = unsafeBitCast(spread, to: SIMD16<UInt16>.self)
  let nibbles = lanes &>> 4 | (lanes & 0x0f) &<< 8
  let letters = (nibbles &+ 0x0606) &>> 4 & 0x0101
  return nibbles &+ 0x3030 &+ letters &* 0x27
}

/// The hex digits of three octets, the highest first, with a colon between, as eight octets of text in memory order.
@inlinable @inline(__always)
func colonDigits(_ octets: UInt64) -> UInt64 {
  let spread = octets >> 16 | (octets & 0xff00) << 16 | (octets & 0xff) << 48
  let nibbles = (spread >> 4 & 0x000f_0000_0f00_000f) | (spread & 0x000f_0000_0f00_000f) << 8
  let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
  return (nibbles &+ 0x3030_3a30_303a_3030 &+ letters &* 0x27).littleEndian
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
