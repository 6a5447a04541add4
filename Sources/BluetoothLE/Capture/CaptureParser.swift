/// One container's reader. Nil means that more octets are needed, or that the capture has ended.
protocol CaptureFormat: AnyObject {
  /// Packets given so far; the number of the last one.
  var record: UInt64 { get }
  func next(_ cursor: inout CaptureCursor) throws(CaptureFailure) -> CapturedPacket?
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
  private var format: (any CaptureFormat)?

  package init() {}

  package var hasEnded: Bool { cursor.isExhausted }

  package mutating func next() throws(CaptureFailure) -> CapturedPacket? {
    if format == nil { format = try recognize() }
    guard let format else { return nil }
    if let packet = try format.next(&cursor) { return packet }
    if cursor.isAtEnd, !cursor.isExhausted {
      throw .cutShort(record: format.record + 1, offset: cursor.position + UInt64(cursor.unread.count))
    }
    return nil
  }

  /// Finds the container by its content; nil when too little is there to tell.
  private mutating func recognize() throws(CaptureFailure) -> (any CaptureFormat)? {
    let start = cursor.unread
    guard start.count >= 64 || cursor.isAtEnd else { return nil }
    guard !start.isEmpty else { throw .empty }
    let found: (any CaptureFormat)? =
      if BTSnoopFormat.matches(start) {
        try BTSnoopFormat(&cursor)
      } else if let order = PcapFormat.byteOrder(start) {
        try PcapFormat(&cursor, order)
      } else if PcapNGFormat.matches(start) {
        PcapNGFormat()
      } else if HCIDumpFormat.matches(start) {
        HCIDumpFormat()
      } else if let order = PacketLoggerFormat.byteOrder(start) {
        PacketLoggerFormat(order)
      } else {
        nil
      }
    guard let found else {
      if start.count >= 2, start[0] == 0x1f, start[1] == 0x8b { throw .unrecognized(.gzip) }
      throw .unrecognized(Self.isText(start) ? .text : .unknown)
    }
    return found
  }

  private static func isText(_ octets: Octets) -> Bool {
    (0..<octets.prefix(512).count).allSatisfy { octets[$0] >= 0x20 && octets[$0] != 0x7f || (9...13).contains(octets[$0]) }
  }
}

/// Byte order of a container's numbers.
enum ByteOrder {
  case big, little

  func read<T: FixedWidthInteger>(_ octets: Octets, at offset: Int, as type: T.Type) -> T {
    self == .big ? octets.bigEndian(at: offset, as: type) : octets.littleEndian(at: offset, as: type)
  }
}
