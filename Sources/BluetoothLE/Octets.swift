/// A borrowed run of octets, every access bounds-checked.
///
/// It owns nothing: it is valid as long as the buffer it was made over, which is the length of one call for a packet
/// from a stream. Whoever keeps octets copies them.
///
/// Public, as only public inlinable code is inlined into other modules.
public struct Octets {
  @usableFromInline let base: UnsafeRawPointer
  public let count: Int

  @inlinable
  init(base: UnsafeRawPointer, count: Int) {
    self.base = base
    self.count = count
  }

  @inlinable
  public init(_ buffer: UnsafeRawBufferPointer) {
    if let base = buffer.baseAddress {
      self.init(base: base, count: buffer.count)
    } else {
      self.init()
    }
  }

  /// No octets.
  @inlinable
  public init() {
    // Never read: the count is zero. Any aligned non-null address serves.
    self.init(base: UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped, count: 0)
  }

  @inlinable
  public var isEmpty: Bool { count == 0 }

  @inlinable
  public subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "octet out of bounds")
    return base.load(fromByteOffset: index, as: UInt8.self)
  }

  /// The octets from `start` up to `end`. Both must lie within the run.
  @inlinable
  public subscript(start: Int, upTo end: Int) -> Octets {
    precondition(start >= 0 && start <= end && end <= count, "octets out of bounds")
    return Octets(base: base + start, count: end - start)
  }

  /// The octets from `start` to the end.
  @inlinable
  public func dropping(_ start: Int) -> Octets { self[start, upTo: count] }

  /// The first octets, at most `limit`.
  @inlinable
  public func prefix(_ limit: Int) -> Octets { self[0, upTo: Swift.min(limit, count)] }

  @inlinable
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  // MARK: Integers at an offset

  @inlinable
  public func littleEndian<T: FixedWidthInteger>(at offset: Int, as type: T.Type) -> T {
    T(littleEndian: unaligned(at: offset, as: type))
  }

  @inlinable
  public func bigEndian<T: FixedWidthInteger>(at offset: Int, as type: T.Type) -> T {
    T(bigEndian: unaligned(at: offset, as: type))
  }

  @inlinable
  func unaligned<T: FixedWidthInteger>(at offset: Int, as type: T.Type) -> T {
    let size = MemoryLayout<T>.size
    precondition(offset >= 0 && offset <= count - size, "integer out of bounds")
    return base.loadUnaligned(fromByteOffset: offset, as: type)
  }
}

extension Octets {
  public func starts(with prefix: StaticString) -> Bool {
    guard count >= prefix.utf8CodeUnitCount else { return false }
    for index in 0..<prefix.utf8CodeUnitCount where self[index] != prefix.utf8Start[index] { return false }
    return true
  }

  public static func == (a: Octets, b: Octets) -> Bool {
    guard a.count == b.count else { return false }
    for index in 0..<a.count where a[index] != b[index] { return false }
    return true
  }

  /// A copy that lasts.
  public var array: [UInt8] { withUnsafeBytes { Array($0) } }
}
