import BluetoothLE

/// Octets that a person typed, recognised as the packet that they are.
package enum HexPacket {
  /// An HCI event behind its H4 octet or without, a link-layer packet, else the payload of an advertisement.
  package static func packet(_ octets: Octets) -> CapturedPacket {
    let (content, start) = content(octets)
    return CapturedPacket(
      record: 1, time: nil, adapter: 0, content: content, octets: octets.dropping(start), isCut: false)
  }

  private static func content(_ octets: Octets) -> (CapturedPacket.Content, start: Int) {
    if octets.count >= 4, octets.littleEndian(at: 0, as: UInt32.self) == LinkLayerPDU.advertisingAccessAddress {
      return (.linkLayer(RadioHeader()), 0)
    }
    if octets.count >= 4, octets[0] == HCIPacketType.event.rawValue, octets[1] == HCIEvent.Code.leMeta.rawValue {
      return (.hci(.event), 1)
    }
    // Without its H4 octet an event reads as an AD structure too; its length must fit exactly.
    if octets.count >= 3, octets[0] == HCIEvent.Code.leMeta.rawValue, Int(octets[1]) == octets.count - 2 {
      return (.hci(.event), 0)
    }
    return (.advertisement, 0)
  }
}
