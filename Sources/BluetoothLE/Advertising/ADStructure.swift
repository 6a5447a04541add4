/// AD type. Source: Assigned Numbers, section 2.3, Common Data Types.
///
/// Public, as the walk of an advertisement is: only public inlinable code is inlined into other modules.
public struct ADType: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8

  @inlinable
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  public static let flags = ADType(rawValue: 0x01)
  public static let incompleteUUIDs16 = ADType(rawValue: 0x02)
  public static let completeUUIDs16 = ADType(rawValue: 0x03)
  public static let incompleteUUIDs32 = ADType(rawValue: 0x04)
  public static let completeUUIDs32 = ADType(rawValue: 0x05)
  public static let incompleteUUIDs128 = ADType(rawValue: 0x06)
  public static let completeUUIDs128 = ADType(rawValue: 0x07)
  public static let shortenedLocalName = ADType(rawValue: 0x08)
  public static let completeLocalName = ADType(rawValue: 0x09)
  public static let txPowerLevel = ADType(rawValue: 0x0a)
  public static let serviceData16 = ADType(rawValue: 0x16)
  public static let appearance = ADType(rawValue: 0x19)
  public static let serviceData32 = ADType(rawValue: 0x20)
  public static let serviceData128 = ADType(rawValue: 0x21)
  public static let manufacturerData = ADType(rawValue: 0xff)
}

/// One length-type-data structure of an advertisement.
public struct ADStructure {
  public let type: ADType
  public let data: Octets
  /// Offset of the length octet in the advertisement.
  public let offset: Int

  @inlinable
  init(type: ADType, data: Octets, offset: Int) {
    self.type = type
    self.data = data
    self.offset = offset
  }
}

/// Walks the AD structures of an advertisement; what stands before a broken one is kept.
///
/// Source: Core Specification 5.4, Vol 3, Part C, section 11: a length of zero ends the significant part.
public struct ADStructures: Sequence, IteratorProtocol {
  /// How the walk ended.
  public enum End: Equatable, Sendable {
    case complete
    case earlyTermination(nonZeroAfter: Bool)
    /// The structure at `offset` says `length` octets and `left` follow its length octet.
    case overrun(offset: Int, length: Int, left: Int)
  }

  /// What the walk has not reached.
  @usableFromInline var rest: Octets
  @usableFromInline let count: Int
  @usableFromInline var ending = End.complete

  @inlinable @inline(__always)
  public init(_ octets: Octets) {
    rest = octets
    count = octets.count
  }

  /// Meaningful once `next` has returned nil.
  @inlinable
  public var end: End { ending }

  // Inlined, so that the walk's state stays in registers.
  @inlinable @inline(__always)
  public mutating func next() -> ADStructure? {
    guard rest.count >= 1 else { return nil }
    let length = Int(rest[0])
    guard length >= 1, length < rest.count else {
      ending = Self.end(rest, offset: count - rest.count)
      rest = Octets()
      return nil
    }
    let structure = ADStructure(
      type: ADType(rawValue: rest[1]), data: rest[2, upTo: length + 1], offset: count - rest.count)
    rest = rest.dropping(length + 1)
    return structure
  }

  /// Why the walk ends at a structure whose length octet is zero or runs past the advertisement.
  @inline(never)
  @usableFromInline
  static func end(_ rest: Octets, offset: Int) -> End {
    let length = Int(rest[0])
    return length == 0
      ? .earlyTermination(nonZeroAfter: (1..<rest.count).contains { rest[$0] != 0 })
      : .overrun(offset: offset, length: length, left: rest.count - 1)
  }
}

extension ADStructures.End: DescribedInPieces {
  public func describe(_ put: (String) -> Void) {
    switch self {
    case .complete: put("complete")
    case .earlyTermination(let nonZeroAfter):
      put("early termination")
      if nonZeroAfter { put(", non-zero bytes after it") }
    case .overrun(let offset, let length, let left):
      put("structure at offset ")
      put(String(offset))
      put(" overruns the payload (length ")
      put(String(length))
      put(", ")
      put(String(left))
      put(" bytes left)")
    }
  }
}
