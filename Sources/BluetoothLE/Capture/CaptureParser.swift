/// One container's reader. Nil means that more octets are needed, or that the capture has ended.
protocol CaptureFormat {
  /// Packets given so far; the number of the last one.
  var record: UInt64 { get }
  mutating func next(_ cursor: inout CaptureCursor) throws(CaptureFailure) -> CapturedPacket?
}

/// Reads a capture of any known container from memory that is refilled in front of it.
///
/// The caller keeps one buffer of at least `bufferSize` octets: it refills the cursor when `next` gives nil and ends
/// when `hasEnded`. No record is larger than the buffer.
package struct CaptureParser {
  /// Octets that hold any record that is not refused.
  package static let bufferSize = 256 << 10
  /// The largest packet that a record may hold: an HCI ACL packet of 65,535 octets of data, its headers, and what
  /// containers put in front. Source: Core Specification 5.4, Vol 4, Part E, 5.4.2.
  static let largestPacket = (64 << 10) + 64

  package var cursor = CaptureCursor()
  /// The commonest container, held apart so that reading it needs no dynamic dispatch.
  private var btsnoop: BTSnoopFormat?
  private var format: (any CaptureFormat)?

  package init() {}

  package var hasEnded: Bool { cursor.isExhausted }

  package mutating func next() throws(CaptureFailure) -> CapturedPacket? {
    if btsnoop == nil, format == nil { try recognize() }
    if let packet = try btsnoop?.next(&cursor) { return packet }
    if let packet = try format?.next(&cursor) { return packet }
    if cursor.isAtEnd, !cursor.isExhausted, let record = btsnoop?.record ?? format?.record {
      throw .cutShort(record: record + 1, offset: cursor.position + UInt64(cursor.unread.count))
    }
    return nil
  }

  /// Finds the container by its content; leaves it open when too little is there to tell.
  private mutating func recognize() throws(CaptureFailure) {
    let start = cursor.unread
    guard start.count >= 64 || cursor.isAtEnd, btsnoop == nil else { return }
    guard !start.isEmpty else { throw .empty }
    if BTSnoopFormat.matches(start) {
      btsnoop = try BTSnoopFormat(&cursor)
    } else if let order = PcapFormat.byteOrder(start) {
      format = try PcapFormat(&cursor, order)
    } else if PcapNGFormat.matches(start) {
      format = PcapNGFormat()
    } else if HCIDumpFormat.matches(start) {
      format = HCIDumpFormat()
    } else if let order = PacketLoggerFormat.byteOrder(start) {
      format = PacketLoggerFormat(order)
    } else if start.count >= 2, start[0] == 0x1f, start[1] == 0x8b {
      throw .unrecognized(.gzip)
    } else {
      throw .unrecognized(Self.isText(start) ? .text : .unknown)
    }
  }

  private static func isText(_ octets: Octets) -> Bool {
    (0..<octets.prefix(512).count).allSatisfy { index in
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
