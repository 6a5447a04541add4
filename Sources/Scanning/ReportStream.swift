import BluetoothLE

/// An advertising report out of a capture, or what is wrong where one should be; valid until the next is read.
package struct CapturedReport {
  package enum Content {
    case report(AdvertisingReport)
    /// An event that announces more reports than it holds: how many are missing, and why.
    case malformed(AdvertisingReports.Subevent, missing: Int, AdvertisingReports.Malformation)
  }

  package let record: UInt64
  package let time: UnixTime?
  package let adapter: UInt16
  package let content: Content
}

/// The advertising reports of packets in their order.
package struct ReportStream {
  private let capture: CaptureStream
  private var decoder: ReportDecoder

  /// With `joiningFragments` an extended advertisement of several reports is given once, joined.
  package init(_ capture: CaptureStream, joiningFragments: Bool) {
    self.capture = capture
    decoder = ReportDecoder(joiningFragments: joiningFragments)
  }

  package var capturePosition: UInt64 { capture.position }
  package var captureSize: Int64? { capture.size }
  /// Packets read so far.
  package var packets: UInt64 { decoder.packets }

  /// Reads on, waiting where nothing is there yet; false when all was given.
  package func refill() throws(CaptureStream.Failure) -> Bool {
    try capture.refill() || decoder.hasOpenChains
  }

  /// The next report that is in memory; nil when `refill` must read on.
  package mutating func next() throws(CaptureStream.Failure) -> CapturedReport? {
    while true {
      if let report = decoder.next() { return report }
      guard let packet = try capture.next() else {
        return capture.hasEnded ? decoder.finish() : nil
      }
      decoder.take(packet)
    }
  }
}

/// Turns packets into advertising reports: `take` one, then `next` until nil.
package struct ReportDecoder {
  private enum Pending {
    case none
    case single(AdvertisingReport)
    case hci(AdvertisingReports)
  }

  private let assembler: AdvertisementAssembler?
  private var pending = Pending.none
  private var record: UInt64 = 0
  private var time: UnixTime?
  private var adapter: UInt16 = 0
  package private(set) var packets: UInt64 = 0

  package init(joiningFragments: Bool) {
    assembler = joiningFragments ? AdvertisementAssembler() : nil
  }

  package mutating func take(_ packet: CapturedPacket) {
    record = packet.record
    time = packet.time
    adapter = packet.adapter
    packets += 1
    switch packet.content {
    case .hci(.event):
      pending = HCIEvent(packet.octets).flatMap(AdvertisingReports.init).map(Pending.hci) ?? .none
    case .linkLayer(let radio):
      pending = Self.report(packet.octets, radio).map(Pending.single) ?? .none
    case .advertisement:
      pending = .single(AdvertisingReport(payload: packet.octets))
    case .hci, .other:
      pending = .none
    }
  }

  package mutating func next() -> CapturedReport? {
    while true {
      switch pending {
      case .none:
        return nil
      case .single(let report):
        pending = .none
        return captured(.report(report))
      case .hci(var reports):
        if let report = reports.next() {
          pending = .hci(reports)
          guard let assembler else { return captured(.report(report)) }
          if let whole = assembler.take(report, adapter: adapter) { return captured(.report(whole)) }
        } else {
          pending = .none
          guard let malformation = reports.malformation else { return nil }
          return captured(.malformed(reports.subevent, missing: reports.announced - reports.count, malformation))
        }
      }
    }
  }

  package var hasOpenChains: Bool { assembler.map { !$0.isIdle } ?? false }

  /// At the end of a capture: the next advertisement that stayed incomplete.
  package mutating func finish() -> CapturedReport? {
    assembler?.finish().map { captured(.report($0)) }
  }

  private func captured(_ content: CapturedReport.Content) -> CapturedReport {
    CapturedReport(record: record, time: time, adapter: adapter, content: content)
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
