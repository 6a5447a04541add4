/// A command to the kernel's Bluetooth management, as much of it as scanning takes.
///
/// Source of all that is in this folder: doc/mgmt-api.txt of BlueZ 5.66. Numbers are little-endian.
package enum ManagementCommand: Hashable, Sendable {
  /// Which adapters there are, with their types; also turns on the events that tell of new ones by type.
  case readExtendedIndexList
  case readControllerInformation
  case setPowered(Bool)
  /// What the kernel does when nobody says otherwise.
  case readDefaultSystemConfiguration
  case setDefaultSystemConfiguration([SystemParameter])
  case readAdvertisementMonitorFeatures
  /// Lets the kernel scan for advertisements in which one of the patterns is found.
  case addAdvertisementPatternsMonitor([AdvertisementPattern])
  /// Of a monitor by its handle; 0 is all of them, others' too.
  case removeAdvertisementMonitor(UInt16)

  package var opcode: ManagementOpcode {
    switch self {
    case .readExtendedIndexList: .readExtendedIndexList
    case .readControllerInformation: .readControllerInformation
    case .setPowered: .setPowered
    case .readDefaultSystemConfiguration: .readDefaultSystemConfiguration
    case .setDefaultSystemConfiguration: .setDefaultSystemConfiguration
    case .readAdvertisementMonitorFeatures: .readAdvertisementMonitorFeatures
    case .addAdvertisementPatternsMonitor: .addAdvertisementPatternsMonitor
    case .removeAdvertisementMonitor: .removeAdvertisementMonitor
    }
  }

  /// The packet for the adapter of this index; `ManagementPacket.noIndex` where it is about none.
  package func octets(to index: UInt16) -> [UInt8] {
    let parameters = parameters
    var octets: [UInt8] = []
    octets.append(littleEndian: opcode.rawValue)
    octets.append(littleEndian: index)
    octets.append(littleEndian: UInt16(parameters.count))
    return octets + parameters
  }

  private var parameters: [UInt8] {
    var octets: [UInt8] = []
    switch self {
    case .readExtendedIndexList, .readControllerInformation, .readDefaultSystemConfiguration,
      .readAdvertisementMonitorFeatures:
      break
    case .setPowered(let isOn): octets.append(isOn ? 1 : 0)
    case .setDefaultSystemConfiguration(let parameters):
      // More than the kernel knows would not fit in a packet.
      for parameter in parameters.prefix(255) {
        octets.append(littleEndian: parameter.type.rawValue)
        octets.append(2)
        octets.append(littleEndian: parameter.value)
      }
    case .addAdvertisementPatternsMonitor(let patterns):
      let patterns = patterns.prefix(AdvertisementPattern.most)
      octets.append(UInt8(patterns.count))
      for pattern in patterns {
        let value = pattern.value.prefix(AdvertisementPattern.longest)
        octets += [pattern.type, pattern.offset, UInt8(value.count)]
        octets += value
        octets += [UInt8](repeating: 0, count: AdvertisementPattern.longest - value.count)
      }
    case .removeAdvertisementMonitor(let handle): octets.append(littleEndian: handle)
    }
    return octets
  }
}

package struct ManagementOpcode: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  package static let readControllerInformation = ManagementOpcode(rawValue: 0x0004)
  package static let setPowered = ManagementOpcode(rawValue: 0x0005)
  package static let readExtendedIndexList = ManagementOpcode(rawValue: 0x003c)
  package static let readDefaultSystemConfiguration = ManagementOpcode(rawValue: 0x004b)
  package static let setDefaultSystemConfiguration = ManagementOpcode(rawValue: 0x004c)
  package static let readAdvertisementMonitorFeatures = ManagementOpcode(rawValue: 0x0051)
  package static let addAdvertisementPatternsMonitor = ManagementOpcode(rawValue: 0x0052)
  package static let removeAdvertisementMonitor = ManagementOpcode(rawValue: 0x0053)
}

/// A setting of the kernel's that two octets hold.
package struct SystemParameter: Hashable, Sendable {
  package struct Kind: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
      self.rawValue = rawValue
    }

    /// Of the scan for monitors, in units of 0.625 ms.
    package static let monitorScanInterval = Kind(rawValue: 0x0013)
    package static let monitorScanWindow = Kind(rawValue: 0x0014)
  }

  package var type: Kind
  package var value: UInt16

  package init(_ type: Kind, _ value: UInt16) {
    self.type = type
    self.value = value
  }
}

/// Octets that an AD structure of a type has at a place.
package struct AdvertisementPattern: Hashable, Sendable {
  /// Octets of a pattern, and patterns of a monitor that the kernel takes.
  package static let longest = 31
  package static let most = 16

  package var type: UInt8
  /// Octets between the structure's type and the pattern.
  package var offset: UInt8
  package var value: [UInt8]

  package init(type: UInt8, offset: UInt8 = 0, value: [UInt8]) {
    self.type = type
    self.offset = offset
    self.value = value
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
