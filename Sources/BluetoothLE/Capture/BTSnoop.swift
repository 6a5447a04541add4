/// Datalinks of a btsnoop file. Source: RFC 1761's header as BlueZ's `src/shared/btsnoop.h` numbers it.
package enum BTSnoopDatalink: UInt32, Sendable {
  /// HCI packets, their kind in the record's flags.
  case h1 = 1001
  /// HCI packets behind an H4 octet.
  case h4 = 1002
  /// Adapter index and opcode in the record's flags, as btmon writes.
  case monitor = 2001
}

enum BTSnoop {
  static let magic: StaticString = "btsnoop\0"
  static let version: UInt32 = 1
  static let headerSize = 16
  static let recordHeaderSize = 24
  /// Microseconds from the year 0, where btsnoop's time starts, to 1970.
  static let epoch: Int64 = 0x00dc_ddb3_0f2f_8000
}

/// Opcodes of the Linux monitor. Source: Linux, `include/net/bluetooth/hci_mon.h`.
package enum MonitorOpcode: UInt16, Sendable {
  case newIndex = 0
  case deleteIndex = 1
  case command = 2
  case event = 3
  case aclSent = 4
  case aclReceived = 5
  case scoSent = 6
  case scoReceived = 7
  case openIndex = 8
  case closeIndex = 9
  case indexInfo = 10
  /// Text that a program leaves in a capture.
  case systemNote = 12
  case isoSent = 18
  case isoReceived = 19

  /// What a record of this opcode holds.
  static func content(_ opcode: UInt16) -> CapturedPacket.Content {
    switch MonitorOpcode(rawValue: opcode) {
    case .command: .hci(.command)
    case .event: .hci(.event)
    case .aclSent, .aclReceived: .hci(.acl)
    case .scoSent, .scoReceived: .hci(.sco)
    case .isoSent, .isoReceived: .hci(.iso)
    case let notice?: .notice(notice)
    case nil: .other
    }
  }
}

struct BTSnoopFormat: CaptureFormat {
  private let datalink: BTSnoopDatalink
  private(set) var record: UInt64 = 0

  static func matches(_ start: Octets) -> Bool { start.starts(with: BTSnoop.magic) }

  init(_ cursor: inout CaptureCursor) throws(CaptureFailure) {
    let header = cursor.unread
    guard header.count >= BTSnoop.headerSize else {
      throw .cutShort(record: 0, offset: cursor.position + UInt64(header.count))
    }
    let version = header.bigEndian(at: 8, as: UInt32.self)
    guard version == BTSnoop.version else { throw .version(container: "btsnoop", version) }
    let number = header.bigEndian(at: 12, as: UInt32.self)
    guard let datalink = BTSnoopDatalink(rawValue: number) else { throw .linkType(container: "btsnoop", number) }
    self.datalink = datalink
    cursor.consume(BTSnoop.headerSize)
  }

  @inline(__always)
  mutating func read(_ cursor: inout CaptureCursor, _ body: (CapturedPacket) -> Void) throws(CaptureFailure) {
    // Copies, so that the walk's state stays in registers.
    var rest = cursor.unread
    var record = record
    defer {
      cursor.consume(cursor.unread.count - rest.count)
      self.record = record
    }
    while rest.count >= BTSnoop.recordHeaderSize {
      let header = rest[0, upTo: BTSnoop.recordHeaderSize]
      let original = header.bigEndian(at: 0, as: UInt32.self)
      let included = header.bigEndian(at: 4, as: UInt32.self)
      guard included <= UInt32(CaptureParser.largestPacket) else {
        let offset = cursor.position + UInt64(cursor.unread.count - rest.count)
        throw .corrupt(record: record + 1, offset: offset, "says it holds \(included) octets")
      }
      let end = BTSnoop.recordHeaderSize + Int(included)
      guard rest.count >= end else { return }
      let flags = header.bigEndian(at: 8, as: UInt32.self)
      let (microseconds, overflow) = header.bigEndian(at: 16, as: Int64.self)
        .subtractingReportingOverflow(BTSnoop.epoch)
      let data = rest[BTSnoop.recordHeaderSize, upTo: end]
      let (content, start) = content(data, flags)
      rest = rest.dropping(end)
      record += 1
      body(
        CapturedPacket(
          record: record,
          time: overflow ? UnixTime(nanoseconds: .min) : UnixTime(microseconds: microseconds),
          adapter: datalink == .monitor ? UInt16(truncatingIfNeeded: flags >> 16) : 0,
          content: content,
          octets: data.dropping(start),
          isCut: included < original))
    }
  }

  @inline(__always)
  private func content(_ data: Octets, _ flags: UInt32) -> (CapturedPacket.Content, start: Int) {
    switch datalink {
    case .h4: RadioHeaders.h4(data, at: 0)
    // Bit 0: received by the host; bit 1: command or event, else data.
    case .h1: (.hci(flags & 2 == 0 ? .acl : flags & 1 == 0 ? .command : .event), 0)
    case .monitor: (MonitorOpcode.content(UInt16(truncatingIfNeeded: flags)), 0)
    }
  }
}
