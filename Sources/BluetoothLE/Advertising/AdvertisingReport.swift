/// One advertising report: what a controller handed over, or an advertising PDU that a sniffer heard.
package struct AdvertisingReport {
  package enum Source: UInt8, Sendable {
    /// HCI LE Advertising Report.
    case legacy
    /// HCI LE Extended Advertising Report.
    case extended
    /// HCI LE Directed Advertising Report: no advertising data.
    case directed
    /// An advertising physical channel PDU.
    case linkLayer
    /// A payload alone: no address, no level.
    case payload
  }

  package enum Checksum: UInt8, Sendable {
    /// HCI: the controller has checked it.
    case unchecked
    case ok
    case bad
    /// The sniffer cut the PDU short.
    case cut
  }

  package var source: Source
  package var checksum: Checksum
  package var addressType: AddressType
  /// How many octets of the address are there: 6; 0 where there is none; fewer in a PDU cut short.
  package var addressLength: UInt8
  /// As it stands on the wire: the Event_Type of a report, reserved bits and all, or the PDU type.
  package var eventType: UInt16
  /// Received power in dBm as the controller gives it; 127 is "not available".
  package var rssi: Int8
  package var addressValue: UInt64
  /// The advertising data, borrowed from the packet. A fragment of it where `isFragment`.
  package var data: Octets
  package var extended: Extended
  /// Address type in the top octet, address in the low 48 bits; 0xff in the octet between where there is none.
  private var direct: UInt64

  /// A report of nothing but a payload.
  package init(payload: Octets) {
    self.init(
      source: .payload, addressType: AddressType(rawValue: 0), addressLength: 0, eventType: 0,
      rssi: Self.rssiNotAvailable, addressValue: 0, data: payload)
  }

  @inline(__always)
  package init(
    source: Source, checksum: Checksum = .unchecked, addressType: AddressType, addressLength: UInt8 = 6,
    eventType: UInt16, rssi: Int8, addressValue: UInt64, data: Octets, extended: Extended = Extended(),
    directAddress: DirectAddress? = nil
  ) {
    self.source = source
    self.checksum = checksum
    self.addressType = addressType
    self.addressLength = addressLength
    self.eventType = eventType
    self.rssi = rssi
    self.addressValue = addressValue
    self.data = data
    self.extended = extended
    direct = directAddress.map { $0.address.value | UInt64($0.type.rawValue) << 56 } ?? Self.noDirectAddress
  }

  /// What only extended reports carry. Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.13.
  package struct Extended {
    package var primaryPHY: UInt8
    package var secondaryPHY: UInt8
    /// Advertising set; 0xff where there is none.
    package var sid: UInt8
    /// dBm; 127 where it is not available.
    package var txPower: Int8
    /// Units of 1.25 ms; 0 where there is no periodic advertising.
    package var periodicInterval: UInt16
    /// How many reports the data was put together from.
    package var fragments: UInt16 = 1

    @inline(__always)
    package init(
      primaryPHY: UInt8 = 0, secondaryPHY: UInt8 = 0, sid: UInt8 = 0xff, txPower: Int8 = 127,
      periodicInterval: UInt16 = 0
    ) {
      self.primaryPHY = primaryPHY
      self.secondaryPHY = secondaryPHY
      self.sid = sid
      self.txPower = txPower
      self.periodicInterval = periodicInterval
    }
  }

  package struct DirectAddress {
    package var type: AddressType
    package var address: DeviceAddress
  }

  private static let noDirectAddress: UInt64 = 0xff << 48

  package var directAddress: DirectAddress? {
    get {
      guard direct & Self.noDirectAddress == 0 else { return nil }
      return DirectAddress(
        type: AddressType(rawValue: UInt8(truncatingIfNeeded: direct >> 56)), address: DeviceAddress(direct))
    }
    set {
      direct = newValue.map { $0.address.value | UInt64($0.type.rawValue) << 56 } ?? Self.noDirectAddress
    }
  }

  /// The value of RSSI that says there is none. Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.2.
  package static let rssiNotAvailable: Int8 = 127

  package var address: DeviceAddress? {
    addressLength == 6 && addressType != .anonymous ? DeviceAddress(addressValue) : nil
  }

  /// Received power in dBm, nil where the controller does not know it.
  package var receivedPower: Int8? { rssi == Self.rssiNotAvailable ? nil : rssi }

  /// The octets can be believed: a controller's report or a PDU whose CRC holds.
  package var isSound: Bool { checksum == .unchecked || checksum == .ok }
}

// MARK: Extended Event_Type

/// Event_Type of an extended report; reserved bits are kept and mean nothing.
/// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.13.
package struct ExtendedEventType: OptionSet, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  package static let connectable = ExtendedEventType(rawValue: 1 << 0)
  package static let scannable = ExtendedEventType(rawValue: 1 << 1)
  package static let directed = ExtendedEventType(rawValue: 1 << 2)
  package static let scanResponse = ExtendedEventType(rawValue: 1 << 3)
  package static let legacyPDU = ExtendedEventType(rawValue: 1 << 4)

  /// The five bits that say what was advertised; with address and set they tell one chain of fragments from another.
  static let properties: UInt16 = 0x1f
  static let dataStatusMask: UInt16 = 0x60
  package static let reserved: UInt16 = 0xff80

  package enum DataStatus: UInt8, Sendable {
    case complete = 0b00
    case moreToCome = 0b01
    case truncated = 0b10
    case reserved = 0b11
  }

  package var dataStatus: DataStatus {
    switch rawValue >> 5 & 0b11 {
    case 0b00: .complete
    case 0b01: .moreToCome
    case 0b10: .truncated
    default: .reserved
    }
  }
}

extension AdvertisingReport {
  package var extendedEventType: ExtendedEventType { ExtendedEventType(rawValue: eventType) }

  /// More of this advertisement follows in another report.
  package var isFragment: Bool { source == .extended && extendedEventType.dataStatus == .moreToCome }

  /// The name of what was advertised, reserved bits masked.
  package var pduName: StaticString {
    switch source {
    case .legacy: Self.legacyName(eventType & 0x07)
    case .directed: "ADV_DIRECT_IND"
    case .payload: "advertisement"
    case .linkLayer: LinkLayerPDU.name(UInt8(truncatingIfNeeded: eventType))
    case .extended:
      // Source: Core Specification 5.4, Vol 4, Part E, table 7.1 for the legacy PDUs.
      if !extendedEventType.contains(.legacyPDU) {
        extendedEventType.contains(.scanResponse) ? "AUX_SCAN_RSP" : "AUX_ADV_IND"
      } else if extendedEventType.contains(.scanResponse) {
        "SCAN_RSP"
      } else if extendedEventType.contains(.directed) {
        "ADV_DIRECT_IND"
      } else if extendedEventType.contains(.connectable) {
        "ADV_IND"
      } else {
        extendedEventType.contains(.scannable) ? "ADV_SCAN_IND" : "ADV_NONCONN_IND"
      }
    }
  }

  /// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.2.
  private static func legacyName(_ type: UInt16) -> StaticString {
    switch type {
    case 0x00: "ADV_IND"
    case 0x01: "ADV_DIRECT_IND"
    case 0x02: "ADV_SCAN_IND"
    case 0x03: "ADV_NONCONN_IND"
    case 0x04: "SCAN_RSP"
    default: "reserved"
    }
  }
}
