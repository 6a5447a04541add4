/// One container's reader.
protocol CaptureFormat {
  /// Packets given so far; the number of the last one.
  var record: UInt64 { get }
  /// Calls `body` with every packet that is in memory.
  mutating func read(_ cursor: inout CaptureCursor, _ body: (CapturedPacket) -> Void) throws(CaptureFailure)
}

/// Reads a capture of any known container from memory that is refilled in front of it.
///
/// The caller keeps one buffer of at least `bufferSize` octets: it refills the cursor, calls `read`, and ends when
/// `hasEnded`. No record is larger than the buffer.
package struct CaptureParser {
  /// Octets that hold any record that is not refused.
  package static let bufferSize = 256 << 10
  /// The largest packet that a record may hold: an HCI ACL packet of 65,535 octets of data, its headers, and what
  /// containers put in front. Source: Core Specification 5.4, Vol 4, Part E, 5.4.2.
  static let largestPacket = (64 << 10) + 64

  /// Octets that tell every container from the others, save PacketLogger, which has no magic. No more are looked at,
  /// so that the verdict does not depend on how many have arrived.
  private static let recognizable = 64

  package var cursor = CaptureCursor()
  /// Of the containers, what BlueZ writes is a case of its own: its loop is inlined where packets are decoded.
  private enum Format {
    case btsnoop(BTSnoopFormat)
    case other(any CaptureFormat)
  }

  private var format: Format?

  package init() {}

  package var hasEnded: Bool { cursor.isExhausted }

  /// Calls `body` with every packet that is in memory, each valid for the length of the call.
  @inline(__always)
  package mutating func read(_ body: (CapturedPacket) -> Void) throws(CaptureFailure) {
    if format == nil { format = try recognize() }
    switch format {
    case .btsnoop(var btsnoop):
      defer { format = .btsnoop(btsnoop) }
      try btsnoop.read(&cursor, body)
      try checkEnd(btsnoop.record)
    case .other(var other):
      defer { format = .other(other) }
      try other.read(&cursor, body)
      try checkEnd(other.record)
    case nil: break
    }
  }

  /// At the end of a capture nothing may be left of it; `record` is the number of its last packet.
  private func checkEnd(_ record: UInt64) throws(CaptureFailure) {
    if cursor.isAtEnd, !cursor.isExhausted {
      throw .cutShort(record: record + 1, offset: cursor.position + UInt64(cursor.unread.count))
    }
  }

  /// Finds the container by its content; nil when too little is there to tell.
  private mutating func recognize() throws(CaptureFailure) -> Format? {
    let start = cursor.unread
    guard start.count >= Self.recognizable || cursor.isAtEnd else { return nil }
    guard !start.isEmpty else { throw .empty }
    if BTSnoopFormat.matches(start) { return .btsnoop(try BTSnoopFormat(&cursor)) }
    if let order = PcapFormat.byteOrder(start) { return .other(try PcapFormat(&cursor, order)) }
    if PcapNGFormat.matches(start) { return .other(PcapNGFormat()) }
    if HCIDumpFormat.matches(start) { return .other(HCIDumpFormat()) }
    if !cursor.isAtEnd, PacketLoggerFormat.wantsMore(start) { return nil }
    if let order = PacketLoggerFormat.byteOrder(start) { return .other(PacketLoggerFormat(order)) }
    if start.count >= 2, start[0] == 0x1f, start[1] == 0x8b { throw .unrecognized(.gzip) }
    throw .unrecognized(Self.isText(start) ? .text : .unknown)
  }

  private static func isText(_ octets: Octets) -> Bool {
    (0..<octets.prefix(recognizable).count).allSatisfy { index in
      octets[index] >= 0x20 && octets[index] != 0x7f || (9...13).contains(octets[index])
    }
  }
}

/// Byte order of a container's numbers.
enum ByteOrder {
  case big, little

  func read<T: FixedWidthInteger>(_ octets: Octets, at offset: Int, as type: T.Type) -> T {
    self == .big ? octets.bigEndian(at: offset, as: type) : octets.littleEndian(at: offset, as: type)
  }
}
