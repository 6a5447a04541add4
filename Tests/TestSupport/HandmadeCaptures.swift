/// Captures written by hand, field by field, from the containers' specifications.
package enum HandmadeCaptures {
  package enum Order: Sendable, CaseIterable {
    case big, little

    package func octets(_ value: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: self == .big ? value.bigEndian : value.littleEndian) { Array($0) }
    }
  }

  /// Microseconds from the year 0 to 2024-06-01T08:00:00Z, as btsnoop counts: RFC 1761's epoch to 1970 is
  /// 0x00DCDDB30F2F8000.
  package static let btsnoopTime: Int64 = 0x00dc_ddb3_0f2f_8000 + 1_717_228_800_000_000

  // MARK: btsnoop

  package struct BTSnoopRecord: Sendable {
    package var octets: [UInt8]
    package var flags: UInt32
    package var time: Int64
    package var originalLength: UInt32

    package init(_ octets: [UInt8], flags: UInt32 = 3, time: Int64 = btsnoopTime, originalLength: UInt32? = nil) {
      self.octets = octets
      self.flags = flags
      self.time = time
      self.originalLength = originalLength ?? UInt32(octets.count)
    }
  }

  package static func btsnoop(_ datalink: UInt32, version: UInt32 = 1, _ records: [BTSnoopRecord]) -> [UInt8] {
    let order = Order.big
    var capture = Array("btsnoop\0".utf8)
    capture += order.octets(version)
    capture += order.octets(datalink)
    for record in records {
      capture += order.octets(record.originalLength)
      capture += order.octets(UInt32(record.octets.count))
      capture += order.octets(record.flags)
      capture += order.octets(UInt32(0))
      capture += order.octets(record.time)
      capture += record.octets
    }
    return capture
  }

  // MARK: pcap

  package struct PcapRecord: Sendable {
    package var octets: [UInt8]
    package var seconds: UInt32
    package var fraction: UInt32
    package var originalLength: UInt32

    package init(
      _ octets: [UInt8], seconds: UInt32 = 1_717_228_800, fraction: UInt32 = 0, originalLength: UInt32? = nil
    ) {
      self.octets = octets
      self.seconds = seconds
      self.fraction = fraction
      self.originalLength = originalLength ?? UInt32(octets.count)
    }
  }

  package static func pcap(
    _ order: Order, nanoseconds: Bool = false, linkType: UInt32, _ records: [PcapRecord]
  ) -> [UInt8] {
    var capture = order.octets(UInt32(nanoseconds ? 0xa1b2_3c4d : 0xa1b2_c3d4))
    capture += order.octets(UInt16(2))
    capture += order.octets(UInt16(4))
    capture += [0, 0, 0, 0, 0, 0, 0, 0]
    capture += order.octets(UInt32(65535))
    capture += order.octets(linkType)
    for record in records {
      capture += order.octets(record.seconds)
      capture += order.octets(record.fraction)
      capture += order.octets(UInt32(record.octets.count))
      capture += order.octets(record.originalLength)
      capture += record.octets
    }
    return capture
  }

  // MARK: pcapng

  package static func block(_ order: Order, _ type: UInt32, _ body: [UInt8]) -> [UInt8] {
    let padded = body + padding(body.count)
    let length = order.octets(UInt32(padded.count + 12))
    return order.octets(type) + length + padded + length
  }

  package static func section(_ order: Order) -> [UInt8] {
    var body = order.octets(UInt32(0x1a2b_3c4d))
    body += order.octets(UInt16(1))
    body += order.octets(UInt16(0))
    body += order.octets(Int64(-1))
    return block(order, 0x0a0d_0d0a, body)
  }

  package static func interface(
    _ order: Order, linkType: UInt16, snapLength: UInt32 = 0, options: [(UInt16, [UInt8])] = []
  ) -> [UInt8] {
    var body = order.octets(linkType)
    body += [0, 0]
    body += order.octets(snapLength)
    for (code, value) in options {
      body += order.octets(code)
      body += order.octets(UInt16(value.count))
      body += value
      body += padding(value.count)
    }
    if !options.isEmpty { body += [0, 0, 0, 0] }
    return block(order, 1, body)
  }

  package static func enhancedPacket(
    _ order: Order, interface: UInt32 = 0, time: UInt64 = 1_717_228_800_000_000, _ octets: [UInt8],
    originalLength: UInt32? = nil
  ) -> [UInt8] {
    var body = order.octets(interface)
    body += order.octets(UInt32(time >> 32))
    body += order.octets(UInt32(time & 0xffff_ffff))
    body += order.octets(UInt32(octets.count))
    body += order.octets(originalLength ?? UInt32(octets.count))
    return block(order, 6, body + octets)
  }

  package static func simplePacket(_ order: Order, _ octets: [UInt8], originalLength: UInt32? = nil) -> [UInt8] {
    block(order, 3, order.octets(originalLength ?? UInt32(octets.count)) + octets)
  }

  private static func padding(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: (4 - count % 4) % 4) }

  // MARK: PacketLogger

  package static func packetLogger(
    _ order: Order, _ records: [(type: UInt8, seconds: UInt32, microseconds: UInt32, octets: [UInt8])]
  ) -> [UInt8] {
    var capture: [UInt8] = []
    for record in records {
      capture += order.octets(UInt32(9 + record.octets.count))
      capture += order.octets(record.seconds)
      capture += order.octets(record.microseconds)
      capture.append(record.type)
      capture += record.octets
    }
    return capture
  }

  // MARK: hcidump --raw

  /// Twenty octets a line, as hcidump writes them.
  package static func hcidump(_ packets: [(isReceived: Bool, octets: [UInt8])], lineEnd: String = "\n") -> [UInt8] {
    var text = "HCI sniffer - Bluetooth packet analyzer ver 5.50" + lineEnd
    text += "device: hci0 snap_len: 1500 filter: 0xffffffffffffffff" + lineEnd
    for packet in packets {
      for start in stride(from: 0, to: packet.octets.count, by: 20) {
        text += start == 0 ? (packet.isReceived ? "> " : "< ") : "  "
        for octet in packet.octets[start..<min(start + 20, packet.octets.count)] {
          text += octet < 16 ? "0" : ""
          text += String(octet, radix: 16, uppercase: true)
          text += " "
        }
        text += lineEnd
      }
    }
    return Array(text.utf8)
  }

  // MARK: Radio headers

  /// LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR: channel, signal, noise, offenses, reference access address, flags.
  package static func radio(signal: Int8, flags: UInt16, _ packet: [UInt8]) -> [UInt8] {
    let start: [UInt8] = [37, UInt8(bitPattern: signal), 0x80, 0, 0xd6, 0xbe, 0x89, 0x8e]
    return start + Order.little.octets(flags) + packet
  }

  /// The nRF Sniffer's header, protocol version 2 or 3: board; header and payload length, version, counter, id; then
  /// length, flags, channel, attenuation, event counter and time.
  package static func nordic(version: UInt8 = 3, flags: UInt8, attenuation: UInt8, _ packet: [UInt8]) -> [UInt8] {
    var header: [UInt8] = [4]
    header += Order.little.octets(UInt16(packet.count + 10))
    header += [version, 1, 0, 6, 10, flags, 37, attenuation, 0, 0, 0, 0, 0, 0]
    return header + packet
  }

  /// ADV_NONCONN_IND of c0:00:00:00:00:01 with a random address, and its CRC.
  package static func linkLayerPacket(_ data: [UInt8], type: UInt8 = 2) -> [UInt8] {
    let header: [UInt8] = [0x40 | type, UInt8(6 + data.count), 1, 0, 0, 0, 0, 0xc0]
    let accessAddress: [UInt8] = [0xd6, 0xbe, 0x89, 0x8e]
    return accessAddress + header + data + crc(header + data)
  }

  /// The CRC as the specification draws it: a shift register fed from position 0, its bits sent from position 23 on.
  /// Source: Core Specification 5.4, Vol 6, Part B, 3.1.1.
  package static func crc(_ pdu: [UInt8]) -> [UInt8] {
    // Position n is element n; preset with 0x555555, least significant bit in position 0.
    var register: [Int] = (0..<24).map { 0x55_5555 >> $0 & 1 }
    for octet in pdu {
      for bit in 0..<8 {
        let input = (Int(octet) >> bit & 1) ^ register[23]
        register.insert(input, at: 0)
        register.removeLast()
        for tap in [1, 3, 4, 6, 9, 10] { register[tap] ^= input }
      }
    }
    var octets: [UInt8] = [0, 0, 0]
    for (index, bit) in register.reversed().enumerated() where bit == 1 { octets[index / 8] |= 1 << UInt8(index % 8) }
    return octets
  }
}
