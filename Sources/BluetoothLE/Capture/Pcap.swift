/// pcap, either byte order, micro- and nanoseconds. Source: IETF draft-ietf-opsawg-pcap, "General File Structure".
struct PcapFormat: CaptureFormat {
  struct Order {
    let bytes: ByteOrder
    let isNanoseconds: Bool
  }

  private static let headerSize = 24
  private static let recordHeaderSize = 16

  private let order: Order
  private let linkType: LinkType
  private(set) var record: UInt64 = 0

  static func byteOrder(_ start: Octets) -> Order? {
    guard start.count >= 4 else { return nil }
    switch start.bigEndian(at: 0, as: UInt32.self) {
    case 0xa1b2_c3d4: return Order(bytes: .big, isNanoseconds: false)
    case 0xa1b2_3c4d: return Order(bytes: .big, isNanoseconds: true)
    case 0xd4c3_b2a1: return Order(bytes: .little, isNanoseconds: false)
    case 0x4d3c_b2a1: return Order(bytes: .little, isNanoseconds: true)
    default: return nil
    }
  }

  init(_ cursor: inout CaptureCursor, _ order: Order) throws(CaptureFailure) {
    self.order = order
    let header = cursor.unread
    guard header.count >= Self.headerSize else {
      throw .cutShort(record: 0, offset: cursor.position + UInt64(header.count))
    }
    let version = order.bytes.read(header, at: 4, as: UInt16.self)
    guard version == 2 else { throw .version(container: "pcap", UInt32(version)) }
    // The upper six bits speak of a frame check sequence, which Bluetooth link types do not have.
    let number = order.bytes.read(header, at: 20, as: UInt32.self) & 0x03ff_ffff
    guard let linkType = LinkType(rawValue: number) else { throw .linkType(container: "pcap", number) }
    self.linkType = linkType
    cursor.consume(Self.headerSize)
  }

  mutating func read(_ cursor: inout CaptureCursor, _ body: (CapturedPacket) -> Void) throws(CaptureFailure) {
    while let packet = try next(&cursor) { body(packet) }
  }

  private mutating func next(_ cursor: inout CaptureCursor) throws(CaptureFailure) -> CapturedPacket? {
    let unread = cursor.unread
    guard unread.count >= Self.recordHeaderSize else { return nil }
    let included = order.bytes.read(unread, at: 8, as: UInt32.self)
    guard included <= UInt32(CaptureParser.largestPacket) else {
      throw .corrupt(record: record + 1, offset: cursor.position, "says it holds \(included) octets")
    }
    let end = Self.recordHeaderSize + Int(included)
    guard unread.count >= end else { return nil }
    let fraction = Int64(order.bytes.read(unread, at: 4, as: UInt32.self))
    let data = unread[Self.recordHeaderSize, upTo: end]
    cursor.consume(end)
    record += 1
    let (content, adapter, start) = linkType.content(data)
    return CapturedPacket(
      record: record,
      time: UnixTime(
        seconds: Int64(order.bytes.read(unread, at: 0, as: UInt32.self)),
        fraction: order.isNanoseconds ? fraction : fraction * 1000),
      adapter: adapter, content: content, octets: data.dropping(start),
      isCut: included < order.bytes.read(unread, at: 12, as: UInt32.self))
  }
}
