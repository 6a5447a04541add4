import BluetoothLE
import EventLog
import Linux

extension OutputBuffer {
  /// A line of tab-separated columns: record, Unix time, kind, event or PDU type, address type, address, RSSI, CRC,
  /// advertising data; `-` where there is none. Directed reports, which carry no data, are not listed.
  mutating func put(tsv report: AdvertisingReport, _ packet: CapturedPacket) {
    guard report.source != .directed else { return }
    putLead(packet)
    put(report.source.kind)
    put(tsv: report)
  }

  /// A line for each report that is missing.
  mutating func put(tsv event: MalformedEvent, _ packet: CapturedPacket) {
    guard event.subevent != .directed else { return }
    for _ in 0..<event.missing {
      putLead(packet)
      put("cut\t-\t-\t-\t-\t-\t-")
      endLine()
    }
  }

  private mutating func putLead(_ packet: CapturedPacket) {
    put(decimal: packet.record)
    put(UInt8(ascii: "\t"))
    if let time = packet.time {
      put(unixSeconds: time)
    } else {
      put(UInt8(ascii: "-"))
    }
    put(UInt8(ascii: "\t"))
  }

  private mutating func put(tsv report: AdvertisingReport) {
    put("\t0x")
    put(hex: UInt64(report.eventType), digits: report.source == .extended ? 4 : 2)
    put(UInt8(ascii: "\t"))
    put(decimal: report.addressType.rawValue)
    put(UInt8(ascii: "\t"))
    putAddress(report)
    put(UInt8(ascii: "\t"))
    if report.source == .linkLayer, report.receivedPower == nil {
      put(UInt8(ascii: "-"))
    } else {
      put(decimal: report.rssi)
    }
    put(UInt8(ascii: "\t"))
    put(report.checksum.word ?? "-")
    put(UInt8(ascii: "\t"))
    report.data.withUnsafeBytes { put(hex: $0) }
    endLine()
  }

  /// As much of the address as was heard.
  private mutating func putAddress(_ report: AdvertisingReport) {
    guard report.addressLength > 0 else {
      put(UInt8(ascii: "-"))
      return
    }
    for index in stride(from: UInt64(report.addressLength), to: 0, by: -1) {
      put(hex: report.addressValue >> (8 * (index - 1)) & 0xff, digits: 2)
      if index > 1 { put(UInt8(ascii: ":")) }
    }
  }
}

extension AdvertisingReport.Checksum {
  /// Nil where the controller checked it for us.
  var word: StaticString? {
    switch self {
    case .unchecked: nil
    case .ok: "ok"
    case .bad: "bad"
    case .cut: "cut"
    }
  }
}
