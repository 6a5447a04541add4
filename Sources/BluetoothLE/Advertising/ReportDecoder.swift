/// An event that announces more advertising reports than it holds.
package struct MalformedEvent {
  package let subevent: AdvertisingReports.Subevent
  /// How many reports are missing.
  package let missing: Int
  package let malformation: AdvertisingReports.Malformation
}

/// Turns packets into advertising reports.
package struct ReportDecoder {
  /// What a packet holds; valid for the length of the call that it is given to.
  package enum Item {
    case report(AdvertisingReport)
    case malformed(MalformedEvent)
  }

  private let assembler: AdvertisementAssembler?

  /// With `joiningFragments` an extended advertisement of several reports is given once, joined.
  package init(joiningFragments: Bool) {
    assembler = joiningFragments ? AdvertisementAssembler() : nil
  }

  /// Calls `body` with each advertising report of a packet, and with what is wrong if some are missing.
  package func decode(_ packet: CapturedPacket, _ body: (Item) -> Void) {
    switch packet.content {
    case .hci(.event):
      guard let event = HCIEvent(packet.octets), var reports = AdvertisingReports(event) else { return }
      while let next = reports.next() {
        guard let assembler, next.source == .extended else {
          body(.report(next))
          continue
        }
        if assembler.passes(next) {
          body(.report(next))
        } else if let whole = assembler.take(next, adapter: packet.adapter) {
          body(.report(whole))
        }
      }
      if let malformation = reports.malformation {
        let missing = reports.announced - reports.count
        body(.malformed(MalformedEvent(subevent: reports.subevent, missing: missing, malformation: malformation)))
      }
    case .linkLayer(let radio):
      if let next = Self.report(packet.octets, radio) { body(.report(next)) }
    case .advertisement:
      body(.report(AdvertisingReport(payload: packet.octets)))
    case .hci, .other:
      break
    }
  }

  /// At the end of a capture: calls `body` with each advertisement that stayed incomplete.
  package func finish(_ body: (Item) -> Void) {
    while let next = assembler?.finish() { body(.report(next)) }
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
