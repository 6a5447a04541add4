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
  @inline(__always)
  package init?(_ event: HCIEvent) {
    guard event.code == .leMeta, event.parameters.count >= 2,
      let subevent = Subevent(rawValue: event.parameters[0])
    else { return nil }
    self.subevent = subevent
    announced = Int(event.parameters[1])
    parameters = event.parameters
    statedLength = event.statedLength
  }

  // Inlined into the loops of this module, so that the walk's state stays in registers.
  @inline(__always)
  package mutating func next() -> AdvertisingReport? {
    guard count < announced else {
      if malformation == nil, parameters.count < statedLength {
        malformation = .parametersCut(stated: statedLength, present: parameters.count)
      }
      return nil
    }
    guard malformation == nil else { return nil }
    switch subevent {
    case .legacy: return nextLegacy()
    case .extended: return nextExtended()
    case .directed: return nextDirected()
    }
  }

  /// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.2.
  @inline(__always)
  private mutating func nextLegacy() -> AdvertisingReport? {
    guard let (header, data) = headerAndData(headerSize: 9, trailer: 1) else { return nil }
    return AdvertisingReport(
      source: .legacy,
      addressType: AddressType(rawValue: header[1]),
      eventType: UInt16(header[0]),
      rssi: Int8(bitPattern: parameters[offset - 1]),
      addressValue: DeviceAddress(header, at: 2).value,
      data: data)
  }

  /// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.13.
  @inline(__always)
  private mutating func nextExtended() -> AdvertisingReport? {
    guard let (header, data) = headerAndData(headerSize: 24, trailer: 0) else { return nil }
    return AdvertisingReport(
      source: .extended,
      addressType: AddressType(rawValue: header[2]),
      eventType: header.littleEndian(at: 0, as: UInt16.self),
      rssi: Int8(bitPattern: header[13]),
      addressValue: DeviceAddress(header, at: 3).value,
      data: data,
      extended: AdvertisingReport.Extended(
        primaryPHY: header[9],
        secondaryPHY: header[10],
        sid: header[11],
        txPower: Int8(bitPattern: header[12]),
        periodicInterval: header.littleEndian(at: 14, as: UInt16.self)),
      directAddress: AdvertisingReport.DirectAddress(
        type: AddressType(rawValue: header[16]), address: DeviceAddress(header, at: 17)))
  }

  /// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.11.
  private mutating func nextDirected() -> AdvertisingReport? {
    guard parameters.count - offset >= 16 else {
      malformation = .reportCut(count + 1, of: announced)
      return nil
    }
    let report = parameters[offset, upTo: offset + 16]
    offset += 16
    count += 1
    return AdvertisingReport(
      source: .directed,
      addressType: AddressType(rawValue: report[1]),
      eventType: UInt16(report[0]),
      rssi: Int8(bitPattern: report[15]),
      addressValue: DeviceAddress(report, at: 2).value,
      data: Octets(),
      directAddress: AdvertisingReport.DirectAddress(
        type: AddressType(rawValue: report[8]), address: DeviceAddress(report, at: 9)))
  }

  /// The report at `offset`, which is passed: its first octets, the last of them the data's length, and the data, which
  /// `trailer` octets follow. Nil when it is not whole.
  @inline(__always)
  private mutating func headerAndData(headerSize: Int, trailer: Int) -> (Octets, Octets)? {
    let rest = parameters.dropping(offset)
    guard rest.count >= headerSize + trailer else {
      malformation = .reportCut(count + 1, of: announced)
      return nil
    }
    let length = Int(rest[headerSize - 1])
    guard rest.count >= headerSize + length + trailer else {
      malformation = .dataRunsPastEvent(report: count + 1, of: announced, length: length)
      return nil
    }
    offset += headerSize + length + trailer
    count += 1
    return (rest[0, upTo: headerSize], rest[headerSize, upTo: headerSize + length])
  }
}

extension AdvertisingReports.Malformation: DescribedInPieces {
  package func describe(_ put: (String) -> Void) {
    func putReport(_ report: Int, _ announced: Int) {
      put("report ")
      put(String(report))
      put(" of ")
      put(String(announced))
    }
    switch self {
    case .reportCut(let report, let announced):
      putReport(report, announced)
      put(" is cut")
    case .dataRunsPastEvent(let report, let announced, let length):
      putReport(report, announced)
      put(": data length ")
      put(String(length))
      put(" runs past the event")
    case .parametersCut(let stated, let present):
      put("event says ")
      put(String(stated))
      put(" parameter bytes, ")
      put(String(present))
      put(" present")
    }
  }
}
