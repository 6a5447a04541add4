/// A packet from the kernel's Bluetooth management: an answer, or something that has happened.
package struct ManagementPacket {
  /// Of a packet that is about no adapter.
  package static let noIndex: UInt16 = 0xffff

  package let index: UInt16
  package let event: ManagementEvent

  /// Nil when it is cut.
  package init?(_ packet: Octets) {
    var reader = ByteReader(packet)
    guard let code = reader.readLittleEndian(UInt16.self), let index = reader.readLittleEndian(UInt16.self),
      let length = reader.readLittleEndian(UInt16.self), let parameters = reader.read(Int(length)),
      let event = ManagementEvent(code, parameters)
    else { return nil }
    self.index = index
    self.event = event
  }
}

package enum ManagementEvent {
  case commandComplete(ManagementOpcode, ManagementStatus, Octets)
  case commandStatus(ManagementOpcode, ManagementStatus)
  case controllerError(UInt8)
  /// A primary adapter has come. With the extended list read, it is told by its type.
  case indexAdded
  case indexRemoved
  case newSettings(AdapterSettings)
  case advertisementMonitorAdded(UInt16)
  /// Handle 0 stands for all of them.
  case advertisementMonitorRemoved(UInt16)
  /// One that scanning has no use for.
  case other(UInt16)

  fileprivate init?(_ code: UInt16, _ parameters: Octets) {
    var reader = ByteReader(parameters)
    switch code {
    case 0x0001:
      guard let opcode = reader.readLittleEndian(UInt16.self), let status = reader.readOctet() else { return nil }
      self = .commandComplete(
        ManagementOpcode(rawValue: opcode), ManagementStatus(rawValue: status), reader.rest)
    case 0x0002:
      guard let opcode = reader.readLittleEndian(UInt16.self), let status = reader.readOctet() else { return nil }
      self = .commandStatus(ManagementOpcode(rawValue: opcode), ManagementStatus(rawValue: status))
    case 0x0003:
      guard let code = reader.readOctet() else { return nil }
      self = .controllerError(code)
    case 0x0004: self = .indexAdded
    case 0x0005: self = .indexRemoved
    case 0x0006:
      guard let settings = reader.readLittleEndian(UInt32.self) else { return nil }
      self = .newSettings(AdapterSettings(rawValue: settings))
    case 0x0020, 0x0021:
      // A type and a bus; only primary adapters scan.
      guard let type = reader.readOctet() else { return nil }
      self = type != 0 ? .other(code) : code == 0x0020 ? .indexAdded : .indexRemoved
    case 0x002b:
      guard let handle = reader.readLittleEndian(UInt16.self) else { return nil }
      self = .advertisementMonitorAdded(handle)
    case 0x002c:
      guard let handle = reader.readLittleEndian(UInt16.self) else { return nil }
      self = .advertisementMonitorRemoved(handle)
    default: self = .other(code)
    }
  }
}

/// What a management command ended with.
package struct ManagementStatus: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let success = ManagementStatus(rawValue: 0x00)
  package static let unknownCommand = ManagementStatus(rawValue: 0x01)
  package static let notConnected = ManagementStatus(rawValue: 0x02)
  package static let failed = ManagementStatus(rawValue: 0x03)
  package static let busy = ManagementStatus(rawValue: 0x0a)
  package static let rejected = ManagementStatus(rawValue: 0x0b)
  package static let notSupported = ManagementStatus(rawValue: 0x0c)
  package static let invalidParameters = ManagementStatus(rawValue: 0x0d)
  package static let notPowered = ManagementStatus(rawValue: 0x0f)
  package static let invalidIndex = ManagementStatus(rawValue: 0x11)
  package static let rfkilled = ManagementStatus(rawValue: 0x12)
  package static let permissionDenied = ManagementStatus(rawValue: 0x14)
}

extension ManagementStatus: CustomStringConvertible {
  /// `permission denied (0x14)`.
  package var description: String {
    let code = "0x" + hex(rawValue, digits: 2)
    return name.map { "\($0) (\(code))" } ?? "status \(code)"
  }

  private var name: StaticString? {
    switch self {
    case .success: "success"
    case .unknownCommand: "unknown command"
    case .notConnected: "not connected"
    case .failed: "failed"
    case .busy: "busy"
    case .rejected: "rejected"
    case .notSupported: "not supported"
    case .invalidParameters: "invalid parameters"
    case .notPowered: "not powered"
    case .invalidIndex: "no such adapter"
    case .rfkilled: "blocked by rfkill"
    case .permissionDenied: "permission denied"
    default: nil
    }
  }
}

/// What of an adapter is on, or could be.
package struct AdapterSettings: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static let powered = AdapterSettings(rawValue: 1 << 0)
  package static let lowEnergy = AdapterSettings(rawValue: 1 << 9)
}

// MARK: Return parameters

/// What is known of an adapter. Return parameters of Read Controller Information.
package struct ControllerInformation: Hashable, Sendable {
  package let address: DeviceAddress
  package let supported: AdapterSettings
  package let current: AdapterSettings

  /// Nil when it is cut.
  package init?(_ parameters: Octets) {
    var reader = ByteReader(parameters)
    guard let address = reader.read(6), reader.read(3) != nil, let supported = reader.readLittleEndian(UInt32.self),
      let current = reader.readLittleEndian(UInt32.self)
    else { return nil }
    self.address = DeviceAddress(address, at: 0)
    self.supported = AdapterSettings(rawValue: supported)
    self.current = AdapterSettings(rawValue: current)
  }
}

/// What the kernel can do for monitors. Return parameters of Read Advertisement Monitor Features.
package struct MonitorFeatures: Hashable, Sendable {
  /// The controller looks for the patterns by itself, and keeps other reports back.
  package let isOffloaded: Bool
  /// Monitors that there may be, and are.
  package let most: Int
  package let handles: [UInt16]

  /// Nil when it is cut.
  package init?(_ parameters: Octets) {
    var reader = ByteReader(parameters)
    guard let supported = reader.readLittleEndian(UInt32.self), reader.read(4) != nil,
      let most = reader.readLittleEndian(UInt16.self), reader.readOctet() != nil,
      let count = reader.readLittleEndian(UInt16.self), reader.remaining >= 2 * Int(count)
    else { return nil }
    isOffloaded = supported & 1 != 0
    self.most = Int(most)
    handles = (0..<Int(count)).compactMap { _ in reader.readLittleEndian(UInt16.self) }
  }
}

/// How an adapter is attached. Source: Linux 6.1, include/net/bluetooth/hci.h, HCI_USB and what follows it.
package struct AdapterBus: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let virtual = AdapterBus(rawValue: 0)
  package static let usb = AdapterBus(rawValue: 1)
  package static let uart = AdapterBus(rawValue: 3)
  package static let sdio = AdapterBus(rawValue: 6)
  package static let smd = AdapterBus(rawValue: 9)

  /// It is a part of a chip that does Wi-Fi with the same antenna, as far as its bus tells: those on boards such as the
  /// Raspberry Pi's are.
  package var sharesAntenna: Bool { self == .uart || self == .sdio || self == .smd }
}

/// An adapter that can scan.
package struct PrimaryAdapter: Hashable, Sendable {
  package let index: UInt16
  package let bus: AdapterBus

  package init(index: UInt16, bus: AdapterBus) {
    self.index = index
    self.bus = bus
  }
}

/// Return parameters of Read Extended Controller Index List: the adapters that can scan; nil when they are cut.
package func primaryAdapters(_ parameters: Octets) -> [PrimaryAdapter]? {
  var reader = ByteReader(parameters)
  guard let count = reader.readLittleEndian(UInt16.self), reader.remaining >= 4 * Int(count) else { return nil }
  var adapters: [PrimaryAdapter] = []
  for _ in 0..<count {
    guard let index = reader.readLittleEndian(UInt16.self), let type = reader.readOctet(), let bus = reader.readOctet()
    else { return nil }
    // 0 is a configured primary adapter, 1 one that lacks its set-up.
    if type == 0 { adapters.append(PrimaryAdapter(index: index, bus: AdapterBus(rawValue: bus))) }
  }
  return adapters
}

/// Return parameters of Read Default System Configuration: those of two octets.
package func systemParameters(_ parameters: Octets) -> [SystemParameter]? {
  var reader = ByteReader(parameters)
  var found: [SystemParameter] = []
  while reader.remaining > 0 {
    guard let type = reader.readLittleEndian(UInt16.self), let length = reader.readOctet(),
      let value = reader.read(Int(length))
    else { return nil }
    if length == 2 {
      found.append(SystemParameter(SystemParameter.Kind(rawValue: type), value.littleEndian(at: 0, as: UInt16.self)))
    }
  }
  return found
}
