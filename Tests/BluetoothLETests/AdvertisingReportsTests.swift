import BluetoothLE
import TestSupport
import Testing

struct AdvertisingReportsTests {
  private typealias Make = HandmadeEvents

  private func reports(_ event: [UInt8]) -> (reports: [DecodedReport], malformation: AdvertisingReports.Malformation?) {
    var decoder = ReportDecoder(joiningFragments: false)
    let (reports, fault) = decoder.reportsAndFault(event)
    return (reports, fault?.malformation)
  }

  @Test func severalReportsOfOneEventAllCount() {
    let (reports, malformation) = reports(
      Make.legacy(
        .init([2, 1, 6], type: 0, address: [1, 2, 3, 4, 5, 6], rssi: -40), .init([], type: 4, rssi: 127),
        .init([0x02, 0xff, 0x03], type: 3, addressType: 0, rssi: -128)))
    #expect(malformation == nil)
    #expect(reports.map { $0.data } == [[2, 1, 6], [], [0x02, 0xff, 0x03]])
    #expect(reports.map { $0.rssi } == [-40, 127, -128])
    #expect(reports.map { $0.pduName } == ["ADV_IND", "SCAN_RSP", "ADV_NONCONN_IND"])
    #expect(reports[0].address?.description == "01:02:03:04:05:06")
    #expect(reports.map { $0.addressType } == [.random, .random, .public])
  }

  @Test func anExtendedReportHasItsFields() throws {
    let (reports, malformation) = reports(
      Make.extended(.init([2, 1, 6], type: 0x0013, sid: 5, rssi: -99), .init([], type: 0, sid: 0xff)))
    #expect(malformation == nil)
    #expect(reports.map { $0.sid } == [5, 0xff])
    #expect(reports.map { $0.rssi } == [-99, -60])
    #expect(reports.map { $0.txPower } == [127, 127])
    #expect(reports.map { $0.pduName } == ["ADV_IND", "AUX_ADV_IND"])
  }

  /// Constructed from the table of 7.7.65.11.
  @Test func aDirectedReportNamesWhomItIsFor() throws {
    let (reports, malformation) = reports([
      0x3e, 18, 0x0b, 1, 0x01, 0x00, 6, 5, 4, 3, 2, 1, 0x01, 0xf, 0xe, 0xd, 0xc, 0xb, 0xa, 0xc4,
    ])
    #expect(malformation == nil)
    let report = try #require(reports.first)
    #expect(report.address?.description == "01:02:03:04:05:06")
    #expect(report.directAddress?.description == "0a:0b:0c:0d:0e:0f")
    #expect(report.rssi == -60)
    #expect(report.pduName == "ADV_DIRECT_IND")
  }

  @Test(arguments: [
    (UInt16(0x0013), "ADV_IND"), (0x0015, "ADV_DIRECT_IND"), (0x0012, "ADV_SCAN_IND"), (0x0010, "ADV_NONCONN_IND"),
    (0x001b, "SCAN_RSP"), (0x001a, "SCAN_RSP"), (0x0000, "AUX_ADV_IND"), (0x0008, "AUX_SCAN_RSP"),
    (0xff93, "ADV_IND"),
  ])
  func anExtendedEventTypeNamesWhatWasAdvertised(_ type: UInt16, name: String) throws {
    let (reports, _) = reports(Make.extended(.init([], type: type)))
    #expect(try #require(reports.first).pduName == name)
    #expect(try #require(reports.first).eventType == type)
  }

  @Test func anEventOfAnotherKindHasNoReports() throws {
    for hex in ["3e 00", "3e 01 02", "3e 02 01 01", "0e 04 01 03 0c 00", "3e 13 01 00 40 00"] {
      let event = try #require(HCIEvent(try kept(hex: hex)))
      #expect(AdvertisingReports(event) == nil)
    }
    #expect(HCIEvent(try kept(hex: "3e")) == nil)
    #expect(HCIEvent(Octets()) == nil)
  }

  @Test func anEventOfNoReportsIsNoFault() {
    #expect(reports([0x3e, 2, 0x02, 0]).malformation == nil)
    #expect(reports([0x3e, 2, 0x0d, 0]).reports.isEmpty)
  }

  @Test func octetsBehindTheLastReportAreOfNoInterest() {
    var event = Make.legacy(.init([2, 1, 6]))
    event[1] += 2
    #expect(reports(event + [1, 2]).malformation == nil)
    #expect(reports(event + [1, 2]).reports.count == 1)
  }

  @Test func aCutEventKeepsTheReportsBeforeTheCut() {
    let event = Make.legacy(.init([2, 1, 6]), .init([2, 1, 4, 2, 0x0a, 0]))
    let first = 4 + 10 + 3
    for length in 4..<event.count {
      // As a snap length cuts it: the length octet stays.
      let (reports, malformation) = reports(Array(event[..<length]))
      #expect(reports.count == (length < first ? 0 : 1), "cut at octet \(length)")
      #expect(malformation != nil, "cut at octet \(length)")
    }
    #expect(reports(Array(event.dropLast())).malformation == .dataRunsPastEvent(report: 2, of: 2, length: 6))
    #expect(reports(Array(event[..<(first + 5)])).malformation == .reportCut(2, of: 2))
  }

  @Test func everyCutOfAnExtendedAndADirectedEventIsNoticed() {
    let extended = Make.extended(.init([2, 1, 6]), .init([2, 1, 4]))
    let directed: [UInt8] = [0x3e, 34, 0x0b, 2] + [UInt8](repeating: 1, count: 32)
    #expect(reports(directed).reports.count == 2)
    for event in [extended, directed] {
      for length in 4..<event.count {
        let (reports, malformation) = reports(Array(event[..<length]))
        #expect(reports.count < 2)
        #expect(malformation != nil)
      }
    }
  }

  @Test func aLengthOctetThatPromisesMoreIsAFaultEvenWhenTheReportsAreWhole() {
    var event = Make.legacy(.init([2, 1, 6]))
    let present = Int(event[1])
    event[1] = 60
    let (reports, malformation) = reports(event)
    #expect(reports.count == 1)
    #expect(malformation == .parametersCut(stated: 60, present: present))
  }
}

struct LinkLayerPDUTests {
  private typealias Make = HandmadeCaptures

  private func heard(
    _ packet: [UInt8], isCoded: Bool = false, sayingChecksum holds: Bool? = nil
  ) -> DecodedReport? {
    var radio = RadioHeader()
    radio.rssi = -50
    radio.isCoded = isCoded
    radio.crcHolds = holds
    var decoder = ReportDecoder(joiningFragments: true)
    return decoder.reports(packet, as: .linkLayer(radio)).first
  }

  @Test func theChecksumIsTheSpecificationsShiftRegister() throws {
    // A packet printed on Stack Overflow 18906988 and found in many copies.
    let packet = try kept(
      hex: "d6be898e402405a2176e3d7102011a1aff4c000215e2c56db5dffb48d2b060d0f5a71096e000000000c552ab8d38a5"
    ).array
    #expect(Make.crc(Array(packet[4..<42])) == [0x52, 0xab, 0x8d])
    let pdu = try #require(LinkLayerPDU(kept(packet)))
    #expect(pdu.crcHolds == true)
    #expect(pdu.trailing.array == [0x38, 0xa5])
    for bit in 32..<(42 * 8) {
      var damaged = packet
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      // A length octet that says more leaves no room for a checksum.
      #expect(LinkLayerPDU(kept(damaged))?.crcHolds != true, "bit \(bit)")
    }
  }

  @Test(arguments: [[], [2, 1, 6], [UInt8](repeating: 0x55, count: 31)] as [[UInt8]])
  func anAdvertisementIsReported(_ data: [UInt8]) throws {
    for (type, name) in [(0, "ADV_IND"), (2, "ADV_NONCONN_IND"), (4, "SCAN_RSP"), (6, "ADV_SCAN_IND")] {
      let report = try #require(heard(Make.linkLayerPacket(data, type: UInt8(type))))
      #expect(report.pduName == name)
      #expect(report.data == data)
      #expect(report.address?.description == "c0:00:00:00:00:01")
      #expect(report.addressType == .random)
      #expect(report.checksum == .ok)
      #expect(report.rssi == -50)
    }
  }

  @Test func aWrongChecksumAndACutPacketSaySo() throws {
    var packet = Make.linkLayerPacket([2, 1, 6])
    #expect(try #require(heard(packet, sayingChecksum: false)).checksum == .bad)
    packet[packet.count - 1] ^= 1
    #expect(try #require(heard(packet)).checksum == .bad)
    // A sniffer that has checked it is believed.
    #expect(try #require(heard(packet, sayingChecksum: true)).checksum == .ok)
    let cut = try #require(heard(Array(packet.dropLast(4)), sayingChecksum: true))
    #expect(cut.checksum == .cut)
    #expect(cut.data == [2, 1])
  }

  @Test func aPacketCutInsideItsAddressHasNone() throws {
    let packet = Make.linkLayerPacket([])
    let report = try #require(heard(Array(packet[..<10])))
    #expect(report.addressLength == 4)
    #expect(report.address == nil)
    #expect(report.data.isEmpty)
  }

  @Test func requestsAndOtherAccessAddressesAreNoReports() {
    for type: UInt8 in [3, 5, 8, 9, 15] { #expect(heard(Make.linkLayerPacket([2, 1, 6], type: type)) == nil) }
    var packet = Make.linkLayerPacket([2, 1, 6])
    packet[0] ^= 1
    #expect(heard(packet) == nil)
    for length in 0..<6 { #expect(heard(Array(Make.linkLayerPacket([])[..<length])) == nil) }
  }

  @Test func aCodedPacketHasItsCodingIndicatorBehindTheAccessAddress() throws {
    var packet = Make.linkLayerPacket([2, 1, 6])
    packet.insert(0x01, at: 4)
    let report = try #require(heard(packet, isCoded: true))
    #expect(report.data == [2, 1, 6])
    #expect(report.checksum == .ok)
  }

  @Test func aDirectedAdvertisementNamesWhomItIsFor() throws {
    let report = try #require(heard(Make.linkLayerPacket([9, 8, 7, 6, 5, 4], type: 1)))
    #expect(report.pduName == "ADV_DIRECT_IND")
    #expect(report.directAddress?.description == "04:05:06:07:08:09")
    #expect(report.data.isEmpty)
    #expect(try #require(heard(Make.linkLayerPacket([9, 8], type: 1))).directAddress == nil)
  }

  private func withChecksum(_ pdu: [UInt8]) -> [UInt8] {
    let accessAddress: [UInt8] = [0xd6, 0xbe, 0x89, 0x8e]
    return accessAddress + pdu + Make.crc(pdu)
  }

  /// The extended header's fields in their order: AdvA, TargetA, CTEInfo, ADI, AuxPtr, SyncInfo, TxPower.
  @Test func theExtendedHeaderIsWalked() throws {
    func packet(flags: UInt8, _ fields: [UInt8], data: [UInt8]) -> [UInt8] {
      let header = [0x47, UInt8(2 + fields.count + data.count), UInt8(1 + fields.count), flags]
      return withChecksum(header + fields + data)
    }
    var fields: [UInt8] = [1, 0, 0, 0, 0, 0xc0, 9, 8, 7, 6, 5, 4, 0, 0x23, 0x51, 1, 2, 3]
    fields += [UInt8](repeating: 7, count: 18)
    fields.append(0xf6)
    let full = try #require(heard(packet(flags: 0x7f, fields, data: [2, 1, 6])))
    #expect(full.pduName == "ADV_EXT_IND")
    #expect(full.address?.description == "c0:00:00:00:00:01")
    #expect(full.directAddress?.description == "04:05:06:07:08:09")
    #expect(full.sid == 5)
    #expect(full.txPower == -10)
    #expect(full.data == [2, 1, 6])
    #expect(full.checksum == .ok)
    let anonymous = try #require(heard(packet(flags: 0x08, [0x23, 0x51], data: [1, 2])))
    #expect(anonymous.address == nil)
    #expect(anonymous.addressLength == 0)
    #expect(anonymous.data == [1, 2])
    // A header shorter than its flags promise is read as far as it goes.
    let short = try #require(heard(packet(flags: 0x7f, [1, 0, 0, 0, 0, 0xc0, 9], data: [5])))
    #expect(short.address?.description == "c0:00:00:00:00:01")
    #expect(short.directAddress == nil)
    #expect(short.data == [5])
    // Nor does one of no octets, or one that says more than there is, read beyond the payload.
    for payload: [UInt8] in [[], [0], [0x3f], [0x3f, 0x7f, 1, 2]] {
      let report = try #require(heard(withChecksum([0x47, UInt8(payload.count)] + payload)))
      #expect(report.data.isEmpty)
      #expect(report.address == nil)
    }
  }
}
