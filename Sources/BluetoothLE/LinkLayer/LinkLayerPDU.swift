/// An advertising physical channel PDU, from its access address on.
///
/// Source: Core Specification 5.4, Vol 6, Part B, 2.1 (packet), 2.3 (PDU), 2.3.4 (extended header), 3.1.1 (CRC).
package struct LinkLayerPDU {
  package enum Kind: UInt8, Sendable {
    case advInd = 0
    case advDirectInd = 1
    case advNonconnInd = 2
    case scanReq = 3
    case scanRsp = 4
    case connectInd = 5
    case advScanInd = 6
    case advExtInd = 7
    case auxConnectRsp = 8
  }

  /// The access address of every primary advertising channel packet and of auxiliary advertising packets.
  package static let advertisingAccessAddress: UInt32 = 0x8e89_bed6

  package let type: UInt8
  package let txAdd: Bool
  package let rxAdd: Bool
  /// The length octet.
  package let length: Int
  /// What is there of the payload.
  package let payload: Octets
  /// The three octets of the CRC as they travel; nil in a packet cut short.
  package let crc: Octets?
  /// What stands behind the CRC.
  package let trailing: Octets
  private let header: Octets

  /// `packet` starts with the access address, which an LE Coded packet's coding indicator follows.
  /// Nil when it is no advertising packet or shorter than a header.
  package init?(_ packet: Octets, isCoded: Bool = false) {
    let start = isCoded ? 5 : 4
    guard packet.count >= start + 2, packet.littleEndian(at: 0, as: UInt32.self) == Self.advertisingAccessAddress
    else { return nil }
    header = packet[start, upTo: start + 2]
    type = header[0] & 0x0f
    txAdd = header[0] & 0x40 != 0
    rxAdd = header[0] & 0x80 != 0
    length = Int(header[1])
    let rest = packet.dropping(start + 2)
    payload = rest.prefix(length)
    if rest.count >= length + 3 {
      crc = rest[length, upTo: length + 3]
      trailing = rest.dropping(length + 3)
    } else {
      crc = nil
      trailing = Octets()
    }
  }

  package var kind: Kind? { Kind(rawValue: type) }

  package static func name(_ type: UInt8) -> StaticString {
    switch Kind(rawValue: type) {
    case .advInd: "ADV_IND"
    case .advDirectInd: "ADV_DIRECT_IND"
    case .advNonconnInd: "ADV_NONCONN_IND"
    case .scanReq: "SCAN_REQ"
    case .scanRsp: "SCAN_RSP"
    case .connectInd: "CONNECT_IND"
    case .advScanInd: "ADV_SCAN_IND"
    case .advExtInd: "ADV_EXT_IND"
    case .auxConnectRsp: "AUX_CONNECT_RSP"
    case nil: "reserved"
    }
  }

  /// Whether the CRC holds; nil in a packet cut short.
  package var crcHolds: Bool? {
    guard let crc else { return nil }
    var register = Self.crcStart
    for index in 0..<header.count { register = Self.crcStep(register, header[index]) }
    for index in 0..<payload.count { register = Self.crcStep(register, payload[index]) }
    return (0..<3).allSatisfy { crc[$0] == UInt8(truncatingIfNeeded: register >> UInt32(8 * $0)) }
  }

  /// CRC state before an advertising packet, 0x555555, with its bits reversed as the register below holds them.
  private static let crcStart: UInt32 = 0xaa_aaaa

  /// The polynomial x^24 + x^10 + x^9 + x^6 + x^4 + x^3 + x + 1, least significant bit first.
  private static func crcStep(_ register: UInt32, _ octet: UInt8) -> UInt32 {
    var register = register ^ UInt32(octet)
    for _ in 0..<8 {
      register = register & 1 != 0 ? register >> 1 ^ 0xda_6000 : register >> 1
    }
    return register
  }
}

// MARK: As an advertising report

extension LinkLayerPDU {
  /// The report that this PDU makes; nil for one that advertises nothing (requests, responses to them).
  package func report(rssi: Int8, checksum: AdvertisingReport.Checksum) -> AdvertisingReport? {
    let addressType = txAdd ? AddressType.random : .public
    var report = AdvertisingReport(
      source: .linkLayer, checksum: checksum, addressType: addressType, eventType: UInt16(type), rssi: rssi,
      addressValue: 0, data: Octets())
    switch kind {
    case .advInd, .advNonconnInd, .scanRsp, .advScanInd:
      report.setAddress(payload.prefix(6))
      report.data = payload.count > 6 ? payload.dropping(6) : Octets()
    case .advDirectInd:
      report.setAddress(payload.prefix(6))
      if payload.count >= 12 {
        report.directAddress = AdvertisingReport.DirectAddress(
          type: rxAdd ? .random : .public, address: DeviceAddress(payload, at: 6))
      }
    case .advExtInd:
      report.setExtended(payload, targetType: rxAdd ? .random : .public)
    case .scanReq, .connectInd, .auxConnectRsp, nil:
      return nil
    }
    return report
  }
}

extension AdvertisingReport {
  fileprivate mutating func setAddress(_ octets: Octets) {
    addressLength = UInt8(octets.count)
    addressValue = 0
    for index in 0..<octets.count { addressValue |= UInt64(octets[index]) << UInt64(8 * index) }
  }

  /// Reads the common extended advertising payload. Source: Core Specification 5.4, Vol 6, Part B, 2.3.4.
  fileprivate mutating func setExtended(_ payload: Octets, targetType: AddressType) {
    addressLength = 0
    guard payload.count >= 1 else { return }
    // A header that runs past a damaged payload is read as far as it goes.
    let headerEnd = min(1 + Int(payload[0] & 0x3f), payload.count)
    data = payload.dropping(headerEnd)
    var reader = ByteReader(payload[1, upTo: headerEnd])
    guard let flags = reader.readOctet() else { return }
    if flags & 0x01 != 0 {
      guard let address = reader.read(6) else { return }
      setAddress(address)
    }
    if flags & 0x02 != 0 {
      guard let address = reader.read(6) else { return }
      directAddress = DirectAddress(type: targetType, address: DeviceAddress(address, at: 0))
    }
    if flags & 0x04 != 0, reader.readOctet() == nil { return }  // CTEInfo
    if flags & 0x08 != 0 {
      guard let info = reader.readLittleEndian(UInt16.self) else { return }
      extended.sid = UInt8(info >> 12)
    }
    if flags & 0x10 != 0, reader.read(3) == nil { return }  // AuxPtr
    if flags & 0x20 != 0, reader.read(18) == nil { return }  // SyncInfo
    if flags & 0x40 != 0, let power = reader.readOctet() { extended.txPower = Int8(bitPattern: power) }
  }
}
