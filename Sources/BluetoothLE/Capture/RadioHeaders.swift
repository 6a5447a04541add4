/// Link types of pcap and pcapng that carry Bluetooth, and what each puts in front of a packet.
/// Source: the registry of link-layer header types, LINKTYPE_BLUETOOTH_*.
enum LinkType: UInt32 {
  case h4 = 187
  case h4WithDirection = 201
  case linkLayer = 251
  case linuxMonitor = 254
  case linkLayerWithRadio = 256
  case nordic = 272

  /// What a packet holds, which adapter heard it, and where the HCI or link-layer packet starts.
  func content(_ data: Octets) -> (content: CapturedPacket.Content, adapter: UInt16, start: Int) {
    switch self {
    case .h4:
      let (content, start) = RadioHeaders.h4(data, at: 0)
      return (content, 0, start)
    case .h4WithDirection:
      guard data.count >= 4 else { return (.other, 0, 0) }
      let (content, start) = RadioHeaders.h4(data, at: 4)
      return (content, 0, start)
    case .linuxMonitor:
      guard data.count >= 4 else { return (.other, 0, 0) }
      return (MonitorOpcode.content(data.bigEndian(at: 2, as: UInt16.self)), data.bigEndian(at: 0, as: UInt16.self), 4)
    case .linkLayer:
      return (.linkLayer(RadioHeader()), 0, 0)
    case .linkLayerWithRadio:
      guard let header = RadioHeaders.radio(data) else { return (.other, 0, 0) }
      return (.linkLayer(header), 0, RadioHeaders.radioSize)
    case .nordic:
      guard let (header, start) = RadioHeaders.nordic(data) else { return (.other, 0, 0) }
      return (.linkLayer(header), 0, start)
    }
  }
}

enum RadioHeaders {
  static let radioSize = 10

  /// The H4 octet at `offset`, and the HCI packet behind it.
  @inline(__always)
  static func h4(_ data: Octets, at offset: Int) -> (CapturedPacket.Content, start: Int) {
    guard data.count > offset else { return (.other, 0) }
    return (.hci(HCIPacketType(rawValue: data[offset])), offset + 1)
  }

  /// The pseudo-header of LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR: channel, signal, noise, offenses, access address, flags.
  static func radio(_ data: Octets) -> RadioHeader? {
    guard data.count >= radioSize else { return nil }
    let flags = data.littleEndian(at: 8, as: UInt16.self)
    var header = RadioHeader()
    if flags & 1 << 1 != 0 { header.rssi = Int8(bitPattern: data[1]) }
    if flags & 1 << 10 != 0 { header.crcHolds = flags & 1 << 11 != 0 }
    header.isCoded = flags >> 14 == 2
    return header
  }

  /// The header of the nRF Sniffer: board, then lengths, protocol version, counter and packet id, then flags, channel,
  /// signal, event counter and time. Source: nRF Sniffer for Bluetooth LE, "Sniffer protocol".
  static func nordic(_ data: Octets) -> (RadioHeader, start: Int)? {
    let boardAndLengths = 7
    guard data.count >= boardAndLengths + 10 else { return nil }
    let version = data[3]
    let flags = data[boardAndLengths + 1]
    var header = RadioHeader()
    header.crcHolds = flags & 1 != 0
    // The signal is given as attenuation: 0 to 255 stands for 0 to -255 dBm, of which -128 is as low as an RSSI goes.
    header.rssi = Int8(max(-128, -Int(data[boardAndLengths + 3])))
    header.isCoded = version >= 2 && flags >> 4 & 0b111 == 2
    return (header, boardAndLengths + 10)
  }
}
