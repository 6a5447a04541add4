/// The octet in front of an HCI packet on a UART (H4) and in most captures.
/// Source: Core Specification 5.4, Vol 4, Part A, 2.
package struct HCIPacketType: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let command = HCIPacketType(rawValue: 0x01)
  package static let acl = HCIPacketType(rawValue: 0x02)
  package static let sco = HCIPacketType(rawValue: 0x03)
  package static let event = HCIPacketType(rawValue: 0x04)
  package static let iso = HCIPacketType(rawValue: 0x05)
}

/// An HCI event packet: a code, a length, parameters. Source: Core Specification 5.4, Vol 4, Part E, 5.4.4.
package struct HCIEvent {
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    package static let commandComplete = Code(rawValue: 0x0e)
    package static let commandStatus = Code(rawValue: 0x0f)
    package static let hardwareError = Code(rawValue: 0x10)
    package static let leMeta = Code(rawValue: 0x3e)
  }

  package let code: Code
  /// How many octets of parameters the packet says it has.
  package let statedLength: Int
  /// What is there of them.
  package let parameters: Octets

  /// `octets` is the packet without the H4 octet; nil when it is shorter than code and length.
  @inline(__always)
  package init?(_ octets: Octets) {
    guard octets.count >= 2 else { return nil }
    code = Code(rawValue: octets[0])
    statedLength = Int(octets[1])
    parameters = octets.dropping(2).prefix(statedLength)
  }
}
