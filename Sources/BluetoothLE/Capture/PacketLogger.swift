/// Apple PacketLogger, either byte order: length, seconds, microseconds, type, packet, behind each other.
struct PacketLoggerFormat: CaptureFormat {
  private static let lengthSize = 4
  /// Seconds, microseconds and the type: what every length counts beside the packet.
  private static let headerSize = 9

  private let order: ByteOrder
  private(set) var record: UInt64 = 0

  init(_ order: ByteOrder) {
    self.order = order
  }

  /// The container has no magic: the first record, and the second where it is there, must make sense.
  static func byteOrder(_ start: Octets) -> ByteOrder? {
    [ByteOrder.big, .little].first { order in
      guard let first = plausibleEnd(start, order) else { return false }
      return start.count < first + lengthSize + headerSize || plausibleEnd(start.dropping(first), order) != nil
    }
  }

  /// Whether the first record makes sense and the second, which decides, has not arrived.
  static func wantsMore(_ start: Octets) -> Bool {
    [ByteOrder.big, .little].contains { order in
      plausibleEnd(start, order).map { start.count < $0 + lengthSize + headerSize } ?? false
    }
  }

  private static func plausibleEnd(_ record: Octets, _ order: ByteOrder) -> Int? {
    guard record.count >= lengthSize + headerSize else { return nil }
    let length = order.read(record, at: 0, as: UInt32.self)
    let microseconds = order.read(record, at: 8, as: UInt32.self)
    guard length >= headerSize, length <= 4096, microseconds < 1_000_000 else { return nil }
    return lengthSize + Int(length)
  }

  mutating func read(_ cursor: inout CaptureCursor, _ body: (CapturedPacket) -> Void) throws(CaptureFailure) {
    while let packet = try next(&cursor) { body(packet) }
  }

  private mutating func next(_ cursor: inout CaptureCursor) throws(CaptureFailure) -> CapturedPacket? {
    let unread = cursor.unread
    guard unread.count >= Self.lengthSize else { return nil }
    let length = order.read(unread, at: 0, as: UInt32.self)
    guard length >= Self.headerSize, length <= UInt32(CaptureParser.largestPacket) else {
      throw .corrupt(record: record + 1, offset: cursor.position, "says it holds \(length) octets")
    }
    let end = Self.lengthSize + Int(length)
    guard unread.count >= end else { return nil }
    record += 1
    cursor.consume(end)
    return CapturedPacket(
      record: record,
      time: UnixTime(
        seconds: Int64(order.read(unread, at: 4, as: UInt32.self)),
        fraction: Int64(order.read(unread, at: 8, as: UInt32.self)) * 1000),
      adapter: 0, content: Self.content(unread[12]), octets: unread[Self.lengthSize + Self.headerSize, upTo: end],
      isCut: false)
  }

  /// Source: the types that PacketLogger writes, as listed by Wireshark's reader of the format.
  private static func content(_ type: UInt8) -> CapturedPacket.Content {
    switch type {
    case 0x00: .hci(.command)
    case 0x01: .hci(.event)
    case 0x02, 0x03: .hci(.acl)
    case 0x08, 0x09: .hci(.sco)
    case 0x12, 0x13: .hci(.iso)
    default: .other
    }
  }
}
