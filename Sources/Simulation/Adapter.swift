import BluetoothLE

/// A Bluetooth adapter of the gateway that listens.
package struct Adapter: Sendable {
  /// The event in which it reports what it hears.
  package enum Reporting: Sendable {
    /// LE Advertising Report.
    case legacy
    /// LE Extended Advertising Report.
    case extended
  }

  /// Something else on the air.
  package struct Interference: Hashable, Sendable {
    /// Seconds since the start of the scene.
    package var during: Range<Double>
    /// Share that it takes of the packets that would be heard.
    package var loss: Double
  }

  package var reporting: Reporting
  package var address: DeviceAddress
  package var place: Place
  /// dB that it hears more than a common one.
  package var gain = 0.0
  /// dBm at which it loses half of the packets.
  package var sensitivity = -94.0
  /// dB from there to where it loses none, and to where it loses all.
  package var sensitivityMargin = 6.0
  /// Share of strong packets that it hears: the rest fall into gaps of the scan or collide.
  package var share = 0.85
  /// Of the advertisers heard that have one, how many scan responses are heard too.
  package var scanResponses = 0.6
  /// Share of reports in which the controller says that it knows no RSSI.
  package var unmeasured = 0.0
  /// Seconds on one advertising channel before it goes on to the next.
  package var channelTime = 0.1
  /// Seconds that a report waits for others before all of them are handed over in one event.
  package var holding = 0.01
  /// In their order, none before the end of the one before.
  package var interference: [Interference] = []

  /// An adapter that hears as most do.
  package init(_ reporting: Reporting, address: DeviceAddress, at place: Place) {
    self.reporting = reporting
    self.address = address
    self.place = place
  }

  /// How likely it hears a packet of a level in dBm.
  package func reception(of level: Double) -> Double {
    let position = min(max(0.5 + 0.5 * (level - sensitivity) / sensitivityMargin, 0), 1)
    return share * position * position * (3 - 2 * position)
  }
}

extension Adapter {
  /// Share of the packets that interference leaves at a time.
  func clearness(at seconds: Double) -> Double {
    let next = interference.first { $0.during.upperBound > seconds }
    return next.map { $0.during.contains(seconds) ? 1 - $0.loss : 1 } ?? 1
  }
}

/// Reports that an adapter has not handed over yet.
struct PendingEvent {
  /// An HCI event holds so many octets of parameters: less subevent and count.
  private static let mostOctets = 255 - 2

  private let reporting: Adapter.Reporting
  private var reports: [UInt8] = []
  private var count: UInt8 = 0
  /// When it is handed over, in microseconds; nil while there is nothing.
  private(set) var due: Int64?

  init(_ reporting: Adapter.Reporting) {
    self.reporting = reporting
    reports.reserveCapacity(Self.mostOctets)
  }

  func fits(_ report: [UInt8]) -> Bool { reports.count + report.count <= Self.mostOctets }

  /// Adds a report; one that is the first is handed over at `due` with those to come.
  mutating func append(_ report: [UInt8], due: Int64) {
    reports += report
    count += 1
    if self.due == nil { self.due = due }
  }

  /// The event packet without its H4 octet; nothing is left.
  mutating func take() -> [UInt8] {
    let subevent: AdvertisingReports.Subevent = reporting == .legacy ? .legacy : .extended
    let octets =
      [HCIEvent.Code.leMeta.rawValue, UInt8(reports.count + 2), subevent.rawValue, count] + reports
    reports.removeAll(keepingCapacity: true)
    count = 0
    due = nil
    return octets
  }
}

/// One advertisement as it is heard.
struct HeardPacket {
  /// As an LE Advertising Report numbers it; 0x04 is a scan response.
  let type: UInt8
  let addressType: AddressType
  let address: DeviceAddress
  let data: [UInt8]
  let rssi: Int8

  static let scanResponse: UInt8 = 0x04

  /// The fields of one report. Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.2 and 7.7.65.13.
  func report(_ reporting: Adapter.Reporting, answering pdu: Device.PDU) -> [UInt8] {
    var octets: [UInt8] = []
    octets.reserveCapacity(24 + data.count)
    switch reporting {
    case .legacy:
      octets.append(type)
      appendAddress(to: &octets)
      octets.append(UInt8(data.count))
      octets += data
      octets.append(UInt8(bitPattern: rssi))
    case .extended:
      octets.append(littleEndian: extendedType(pdu).rawValue)
      appendAddress(to: &octets)
      // Primary PHY LE 1M, no secondary one, no set, transmit power not available.
      octets += [0x01, 0x00, 0xff, 0x7f, UInt8(bitPattern: rssi)]
      // No periodic advertising, nobody addressed.
      octets += [UInt8](repeating: 0, count: 2 + 1 + 6)
      octets.append(UInt8(data.count))
      octets += data
    }
    return octets
  }

  private func appendAddress(to octets: inout [UInt8]) {
    octets.append(addressType.rawValue)
    for shift in stride(from: UInt64(0), to: 48, by: 8) {
      octets.append(UInt8(truncatingIfNeeded: address.value >> shift))
    }
  }

  /// A legacy PDU in an extended report. Source: table 7.1 there.
  private func extendedType(_ pdu: Device.PDU) -> ExtendedEventType {
    var type: ExtendedEventType = .legacyPDU
    if pdu == .connectable { type.formUnion([.connectable, .scannable]) }
    if pdu == .scannable { type.formUnion(.scannable) }
    if self.type == Self.scanResponse { type.formUnion(.scanResponse) }
    return type
  }
}
