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
  /// Number and time of the packet decoded last.
  private var record: UInt64 = 0
  private var time: UnixTime?

  /// With `joiningFragments` an extended advertisement of several reports is given once, joined.
  package init(joiningFragments: Bool) {
    assembler = joiningFragments ? AdvertisementAssembler() : nil
  }

  /// Calls `body` with each advertising report of the packets in memory, and `malformed` with each event that lacks some;
  /// both with the packet it came in, and valid for the length of the call.
  ///
  /// One function for a whole chunk: packets and reports are walked without a call between the two.
  package mutating func decode(
    _ capture: inout CaptureParser, _ body: (AdvertisingReport, CapturedPacket) -> Void,
    malformed: (MalformedEvent, CapturedPacket) -> Void
  ) throws(CaptureFailure) {
    try capture.read { packet in
      if let event = decode(packet, { body($0, packet) }) { malformed(event, packet) }
    }
  }

  /// Calls `body` with each advertising report of a packet, valid for the length of the call; gives what is wrong if
  /// some are missing.
  @inline(__always)
  package mutating func decode(_ packet: CapturedPacket, _ body: (AdvertisingReport) -> Void) -> MalformedEvent? {
    record = packet.record
    time = packet.time
    switch packet.content {
    case .hci(.event):
      guard let event = HCIEvent(packet.octets), var reports = AdvertisingReports(event) else { return nil }
      switch reports.subevent {
      case .legacy:
        while let report = reports.nextLegacy() { body(report) }
      case .directed:
        while let report = reports.nextDirected() { body(report) }
      case .extended:
        while let report = reports.nextExtended() {
          if assembler?.passes(report) ?? true {
            body(report)
          } else if let whole = assembler?.take(report, adapter: packet.adapter) {
            body(whole)
          }
        }
      }
      guard let malformation = reports.malformation else { return nil }
      return MalformedEvent(subevent: reports.subevent, missing: reports.missing, malformation: malformation)
    case .linkLayer(let radio):
      if let report = Self.report(packet.octets, radio) { body(report) }
    case .advertisement:
      body(AdvertisingReport(payload: packet.octets))
    case .hci, .notice, .other:
      break
    }
    return nil
  }

  /// At the end of a capture: calls `body` with each advertisement that stayed incomplete, as of the last packet.
  package mutating func finish(_ body: (AdvertisingReport, CapturedPacket) -> Void) {
    while let (report, adapter) = assembler?.finish() {
      let last = CapturedPacket(
        record: record, time: time, adapter: adapter, content: .other, octets: Octets(), isCut: false)
      body(report, last)
    }
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
