/// An event that announces more advertising reports than it holds.
package struct MalformedEvent {
  package let subevent: AdvertisingReports.Subevent
  /// How many reports are missing.
  package let missing: Int
  package let malformation: AdvertisingReports.Malformation
}

/// Turns packets into advertising reports.
package struct ReportDecoder {
  private var assembler: AdvertisementAssembler?

  /// With `joiningFragments` an extended advertisement of several reports is given once, joined.
  package init(joiningFragments: Bool) {
    assembler = joiningFragments ? AdvertisementAssembler() : nil
  }

  /// Calls `body` with each advertising report of a packet, valid for the length of the call; gives what is wrong if
  /// some are missing.
  package mutating func decode(_ packet: CapturedPacket, _ body: (AdvertisingReport) -> Void) -> MalformedEvent? {
    switch packet.content {
    case .hci(.event):
      guard let event = HCIEvent(packet.octets), var reports = AdvertisingReports(event) else { return nil }
      while let report = reports.next() {
        if assembler == nil || report.source != .extended || assembler?.passes(report) == true {
          body(report)
        } else if let whole = assembler?.take(report, adapter: packet.adapter) {
          body(whole)
        }
      }
      guard let malformation = reports.malformation else { return nil }
      return MalformedEvent(
        subevent: reports.subevent, missing: reports.announced - reports.count, malformation: malformation)
    case .linkLayer(let radio):
      if let report = Self.report(packet.octets, radio) { body(report) }
    case .advertisement:
      body(AdvertisingReport(payload: packet.octets))
    case .hci, .other:
      break
    }
    return nil
  }

  /// At the end of a capture: calls `body` with each advertisement that stayed incomplete and the adapter that heard it.
  package mutating func finish(_ body: (AdvertisingReport, _ adapter: UInt16) -> Void) {
    while let (report, adapter) = assembler?.finish() { body(report, adapter) }
  }

  private static func report(_ packet: Octets, _ radio: RadioHeader) -> AdvertisingReport? {
    guard let pdu = LinkLayerPDU(packet, isCoded: radio.isCoded) else { return nil }
    let checksum: AdvertisingReport.Checksum =
      if let holds = pdu.crc == nil ? nil : radio.crcHolds ?? pdu.crcHolds {
        holds ? .ok : .bad
      } else {
        .cut
      }
    return pdu.report(rssi: radio.rssi, checksum: checksum)
  }
}
