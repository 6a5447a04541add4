import BluetoothLE

/// What an advertising report said, with data of its own that outlasts the packet.
package struct DecodedReport: Sendable {
  package let source: AdvertisingReport.Source
  package let checksum: AdvertisingReport.Checksum
  package let addressType: AddressType
  package let address: DeviceAddress?
  package let addressLength: UInt8
  package let eventType: UInt16
  package let rssi: Int8
  package let pduName: String
  package let dataStatus: ExtendedEventType.DataStatus
  package let fragments: UInt16
  package let sid: UInt8
  package let txPower: Int8
  package let directAddress: DeviceAddress?
  package let data: [UInt8]

  package init(_ report: AdvertisingReport) {
    source = report.source
    checksum = report.checksum
    addressType = report.addressType
    address = report.address
    addressLength = report.addressLength
    eventType = report.eventType
    rssi = report.rssi
    pduName = report.pduName.description
    dataStatus = report.extendedEventType.dataStatus
    fragments = report.extended.fragments
    sid = report.extended.sid
    txPower = report.extended.txPower
    directAddress = report.directAddress?.address
    data = report.data.array
  }
}

extension ReportDecoder {
  /// The reports of one packet.
  package mutating func reports(
    _ octets: [UInt8], as content: CapturedPacket.Content = .hci(.event), adapter: UInt16 = 0
  ) -> [DecodedReport] {
    reportsAndFault(octets, as: content, adapter: adapter).reports
  }

  /// The reports of one packet, and what is wrong with it.
  package mutating func reportsAndFault(
    _ octets: [UInt8], as content: CapturedPacket.Content = .hci(.event), adapter: UInt16 = 0
  ) -> (reports: [DecodedReport], fault: MalformedEvent?) {
    var reports: [DecodedReport] = []
    let memory = kept(octets)
    let packet = CapturedPacket(record: 1, time: nil, adapter: adapter, content: content, octets: memory, isCut: false)
    let fault = decode(packet) { reports.append(DecodedReport($0)) }
    return (reports, fault)
  }

  /// What stayed incomplete.
  package mutating func rest() -> [DecodedReport] {
    var reports: [DecodedReport] = []
    finish { report, _ in reports.append(DecodedReport(report)) }
    return reports
  }
}
