/// Splits an HCI event into its advertising reports.
///
/// Controllers write the fields of one report behind each other, then the next report's, whatever the specification's
/// notation suggests.
package struct AdvertisingReports: IteratorProtocol {
  /// Subevents of the LE Meta event. Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.
  package enum Subevent: UInt8, Sendable {
    case legacy = 0x02
    case directed = 0x0b
    case extended = 0x0d
  }

  /// What is wrong with an event; reports before it stand.
  package enum Malformation: Equatable, Sendable {
    case reportCut(Int, of: Int)
    case dataRunsPastEvent(report: Int, of: Int, length: Int)
    case parametersCut(stated: Int, present: Int)
  }

  package let subevent: Subevent
  /// How many reports the event says it has.
  package let announced: Int
  /// How many were read.
  package private(set) var count = 0
  /// Meaningful once `next` has returned nil.
  package private(set) var malformation: Malformation?

  private let parameters: Octets
  private let statedLength: Int
  private var offset = 2

  /// Nil when the event is none that carries advertising reports.
  package init?(_ event: HCIEvent) {
    guard event.code == .leMeta, event.parameters.count >= 2,
      let subevent = Subevent(rawValue: event.parameters[0])
    else { return nil }
    self.subevent = subevent
    announced = Int(event.parameters[1])
    parameters = event.parameters
    statedLength = event.statedLength
  }

  package mutating func next() -> AdvertisingReport? {
    guard malformation == nil else { return nil }
    guard count < announced else {
      if parameters.count < statedLength {
        malformation = .parametersCut(stated: statedLength, present: parameters.count)
      }
      return nil
    }
    let report =
      switch subevent {
      case .legacy: nextLegacy()
      case .extended: nextExtended()
      case .directed: nextDirected()
      }
    if report != nil { count += 1 }
    return report
  }

  /// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.2.
  private mutating func nextLegacy() -> AdvertisingReport? {
    guard let data = data(lengthAt: 8, trailer: 1) else { return nil }
    let start = offset
    offset += 10 + data.count
    return AdvertisingReport(
      source: .legacy,
      addressType: AddressType(rawValue: parameters[start + 1]),
      eventType: UInt16(parameters[start]),
      rssi: Int8(bitPattern: parameters[offset - 1]),
      addressValue: DeviceAddress(parameters, at: start + 2).value,
      data: data)
  }

  /// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.13.
  private mutating func nextExtended() -> AdvertisingReport? {
    guard let data = data(lengthAt: 23, trailer: 0) else { return nil }
    let start = offset
    offset += 24 + data.count
    return AdvertisingReport(
      source: .extended,
      addressType: AddressType(rawValue: parameters[start + 2]),
      eventType: parameters.littleEndian(at: start, as: UInt16.self),
      rssi: Int8(bitPattern: parameters[start + 13]),
      addressValue: DeviceAddress(parameters, at: start + 3).value,
      data: data,
      extended: AdvertisingReport.Extended(
        primaryPHY: parameters[start + 9],
        secondaryPHY: parameters[start + 10],
        sid: parameters[start + 11],
        txPower: Int8(bitPattern: parameters[start + 12]),
        periodicInterval: parameters.littleEndian(at: start + 14, as: UInt16.self)),
      directAddress: AdvertisingReport.DirectAddress(
        type: AddressType(rawValue: parameters[start + 16]), address: DeviceAddress(parameters, at: start + 17)))
  }

  /// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.11.
  private mutating func nextDirected() -> AdvertisingReport? {
    guard parameters.count - offset >= 16 else {
      malformation = .reportCut(count + 1, of: announced)
      return nil
    }
    let start = offset
    offset += 16
    return AdvertisingReport(
      source: .directed,
      addressType: AddressType(rawValue: parameters[start + 1]),
      eventType: UInt16(parameters[start]),
      rssi: Int8(bitPattern: parameters[start + 15]),
      addressValue: DeviceAddress(parameters, at: start + 2).value,
      data: Octets(),
      directAddress: AdvertisingReport.DirectAddress(
        type: AddressType(rawValue: parameters[start + 8]), address: DeviceAddress(parameters, at: start + 9)))
  }

  /// The advertising data of the report at `offset`, which `trailer` octets follow; nil when the report is not whole.
  private mutating func data(lengthAt lengthOffset: Int, trailer: Int) -> Octets? {
    let left = parameters.count - offset
    guard left >= lengthOffset + 1 + trailer else {
      malformation = .reportCut(count + 1, of: announced)
      return nil
    }
    let start = offset + lengthOffset + 1
    let length = Int(parameters[start - 1])
    guard left >= lengthOffset + 1 + trailer + length else {
      malformation = .dataRunsPastEvent(report: count + 1, of: announced, length: length)
      return nil
    }
    return parameters[start, upTo: start + length]
  }
}

extension AdvertisingReports.Malformation: CustomStringConvertible {
  package var description: String {
    switch self {
    case .reportCut(let report, let announced): "report \(report) of \(announced) is cut"
    case .dataRunsPastEvent(let report, let announced, let length):
      "report \(report) of \(announced): data length \(length) runs past the event"
    case .parametersCut(let stated, let present): "event says \(stated) parameter bytes, \(present) present"
    }
  }
}
