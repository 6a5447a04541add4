/// Encodes a btsnoop capture of HCI packets, as octets to be written in their order.
///
/// Source: RFC 1761 for the file, BlueZ `src/shared/btsnoop.h` for the datalinks and the flags of 2001.
package struct BTSnoopWriter: Sendable {
  package enum Datalink: Sendable {
    /// 1002: every packet behind its H4 octet.
    case h4
    /// 2001: adapter index and opcode in the flags, as btmon writes.
    case monitor

    var number: UInt32 { self == .h4 ? BTSnoopDatalink.h4.rawValue : BTSnoopDatalink.monitor.rawValue }
  }

  package let datalink: Datalink

  package init(_ datalink: Datalink) {
    self.datalink = datalink
  }

  /// Appends what a capture starts with.
  package func appendHeader(to octets: inout [UInt8]) {
    for index in 0..<BTSnoop.magic.utf8CodeUnitCount { octets.append(BTSnoop.magic.utf8Start[index]) }
    Self.append(BTSnoop.version, to: &octets)
    Self.append(datalink.number, to: &octets)
  }

  /// Appends an event that adapter number `adapter` sent at `time`; `event` is without the H4 octet.
  package func appendEvent(_ event: Octets, adapter: UInt16, at time: UnixTime, to octets: inout [UInt8]) {
    // Flags of 1002: bit 0 from controller to host, bit 1 a command or an event.
    append(event, .event, h4Flags: 0b11, opcode: .event, adapter, time, &octets)
  }

  /// Appends a command that the host sent to adapter number `adapter`.
  package func appendCommand(_ command: Octets, adapter: UInt16, at time: UnixTime, to octets: inout [UInt8]) {
    append(command, .command, h4Flags: 0b10, opcode: .command, adapter, time, &octets)
  }

  /// Appends a notice of the Linux monitor, such as an adapter that came or went. Form 1002 cannot hold it: false.
  @discardableResult
  package func appendNotice(
    _ opcode: MonitorOpcode, _ payload: Octets, adapter: UInt16, at time: UnixTime, to octets: inout [UInt8]
  ) -> Bool {
    guard datalink == .monitor else { return false }
    appendRecordHeader(payload.count, flags: UInt32(adapter) << 16 | UInt32(opcode.rawValue), time, &octets)
    payload.withUnsafeBytes { octets.append(contentsOf: $0) }
    return true
  }

  /// Appends that adapter number `adapter` is there, which the kernel calls `name`; bus 0 is a virtual one, 1 USB.
  /// Source: Linux, `include/net/bluetooth/hci_mon.h`, hci_mon_new_index.
  package func appendNewIndex(
    _ address: DeviceAddress, name: String, bus: UInt8 = 0, adapter: UInt16, at time: UnixTime, to octets: inout [UInt8]
  ) {
    // Type primary.
    var payload: [UInt8] = [0x00, bus]
    for shift in stride(from: UInt64(0), to: 48, by: 8) {
      payload.append(UInt8(truncatingIfNeeded: address.value >> shift))
    }
    let name = name.utf8.prefix(8)
    payload += name
    payload += [UInt8](repeating: 0, count: 8 - name.count)
    payload.withUnsafeBytes { _ = appendNotice(.newIndex, Octets($0), adapter: adapter, at: time, to: &octets) }
  }

  private func append(
    _ packet: Octets, _ type: HCIPacketType, h4Flags: UInt32, opcode: MonitorOpcode, _ adapter: UInt16,
    _ time: UnixTime, _ octets: inout [UInt8]
  ) {
    switch datalink {
    case .h4:
      appendRecordHeader(packet.count + 1, flags: h4Flags, time, &octets)
      octets.append(type.rawValue)
    case .monitor:
      appendRecordHeader(packet.count, flags: UInt32(adapter) << 16 | UInt32(opcode.rawValue), time, &octets)
    }
    packet.withUnsafeBytes { octets.append(contentsOf: $0) }
  }

  private func appendRecordHeader(_ length: Int, flags: UInt32, _ time: UnixTime, _ octets: inout [UInt8]) {
    Self.append(UInt32(length), to: &octets)
    Self.append(UInt32(length), to: &octets)
    Self.append(flags, to: &octets)
    Self.append(UInt32(0), to: &octets)  // packets dropped so far
    // Nanoseconds are cut: a btsnoop time counts microseconds. It fits, as one nanosecond in 1,000 does.
    Self.append(time.nanoseconds / 1000 + BTSnoop.epoch, to: &octets)
  }

  private static func append(_ value: some FixedWidthInteger, to octets: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { octets.append(contentsOf: $0) }
  }
}
