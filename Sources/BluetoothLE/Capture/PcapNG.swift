/// pcapng: sections of either byte order, several interfaces. Source: IETF draft-ietf-opsawg-pcapng, section 4.
struct PcapNGFormat: CaptureFormat {
  private struct Interface {
    var linkType: LinkType?
    var snapLength: UInt32
    /// Units a second: a power of ten or of two.
    var resolution: Resolution
    var offsetSeconds: Int64
  }

  private enum Resolution {
    case decimal(exponent: UInt8)
    case binary(exponent: UInt8)
  }

  private enum Block {
    static let section: UInt32 = 0x0a0d_0d0a
    static let interface: UInt32 = 1
    static let packet: UInt32 = 2
    static let simplePacket: UInt32 = 3
    static let enhancedPacket: UInt32 = 6
  }

  /// More than any real capture has; a hostile one may not make us grow.
  private static let mostInterfaces = 1024

  private var order = ByteOrder.little
  private var interfaces: [Interface] = []
  private var foreignLinkType: UInt32?
  private var hasBluetooth = false
  private(set) var record: UInt64 = 0

  static func matches(_ start: Octets) -> Bool {
    start.count >= 4 && start.bigEndian(at: 0, as: UInt32.self) == Block.section
  }

  mutating func read(_ cursor: inout CaptureCursor, _ body: (CapturedPacket) -> Void) throws(CaptureFailure) {
    while let packet = try next(&cursor) { body(packet) }
  }

  private mutating func next(_ cursor: inout CaptureCursor) throws(CaptureFailure) -> CapturedPacket? {
    while true {
      let unread = cursor.unread
      guard unread.count >= 12 else {
        if cursor.isExhausted, !hasBluetooth, let type = foreignLinkType {
          throw .linkType(container: "pcapng", type)
        }
        return nil
      }
      var type = order.read(unread, at: 0, as: UInt32.self)
      if unread.bigEndian(at: 0, as: UInt32.self) == Block.section {
        // Up to the version: what was read must not depend on how the capture arrives.
        guard unread.count >= 16 else { return nil }
        try startSection(unread, at: cursor.position)
        type = Block.section
      }
      let length = order.read(unread, at: 4, as: UInt32.self)
      guard length >= 12, length % 4 == 0 else {
        throw .corrupt(record: record + 1, offset: cursor.position, "block length \(length)")
      }
      guard isOfInterest(type), length <= UInt32(CaptureParser.largestPacket) + 4096 else {
        if isPacket(type) {
          guard length <= 16 << 20 else {
            throw .corrupt(record: record + 1, offset: cursor.position, "packet block of \(length) octets")
          }
          record += 1
        }
        cursor.skip(UInt64(length))
        continue
      }
      guard unread.count >= Int(length) else { return nil }
      let body = unread[8, upTo: Int(length) - 4]
      let start = cursor.position
      cursor.consume(Int(length))
      switch type {
      case Block.interface: try addInterface(body, at: start)
      case Block.enhancedPacket, Block.packet, Block.simplePacket: return try packet(type, body, at: start)
      default: break
      }
    }
  }

  private func isPacket(_ type: UInt32) -> Bool {
    type == Block.enhancedPacket || type == Block.packet || type == Block.simplePacket
  }

  private func isOfInterest(_ type: UInt32) -> Bool { isPacket(type) || type == Block.interface }

  private mutating func startSection(_ block: Octets, at offset: UInt64) throws(CaptureFailure) {
    switch block.bigEndian(at: 8, as: UInt32.self) {
    case 0x1a2b_3c4d: order = .big
    case 0x4d3c_2b1a: order = .little
    default: throw .corrupt(record: record + 1, offset: offset, "section without a byte order")
    }
    let version = order.read(block, at: 12, as: UInt16.self)
    guard version == 1 else { throw .version(container: "pcapng", UInt32(version)) }
    interfaces.removeAll(keepingCapacity: true)
  }

  private mutating func addInterface(_ body: Octets, at offset: UInt64) throws(CaptureFailure) {
    guard body.count >= 8, interfaces.count < Self.mostInterfaces else {
      throw .corrupt(
        record: record + 1, offset: offset,
        body.count < 8 ? "interface block of \(body.count) octets" : "more than \(Self.mostInterfaces) interfaces")
    }
    let number = UInt32(order.read(body, at: 0, as: UInt16.self))
    var interface = Interface(
      linkType: LinkType(rawValue: number), snapLength: order.read(body, at: 4, as: UInt32.self),
      resolution: .decimal(exponent: 6), offsetSeconds: 0)
    if interface.linkType == nil {
      foreignLinkType = foreignLinkType ?? number
    } else {
      hasBluetooth = true
    }
    var options = ByteReader(body.dropping(8))
    while options.remaining >= 4, let header = options.read(4) {
      let code = order.read(header, at: 0, as: UInt16.self)
      let length = Int(order.read(header, at: 2, as: UInt16.self))
      guard code != 0, let value = options.read(length) else { break }
      switch code {
      case 9 where length == 1:  // if_tsresol
        let exponent = value[0] & 0x7f
        interface.resolution = value[0] & 0x80 == 0 ? .decimal(exponent: exponent) : .binary(exponent: exponent)
      case 14 where length == 8:  // if_tsoffset
        interface.offsetSeconds = order.read(value, at: 0, as: Int64.self)
      default: break
      }
      _ = options.read(min(options.remaining, (4 - length % 4) % 4))
    }
    interfaces.append(interface)
  }

  private mutating func packet(
    _ type: UInt32, _ body: Octets, at offset: UInt64
  ) throws(CaptureFailure) -> CapturedPacket {
    record += 1
    let headerSize = type == Block.simplePacket ? 4 : 20
    guard body.count >= headerSize else {
      throw .corrupt(record: record, offset: offset, "packet block of \(body.count) octets")
    }
    let number =
      switch type {
      case Block.enhancedPacket: Int(order.read(body, at: 0, as: UInt32.self))
      case Block.packet: Int(order.read(body, at: 0, as: UInt16.self))
      default: 0
      }
    guard number < interfaces.count else {
      throw .corrupt(record: record, offset: offset, "interface \(number) is not described")
    }
    let interface = interfaces[number]
    let original = order.read(body, at: headerSize - 4, as: UInt32.self)
    let included: UInt32
    var time: UnixTime?
    if type == Block.simplePacket {
      let limit = interface.snapLength == 0 ? original : min(original, interface.snapLength)
      included = min(limit, UInt32(body.count - headerSize))
    } else {
      included = order.read(body, at: 12, as: UInt32.self)
      let high = UInt64(order.read(body, at: 4, as: UInt32.self))
      time = self.time(high << 32 | UInt64(order.read(body, at: 8, as: UInt32.self)), interface)
    }
    guard Int(included) <= body.count - headerSize else {
      throw .corrupt(record: record, offset: offset, "says it holds \(included) octets in \(body.count - headerSize)")
    }
    let data = body[headerSize, upTo: headerSize + Int(included)]
    guard let linkType = interface.linkType else {
      return CapturedPacket(
        record: record, time: time, adapter: 0, content: .other, octets: data, isCut: included < original)
    }
    let (content, adapter, start) = linkType.content(data)
    return CapturedPacket(
      record: record, time: time, adapter: adapter, content: content, octets: data.dropping(start),
      isCut: included < original)
  }

  private func time(_ units: UInt64, _ interface: Interface) -> UnixTime {
    let nanoseconds: UInt64
    let seconds: UInt64
    switch interface.resolution {
    case .decimal(let exponent):
      // A unit below 10^-19 s cannot count to a second in 64 bits.
      guard exponent <= 19 else { return UnixTime(seconds: interface.offsetSeconds, fraction: 0) }
      let unitsPerSecond = (0..<exponent).reduce(UInt64(1)) { power, _ in power * 10 }
      seconds = units / unitsPerSecond
      nanoseconds = Self.scaled(units % unitsPerSecond, unitsPerSecond)
    case .binary(let exponent):
      guard exponent <= 63 else { return UnixTime(seconds: interface.offsetSeconds, fraction: 0) }
      seconds = units >> UInt64(exponent)
      nanoseconds = Self.scaled(units & ((1 << UInt64(exponent)) - 1), 1 << UInt64(exponent))
    }
    let (sum, overflow) = Int64(clamping: seconds).addingReportingOverflow(interface.offsetSeconds)
    return UnixTime(seconds: overflow ? .max : sum, fraction: Int64(nanoseconds))
  }

  /// `units` of a second's `unitsPerSecond`, in nanoseconds; below 10^9, since `units` is below a second.
  private static func scaled(_ units: UInt64, _ unitsPerSecond: UInt64) -> UInt64 {
    let (high, low) = units.multipliedFullWidth(by: 1_000_000_000)
    return unitsPerSecond.dividingFullWidth((high, low)).quotient
  }
}
