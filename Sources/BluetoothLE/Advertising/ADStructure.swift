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

  let octets: Octets
  private var offset = 0
  /// Meaningful once `next` has returned nil.
  package private(set) var end = End.complete

  package init(_ octets: Octets) {
    self.octets = octets
  }

  package mutating func next() -> ADStructure? {
    guard offset < octets.count else { return nil }
    let start = offset
    let length = Int(octets[start])
    let left = octets.count - start - 1
    if length == 0 {
      end = .earlyTermination(nonZeroAfter: hasNonZero(from: start + 1))
      offset = octets.count
      return nil
    }
    if length > left {
      end = .overrun(offset: start, length: length, left: left)
      offset = octets.count
      return nil
    }
    offset = start + 1 + length
    return ADStructure(
      type: ADType(rawValue: octets[start + 1]), data: octets[start + 2, upTo: offset], offset: start)
  }

  private func hasNonZero(from start: Int) -> Bool {
    for index in start..<octets.count where octets[index] != 0 { return true }
    return false
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
