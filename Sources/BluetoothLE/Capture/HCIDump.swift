/// The text of `hcidump --raw`: `> 04 3E ...` starts a packet, indented lines carry it on. It has no times.
struct HCIDumpFormat: CaptureFormat {
  /// Longer lines are no packets; it bounds what is kept of an endless one.
  private static let longestLine = 4096

  private let packet = OctetBuffer(capacity: CaptureParser.largestPacket)
  private var isInPacket = false
  private(set) var record: UInt64 = 0

  static func matches(_ start: Octets) -> Bool {
    if start.starts(with: "HCI sniffer") { return true }
    guard start.count >= 4, start[0] == UInt8(ascii: ">") || start[0] == UInt8(ascii: "<") else { return false }
    return start[1] == UInt8(ascii: " ") && hexDigit(start[2]) != nil && hexDigit(start[3]) != nil
  }

  mutating func read(_ cursor: inout CaptureCursor, _ body: (CapturedPacket) -> Void) throws(CaptureFailure) {
    while let packet = try next(&cursor) { body(packet) }
  }

  private mutating func next(_ cursor: inout CaptureCursor) throws(CaptureFailure) -> CapturedPacket? {
    while let line = try line(cursor) {
      let text = cursor.unread.prefix(line.length)
      let startsPacket = !text.isEmpty && (text[0] == UInt8(ascii: ">") || text[0] == UInt8(ascii: "<"))
      // A packet ends where the next one starts: that line is left for the next call.
      if startsPacket, isInPacket { return finish() }
      if startsPacket {
        packet.removeAll()
        isInPacket = true
      }
      let isContinuation = !text.isEmpty && (text[0] == UInt8(ascii: " ") || text[0] == 0x09)
      if isInPacket {
        if startsPacket || isContinuation {
          try append(text.dropping(1), at: cursor.position)
        } else if !text.isEmpty {
          return finish()
        }
      }
      cursor.consume(line.lengthWithEnd)
    }
    return cursor.isExhausted && isInPacket ? finish() : nil
  }

  /// The next line that is there whole; the last one may lack its end.
  private func line(_ cursor: CaptureCursor) throws(CaptureFailure) -> (length: Int, lengthWithEnd: Int)? {
    let unread = cursor.unread.prefix(Self.longestLine)
    for index in 0..<unread.count where unread[index] == 0x0a {
      let isCRLF = index > 0 && unread[index - 1] == 0x0d
      return (isCRLF ? index - 1 : index, index + 1)
    }
    guard unread.count < Self.longestLine else {
      throw .corrupt(record: record + 1, offset: cursor.position, "a line of more than \(Self.longestLine) octets")
    }
    return cursor.isAtEnd && !unread.isEmpty ? (unread.count, unread.count) : nil
  }

  private func append(_ text: Octets, at offset: UInt64) throws(CaptureFailure) {
    var high: UInt8?
    for index in 0..<text.count {
      if text[index] == UInt8(ascii: " ") || text[index] == 0x09 {
        guard high == nil else { break }
        continue
      }
      guard let digit = hexDigit(text[index]) else {
        throw .corrupt(record: record + 1, offset: offset + UInt64(index) + 1, "not a hex digit")
      }
      guard let first = high else {
        high = digit
        continue
      }
      high = nil
      guard packet.append(first << 4 | digit) else {
        throw .corrupt(record: record + 1, offset: offset, "more than \(packet.capacity) octets")
      }
    }
    guard high == nil else {
      throw .corrupt(record: record + 1, offset: offset, "a hex digit alone")
    }
  }

  private mutating func finish() -> CapturedPacket {
    isInPacket = false
    record += 1
    let (content, start) = RadioHeaders.h4(packet.octets, at: 0)
    return CapturedPacket(
      record: record, time: nil, adapter: 0, content: content, octets: packet.octets.dropping(start), isCut: false)
  }
}
