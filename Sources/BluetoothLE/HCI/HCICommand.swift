/// A command that a host sends to its controller: those that scanning takes, and any other as it is.
///
/// Source: Core Specification 5.4, Vol 4, Part E, 5.4.1 for the packet and section 7 for the parameters.
package enum HCICommand: Hashable, Sendable {
  case reset
  case setEventMask(EventMask)
  case readLocalSupportedCommands
  case readAddress
  case leSetEventMask(LEEventMask)
  case leReadLocalSupportedFeatures
  case leSetScanParameters(ScanParameters)
  case leSetScanEnable(Bool, filterDuplicates: DuplicateFilter)
  case leSetExtendedScanParameters(ExtendedScanParameters)
  case leSetExtendedScanEnable(ExtendedScanEnable)
  /// A command without a case above, or with parameters that it does not have.
  case other(HCIOpcode, parameters: [UInt8])

  package var opcode: HCIOpcode {
    switch self {
    case .reset: .reset
    case .setEventMask: .setEventMask
    case .readLocalSupportedCommands: .readLocalSupportedCommands
    case .readAddress: .readAddress
    case .leSetEventMask: .leSetEventMask
    case .leReadLocalSupportedFeatures: .leReadLocalSupportedFeatures
    case .leSetScanParameters: .leSetScanParameters
    case .leSetScanEnable: .leSetScanEnable
    case .leSetExtendedScanParameters: .leSetExtendedScanParameters
    case .leSetExtendedScanEnable: .leSetExtendedScanEnable
    case .other(let opcode, _): opcode
    }
  }
}

// MARK: To octets

extension HCICommand {
  /// Opcode, length and parameters, without the H4 octet. Of parameters that are too many the first 255 are taken.
  package var octets: [UInt8] {
    let parameters = parameters.prefix(Int(UInt8.max))
    var octets: [UInt8] = []
    octets.reserveCapacity(3 + parameters.count)
    octets.append(littleEndian: opcode.rawValue)
    octets.append(UInt8(parameters.count))
    octets += parameters
    return octets
  }

  private var parameters: [UInt8] {
    var octets: [UInt8] = []
    switch self {
    case .reset, .readLocalSupportedCommands, .readAddress, .leReadLocalSupportedFeatures: break
    case .setEventMask(let mask): octets.append(littleEndian: mask.rawValue)
    case .leSetEventMask(let mask): octets.append(littleEndian: mask.rawValue)
    case .leSetScanParameters(let scan):
      octets.append(scan.timing)
      octets.append(scan.ownAddressType.rawValue)
      octets.append(scan.filterPolicy.rawValue)
    case .leSetScanEnable(let isEnabled, let filter):
      octets.append(isEnabled ? 1 : 0)
      octets.append(filter.rawValue)
    case .leSetExtendedScanParameters(let scan):
      octets.append(scan.ownAddressType.rawValue)
      octets.append(scan.filterPolicy.rawValue)
      octets.append(
        (scan.on1M == nil ? 0 : ExtendedScanParameters.bit1M)
          | (scan.onCoded == nil ? 0 : ExtendedScanParameters.bitCoded))
      // The PHYs in the order of their bits.
      if let timing = scan.on1M { octets.append(timing) }
      if let timing = scan.onCoded { octets.append(timing) }
    case .leSetExtendedScanEnable(let scan):
      octets.append(scan.isEnabled ? 1 : 0)
      octets.append(scan.filterDuplicates.rawValue)
      octets.append(littleEndian: scan.duration)
      octets.append(littleEndian: scan.period)
    case .other(_, let parameters): octets = parameters
    }
    return octets
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  fileprivate mutating func append(_ timing: ScanTiming) {
    append(timing.type.rawValue)
    append(littleEndian: timing.interval)
    append(littleEndian: timing.window)
  }
}

// MARK: From octets

extension HCICommand {
  /// Reads a command packet without its H4 octet; nil when it is cut.
  package init?(_ packet: Octets) {
    var reader = ByteReader(packet)
    guard let number = reader.readLittleEndian(UInt16.self), let length = reader.readOctet(),
      let parameters = reader.read(Int(length))
    else { return nil }
    let opcode = HCIOpcode(rawValue: number)
    self = Self.command(opcode, parameters) ?? .other(opcode, parameters: parameters.array)
  }

  /// Nil when the opcode has no case, or the parameters are not those of it.
  private static func command(_ opcode: HCIOpcode, _ parameters: Octets) -> HCICommand? {
    var reader = ByteReader(parameters)
    let command: HCICommand? =
      switch opcode {
      case .reset: .reset
      case .readLocalSupportedCommands: .readLocalSupportedCommands
      case .readAddress: .readAddress
      case .leReadLocalSupportedFeatures: .leReadLocalSupportedFeatures
      case .setEventMask: reader.readLittleEndian(UInt64.self).map { .setEventMask(EventMask(rawValue: $0)) }
      case .leSetEventMask: reader.readLittleEndian(UInt64.self).map { .leSetEventMask(LEEventMask(rawValue: $0)) }
      case .leSetScanParameters: scanParameters(&reader).map(HCICommand.leSetScanParameters)
      case .leSetScanEnable: scanEnable(&reader)
      case .leSetExtendedScanParameters: extendedScanParameters(&reader).map(HCICommand.leSetExtendedScanParameters)
      case .leSetExtendedScanEnable: extendedScanEnable(&reader).map(HCICommand.leSetExtendedScanEnable)
      default: nil
      }
    return reader.remaining == 0 ? command : nil
  }

  private static func scanParameters(_ reader: inout ByteReader) -> ScanParameters? {
    guard let timing = timing(&reader), let address = reader.readOctet(), let policy = reader.readOctet() else {
      return nil
    }
    return ScanParameters(
      timing, ownAddressType: OwnAddressType(rawValue: address), filterPolicy: ScanFilterPolicy(rawValue: policy))
  }

  private static func scanEnable(_ reader: inout ByteReader) -> HCICommand? {
    guard let isEnabled = flag(&reader), let filter = reader.readOctet() else { return nil }
    return .leSetScanEnable(isEnabled, filterDuplicates: DuplicateFilter(rawValue: filter))
  }

  private static func extendedScanParameters(_ reader: inout ByteReader) -> ExtendedScanParameters? {
    guard let address = reader.readOctet(), let policy = reader.readOctet(), let phys = reader.readOctet(),
      phys & ~(ExtendedScanParameters.bit1M | ExtendedScanParameters.bitCoded) == 0
    else { return nil }
    var scan = ExtendedScanParameters(
      on1M: nil, ownAddressType: OwnAddressType(rawValue: address), filterPolicy: ScanFilterPolicy(rawValue: policy))
    if phys & ExtendedScanParameters.bit1M != 0 {
      guard let timing = timing(&reader) else { return nil }
      scan.on1M = timing
    }
    if phys & ExtendedScanParameters.bitCoded != 0 {
      guard let timing = timing(&reader) else { return nil }
      scan.onCoded = timing
    }
    return scan
  }

  private static func extendedScanEnable(_ reader: inout ByteReader) -> ExtendedScanEnable? {
    guard let isEnabled = flag(&reader), let filter = reader.readOctet(),
      let duration = reader.readLittleEndian(UInt16.self), let period = reader.readLittleEndian(UInt16.self)
    else { return nil }
    return ExtendedScanEnable(
      isEnabled, filterDuplicates: DuplicateFilter(rawValue: filter), duration: duration, period: period)
  }

  private static func timing(_ reader: inout ByteReader) -> ScanTiming? {
    guard let type = reader.readOctet(), let interval = reader.readLittleEndian(UInt16.self),
      let window = reader.readLittleEndian(UInt16.self)
    else { return nil }
    return ScanTiming(ScanType(rawValue: type), interval: interval, window: window)
  }

  private static func flag(_ reader: inout ByteReader) -> Bool? {
    reader.readOctet().flatMap { $0 <= 1 ? $0 == 1 : nil }
  }
}
