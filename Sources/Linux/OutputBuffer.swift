/// Text on its way to a file descriptor: appended octet by octet, written in large pieces.
///
/// The first failure to write is kept and everything after it dropped: `flush` and `failure` tell. So that appending
/// stays cheap, nothing is written before `endLine` finds enough waiting.
package struct OutputBuffer: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<UInt8>
  @usableFromInline package internal(set) var count = 0
  @usableFromInline var capacity = 64 << 10
  private let descriptor: Int32
  /// The first failure to write.
  package private(set) var failure: SystemError?

  /// The descriptor must outlive the buffer.
  package init(_ descriptor: borrowing FileDescriptor) {
    self.descriptor = descriptor.number
    base = .allocate(capacity: capacity)
  }

  deinit {
    base.deallocate()
  }

  /// What waits to be written.
  package borrowing func withWaiting<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: base, count: count))
  }

  package mutating func discard() {
    count = 0
  }

  /// Ends a line, and writes once 48 KB wait: larger writes gain nothing measurable.
  @inlinable
  package mutating func endLine() {
    put(UInt8(ascii: "\n"))
    if count >= 48 << 10 { flush() }
  }

  package mutating func flush() {
    if failure == nil, count > 0 {
      let borrowed = FileDescriptor(descriptor, isOwned: false)
      do throws(SystemError) {
        try borrowed.write(UnsafeRawBufferPointer(start: base, count: count))
      } catch {
        failure = error
      }
    }
    count = 0
  }

  @inlinable
  mutating func reserve(_ more: Int) {
    if more > capacity - count { grow(more) }
  }

  @usableFromInline
  mutating func grow(_ more: Int) {
    let larger = max(capacity * 2, count + more)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.update(from: base, count: count)
    base.deallocate()
    base = moved
    capacity = larger
  }
}

// MARK: Text

extension OutputBuffer {
  @inlinable
  package mutating func put(_ octet: UInt8) {
    reserve(1)
    base[count] = octet
    count += 1
  }

  @inlinable
  package mutating func put(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    reserve(length)
    (base + count).update(from: text.utf8Start, count: length)
    count += length
  }

  package mutating func put(_ text: String) {
    var text = text
    text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
  }

  package mutating func put(_ octets: UnsafeRawBufferPointer) {
    reserve(octets.count)
    UnsafeMutableRawBufferPointer(start: base + count, count: octets.count).copyMemory(from: octets)
    count += octets.count
  }

  /// Spaces up to `column`, counted from octet `start`; at least one.
  package mutating func pad(to column: Int, from start: Int) {
    repeat { put(UInt8(ascii: " ")) } while count - start < column
  }
}

// MARK: Numbers

extension OutputBuffer {
  /// Decimal digits.
  @inlinable
  package mutating func put(decimal value: UInt64) {
    if value < 10 {
      put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value))
      return
    }
    var length = 1
    var limit: UInt64 = 10
    while length < 20, value >= limit {
      length += 1
      let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
      limit = overflow ? .max : next
      if overflow { break }
    }
    if length == 19, value >= 10_000_000_000_000_000_000 { length = 20 }
    put(decimal: value, digits: length)
  }

  /// The last `digits` decimal digits, zeros in front.
  @inlinable
  package mutating func put(decimal value: UInt64, digits: Int) {
    reserve(digits)
    var rest = value
    var index = count + digits
    while index > count {
      index -= 1
      let quotient = rest / 10
      base[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest &- quotient &* 10)
      rest = quotient
    }
    count += digits
  }

  @inlinable
  package mutating func put(decimal value: Int64) {
    if value < 0 { put(UInt8(ascii: "-")) }
    put(decimal: value.magnitude)
  }

  @inlinable
  package mutating func put(decimal value: some FixedWidthInteger & SignedInteger) {
    put(decimal: Int64(value))
  }

  @inlinable
  package mutating func put(decimal value: some FixedWidthInteger & UnsignedInteger) {
    put(decimal: UInt64(value))
  }

  /// A number with `digits` places, rounded half away from zero; no negative zero. At most 9 places, magnitude below
  /// 10^9; what is not such a number is `null`.
  package mutating func put(fixed value: Double, places: Int) {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = value.magnitude * scale + 0.5
    guard scaled < 9e18 else {
      put("null")
      return
    }
    let units = UInt64(scaled)
    if value < 0, units > 0 { put(UInt8(ascii: "-")) }
    let unit = UInt64(scale)
    put(decimal: units / unit)
    if places > 0 {
      put(UInt8(ascii: "."))
      put(decimal: units % unit, digits: places)
    }
  }

  /// The last `digits` hex digits of `value`, lower case; `digits` is even and at most 16.
  @inlinable
  package mutating func put(hex value: UInt64, digits: Int) {
    reserve(16)
    // Every octet of the value becomes two; all eight nibbles of half a word are turned into digits at once.
    let shifted = value << UInt64(64 - 4 * digits)
    let target = UnsafeMutableRawPointer(base + count)
    target.storeBytes(of: hexDigits(UInt32(truncatingIfNeeded: shifted >> 32).byteSwapped), as: UInt64.self)
    if digits > 8 {
      target.storeBytes(of: hexDigits(UInt32(truncatingIfNeeded: shifted).byteSwapped), toByteOffset: 8, as: UInt64.self)
    }
    count += digits
  }

  /// Octets as hex digits, lower case.
  package mutating func put(hex octets: UnsafeRawBufferPointer) {
    reserve(octets.count * 2 + 8)
    let target = UnsafeMutableRawPointer(base + count)
    var index = 0
    while index + 4 <= octets.count {
      let four = UInt32(littleEndian: octets.loadUnaligned(fromByteOffset: index, as: UInt32.self))
      target.storeBytes(of: hexDigits(four), toByteOffset: index * 2, as: UInt64.self)
      index += 4
    }
    while index < octets.count {
      target.storeBytes(of: hexDigits(UInt32(octets[index])), toByteOffset: index * 2, as: UInt64.self)
      index += 1
    }
    count += octets.count * 2
  }
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
