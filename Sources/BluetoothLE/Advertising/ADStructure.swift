/// AD type. Source: Assigned Numbers, section 2.3, Common Data Types.
package struct ADType: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  @inlinable
  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let flags = ADType(rawValue: 0x01)
  package static let incompleteUUIDs16 = ADType(rawValue: 0x02)
  package static let completeUUIDs16 = ADType(rawValue: 0x03)
  package static let incompleteUUIDs32 = ADType(rawValue: 0x04)
  package static let completeUUIDs32 = ADType(rawValue: 0x05)
  package static let incompleteUUIDs128 = ADType(rawValue: 0x06)
  package static let completeUUIDs128 = ADType(rawValue: 0x07)
  package static let shortenedLocalName = ADType(rawValue: 0x08)
  package static let completeLocalName = ADType(rawValue: 0x09)
  package static let txPowerLevel = ADType(rawValue: 0x0a)
  package static let serviceData16 = ADType(rawValue: 0x16)
  package static let appearance = ADType(rawValue: 0x19)
  package static let serviceData32 = ADType(rawValue: 0x20)
  package static let serviceData128 = ADType(rawValue: 0x21)
  package static let manufacturerData = ADType(rawValue: 0xff)
}

/// One length-type-data structure of an advertisement.
package struct ADStructure {
  package let type: ADType
  package let data: Octets
  /// Offset of the length octet in the advertisement.
  package let offset: Int
}

/// Walks the AD structures of an advertisement; what stands before a broken one is kept.
///
/// Source: Core Specification 5.4, Vol 3, Part C, section 11: a length of zero ends the significant part.
package struct ADStructures: Sequence, IteratorProtocol {
  /// How the walk ended.
  package enum End: Equatable, Sendable {
    case complete
    case earlyTermination(nonZeroAfter: Bool)
    /// The structure at `offset` says `length` octets and `left` follow its length octet.
    case overrun(offset: Int, length: Int, left: Int)
  }

  /// What the walk has not reached.
  private var rest: Octets
  private let count: Int
  /// Meaningful once `next` has returned nil.
  package private(set) var end = End.complete

  @inline(__always)
  package init(_ octets: Octets) {
    rest = octets
    count = octets.count
  }

  // Inlined into the loops of this module, so that the walk's state stays in registers.
  @inline(__always)
  package mutating func next() -> ADStructure? {
    guard rest.count >= 1 else { return nil }
    let length = Int(rest[0])
    guard length >= 1, length < rest.count else {
      stop()
      return nil
    }
    let structure = ADStructure(
      type: ADType(rawValue: rest[1]), data: rest[2, upTo: length + 1], offset: count - rest.count)
    rest = rest.dropping(length + 1)
    return structure
  }

  @inline(never)
  private mutating func stop() {
    let length = Int(rest[0])
    if length == 0 {
      end = .earlyTermination(nonZeroAfter: (1..<rest.count).contains { rest[$0] != 0 })
    } else {
      end = .overrun(offset: count - rest.count, length: length, left: rest.count - 1)
    }
    rest = Octets()
  }
}

extension ADStructures.End: CustomStringConvertible {
  package var description: String {
    switch self {
    case .complete: "complete"
    case .earlyTermination(false): "early termination"
    case .earlyTermination(true): "early termination, non-zero bytes after it"
    case .overrun(let offset, let length, let left):
      "structure at offset \(offset) overruns the payload (length \(length), \(left) bytes left)"
    }
  }
}
