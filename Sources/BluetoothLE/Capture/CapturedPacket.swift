/// One packet of a capture, borrowed from the reader's buffer until the next one is read.
package struct CapturedPacket {
  package enum Content: Hashable, Sendable {
    /// An HCI packet, without the H4 octet in front.
    case hci(HCIPacketType)
    /// A link-layer packet from its access address on.
    case linkLayer(RadioHeader)
    /// The payload of an advertisement, without a packet around it.
    case advertisement
    /// What the Linux monitor says of an adapter, or a note.
    case notice(MonitorOpcode)
    /// Anything else that a capture holds: log text, packets of other interfaces.
    case other
  }

  /// Number of the packet in its capture, from 1, as tshark counts.
  package let record: UInt64
  // An optional would be copied by a call for each packet in Swift 6.0.3.
  private let nanoseconds: Int64
  private let hasTime: Bool
  /// Which adapter heard it, in captures that say so; else 0.
  package let adapter: UInt16
  package let content: Content
  package let octets: Octets
  /// The capture holds only the first octets of the packet.
  package let isCut: Bool

  package init(
    record: UInt64, time: UnixTime?, adapter: UInt16, content: Content, octets: Octets, isCut: Bool
  ) {
    self.record = record
    nanoseconds = time?.nanoseconds ?? 0
    hasTime = time != nil
    self.adapter = adapter
    self.content = content
    self.octets = octets
    self.isCut = isCut
  }

  /// Nil where the container has no times.
  package var time: UnixTime? { hasTime ? UnixTime(nanoseconds: nanoseconds) : nil }
}

/// What a sniffer says of a link-layer packet.
package struct RadioHeader: Hashable, Sendable {
  /// dBm; 127 where the sniffer does not say.
  package var rssi = AdvertisingReport.rssiNotAvailable
  /// Nil where the sniffer has not checked the CRC.
  package var crcHolds: Bool?
  /// An LE Coded packet: a coding indicator follows the access address.
  package var isCoded = false

  package init() {}
}
