/// A controller's answer to a command that it has carried out or refused.
/// Source: Core Specification 5.4, Vol 4, Part E, 7.7.14.
package struct CommandComplete {
  /// How many more commands the controller takes now.
  package let packets: UInt8
  package let opcode: HCIOpcode
  /// The first return parameter of every command here; nil where nothing is returned.
  package let status: HCIStatus?
  /// What follows the status.
  package let returnParameters: Octets

  /// Nil when it is another event, or cut.
  package init?(_ event: HCIEvent) {
    guard event.code == .commandComplete, event.parameters.count == event.statedLength else { return nil }
    var reader = ByteReader(event.parameters)
    guard let packets = reader.readOctet(), let number = reader.readLittleEndian(UInt16.self) else { return nil }
    self.packets = packets
    opcode = HCIOpcode(rawValue: number)
    status = reader.readOctet().map(HCIStatus.init)
    returnParameters = reader.rest
  }
}

/// A controller's word that it has started on a command, or will not.
/// Source: Core Specification 5.4, Vol 4, Part E, 7.7.15.
package struct CommandStatus: Hashable, Sendable {
  package let status: HCIStatus
  /// How many more commands the controller takes now.
  package let packets: UInt8
  package let opcode: HCIOpcode

  /// Nil when it is another event, or cut.
  package init?(_ event: HCIEvent) {
    guard event.code == .commandStatus, event.parameters.count == event.statedLength else { return nil }
    var reader = ByteReader(event.parameters)
    guard let status = reader.readOctet(), let packets = reader.readOctet(),
      let number = reader.readLittleEndian(UInt16.self)
    else { return nil }
    self.status = HCIStatus(rawValue: status)
    self.packets = packets
    opcode = HCIOpcode(rawValue: number)
  }
}

// MARK: Return parameters

extension CommandComplete {
  /// The answer to Read BD_ADDR; nil when it is none. Source: 7.4.6.
  package var address: DeviceAddress? { returned(.readAddress, 6).map { DeviceAddress($0, at: 0) } }

  /// The answer to LE Read Local Supported Features; nil when it is none. Source: 7.8.3.
  package var leFeatures: LEFeatures? {
    returned(.leReadLocalSupportedFeatures, 8).map { LEFeatures(rawValue: $0.littleEndian(at: 0, as: UInt64.self)) }
  }

  /// The answer to Read Local Supported Commands; nil when it is none. Source: 7.4.2.
  package var supportedCommands: SupportedCommands? {
    returned(.readLocalSupportedCommands, SupportedCommands.size).map { SupportedCommands(octets: $0.array) }
  }

  private func returned(_ opcode: HCIOpcode, _ count: Int) -> Octets? {
    self.opcode == opcode && status == .success && returnParameters.count >= count
      ? returnParameters.prefix(count) : nil
  }
}

/// What a controller's link layer can do. Source: Core Specification 5.4, Vol 6, Part B, 4.6.
package struct LEFeatures: OptionSet, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  package static let le2M = LEFeatures(rawValue: 1 << 8)
  package static let leCoded = LEFeatures(rawValue: 1 << 11)
  package static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
}

/// The commands that a controller knows, one bit each: the version number of a controller says nothing about them.
/// Source: Core Specification 5.4, Vol 4, Part E, 6.27.
package struct SupportedCommands: Hashable, Sendable {
  static let size = 64

  private let octets: [UInt8]

  init(octets: [UInt8]) {
    self.octets = octets
  }

  /// Octet and bit of the scanning commands; false for a command whose bit is not listed here.
  package func contains(_ opcode: HCIOpcode) -> Bool {
    switch opcode {
    case .setEventMask: has(5, bit: 6)
    case .reset: has(5, bit: 7)
    case .readLocalSupportedCommands: has(14, bit: 4)
    case .readAddress: has(15, bit: 1)
    case .leSetEventMask: has(25, bit: 0)
    case .leReadLocalSupportedFeatures: has(25, bit: 2)
    case .leSetScanParameters: has(26, bit: 2)
    case .leSetScanEnable: has(26, bit: 3)
    case .leSetExtendedScanParameters: has(37, bit: 5)
    case .leSetExtendedScanEnable: has(37, bit: 6)
    default: false
    }
  }

  private func has(_ octet: Int, bit: UInt8) -> Bool {
    octet < octets.count && octets[octet] & 1 << bit != 0
  }
}
