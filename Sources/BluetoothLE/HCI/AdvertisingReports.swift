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
  /// How many of the reports that the event says it has were not read.
  package private(set) var missing: Int
  /// Meaningful once `next` has returned nil.
  package private(set) var malformation: Malformation?

  private let event: HCIEvent
  private var rest: Octets

  /// How many reports the event says it has.
  package var announced: Int { Int(event.parameters[1]) }

  /// Nil when the event is none that carries advertising reports.
  @inline(__always)
  package init?(_ event: HCIEvent) {
    guard event.code == .leMeta, event.parameters.count >= 2,
      let subevent = Subevent(rawValue: event.parameters[0])
    else { return nil }
    self.event = event
    self.subevent = subevent
    missing = Int(event.parameters[1])
    rest = event.parameters.dropping(2)
  }

  package mutating func next() -> AdvertisingReport? {
    switch subevent {
    case .legacy: nextLegacy()
    case .extended: nextExtended()
    case .directed: nextDirected()
    }
  }

  // Each is inlined into a loop of its own, so that the walk's state stays in registers.

  /// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.2.
  @inline(__always)
  mutating func nextLegacy() -> AdvertisingReport? {
    guard let (report, end) = takeWithData(headerSize: 9, trailer: 1) else { return nil }
    return AdvertisingReport(
      source: .legacy,
      addressType: AddressType(rawValue: report[1]),
      eventType: UInt16(report[0]),
      rssi: Int8(bitPattern: report[end]),
      addressValue: DeviceAddress(report, at: 2).value,
      data: report[9, upTo: end])
  }

  /// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.13.
  @inline(__always)
  mutating func nextExtended() -> AdvertisingReport? {
    guard let (report, end) = takeWithData(headerSize: 24, trailer: 0) else { return nil }
    return AdvertisingReport(
      source: .extended,
      addressType: AddressType(rawValue: report[2]),
      eventType: report.littleEndian(at: 0, as: UInt16.self),
      rssi: Int8(bitPattern: report[13]),
      addressValue: DeviceAddress(report, at: 3).value,
      data: report[24, upTo: end],
      extended: AdvertisingReport.Extended(
        primaryPHY: report[9],
        secondaryPHY: report[10],
        sid: report[11],
        txPower: Int8(bitPattern: report[12]),
        periodicInterval: report.littleEndian(at: 14, as: UInt16.self)),
      directAddress: AdvertisingReport.DirectAddress(
        type: AddressType(rawValue: report[16]), address: DeviceAddress(report, at: 17)))
  }

  /// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.11.
  mutating func nextDirected() -> AdvertisingReport? {
    guard hasNext(), let report = take(16) else { return nil }
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

  @inline(__always)
  private mutating func hasNext() -> Bool {
    if missing > 0 { return malformation == nil }
    if malformation == nil, event.parameters.count < event.statedLength {
      malformation = .parametersCut(stated: event.statedLength, present: event.parameters.count)
    }
    return false
  }

  /// The next report, which is passed; nil when less than `size` octets are left.
  @inline(__always)
  private mutating func take(_ size: Int) -> Octets? {
    guard rest.count >= size else {
      malformation = .reportCut(announced - missing + 1, of: announced)
      return nil
    }
    let report = rest[0, upTo: size]
    rest = rest.dropping(size)
    missing -= 1
    return report
  }

  /// The next report, which is passed: a header, its last octet the data's length, the data, which ends at `end`, and a
  /// trailer. Nil when it is not whole.
  @inline(__always)
  private mutating func takeWithData(headerSize: Int, trailer: Int) -> (report: Octets, end: Int)? {
    guard hasNext() else { return nil }
    guard rest.count >= headerSize + trailer else {
      malformation = .reportCut(announced - missing + 1, of: announced)
      return nil
    }
    let length = Int(rest[headerSize - 1])
    let end = headerSize + length
    guard rest.count >= end + trailer, let report = take(end + trailer) else {
      malformation = .dataRunsPastEvent(report: announced - missing + 1, of: announced, length: length)
      return nil
    }
    return (report, end)
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
