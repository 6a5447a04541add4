/// Number of a command: its group in the upper six bits, the command in the lower ten.
/// Source: Core Specification 5.4, Vol 4, Part E, 5.4.1.
package struct HCIOpcode: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  init(group: UInt16, command: UInt16) {
    rawValue = group << 10 | command
  }

  package var group: UInt16 { rawValue >> 10 }
  package var command: UInt16 { rawValue & 0x03ff }

  /// Names no command: an event with it only says how many commands the controller takes.
  package static let none = HCIOpcode(rawValue: 0)

  // Controller and baseband commands. Source: 7.3.1, 7.3.2.
  package static let setEventMask = HCIOpcode(group: 0x03, command: 0x001)
  package static let reset = HCIOpcode(group: 0x03, command: 0x003)
  // Informational parameters. Source: 7.4.2, 7.4.6.
  package static let readLocalSupportedCommands = HCIOpcode(group: 0x04, command: 0x002)
  package static let readAddress = HCIOpcode(group: 0x04, command: 0x009)
  // LE controller commands. Source: 7.8.1, 7.8.3, 7.8.10, 7.8.11, 7.8.64, 7.8.65.
  package static let leSetEventMask = HCIOpcode(group: 0x08, command: 0x001)
  package static let leReadLocalSupportedFeatures = HCIOpcode(group: 0x08, command: 0x003)
  package static let leSetScanParameters = HCIOpcode(group: 0x08, command: 0x00b)
  package static let leSetScanEnable = HCIOpcode(group: 0x08, command: 0x00c)
  package static let leSetExtendedScanParameters = HCIOpcode(group: 0x08, command: 0x041)
  package static let leSetExtendedScanEnable = HCIOpcode(group: 0x08, command: 0x042)
}

extension HCIOpcode: CustomStringConvertible {
  /// `LE Set Scan Enable`, or `command 0x2039`.
  package var description: String { name?.description ?? "command 0x" + hex(rawValue, digits: 4) }

  private var name: StaticString? {
    switch self {
    case .setEventMask: "Set Event Mask"
    case .reset: "Reset"
    case .readLocalSupportedCommands: "Read Local Supported Commands"
    case .readAddress: "Read BD_ADDR"
    case .leSetEventMask: "LE Set Event Mask"
    case .leReadLocalSupportedFeatures: "LE Read Local Supported Features"
    case .leSetScanParameters: "LE Set Scan Parameters"
    case .leSetScanEnable: "LE Set Scan Enable"
    case .leSetExtendedScanParameters: "LE Set Extended Scan Parameters"
    case .leSetExtendedScanEnable: "LE Set Extended Scan Enable"
    default: nil
    }
  }
}
