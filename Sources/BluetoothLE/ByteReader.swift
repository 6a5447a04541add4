/// Walks a run of octets from front to back; a read past the end is nil and moves nothing.
public struct ByteReader {
  public let octets: Octets
  /// How many octets were read, which is the offset of the next one.
  public internal(set) var offset: Int

  public init(_ octets: Octets) {
    self.octets = octets
    offset = 0
  }

  public var remaining: Int { octets.count - offset }

  /// What is left, unread.
  public var rest: Octets { octets.dropping(offset) }

  public mutating func read(_ count: Int) -> Octets? {
    guard count >= 0, count <= remaining else { return nil }
    let taken = octets[offset, upTo: offset + count]
    offset += count
    return taken
  }

  public mutating func readOctet() -> UInt8? {
    guard remaining >= 1 else { return nil }
    let value = octets[offset]
    offset += 1
    return value
  }

  public mutating func readLittleEndian<T: FixedWidthInteger>(_ type: T.Type) -> T? {
    guard remaining >= MemoryLayout<T>.size else { return nil }
    let value = octets.littleEndian(at: offset, as: type)
    offset += MemoryLayout<T>.size
    return value
  }

  public mutating func readBigEndian<T: FixedWidthInteger>(_ type: T.Type) -> T? {
    guard remaining >= MemoryLayout<T>.size else { return nil }
    let value = octets.bigEndian(at: offset, as: type)
    offset += MemoryLayout<T>.size
    return value
  }
}
