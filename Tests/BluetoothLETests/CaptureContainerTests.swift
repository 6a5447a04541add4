import BluetoothLE
import TestSupport
import Testing

private let event = HandmadeEvents.legacy(HandmadeEvents.Legacy(HandmadeEvents.iBeacon))
private let command: [UInt8] = [0x0c, 0x20, 0x02, 0x01, 0x00]
private let h4 = [0x04] + event
private let time = UnixTime(seconds: 1_717_228_800, fraction: 0)

private func whole(_ capture: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) -> [ReadPacket] {
  let read = ReadCapture(capture)
  #expect(read.failure == nil, sourceLocation: sourceLocation)
  return read.packets
}

struct BTSnoopTests {
  @Test func form1002HasTheKindInFrontOfThePacket() {
    let packets = whole(
      HandmadeCaptures.btsnoop(1002, [.init(h4), .init([0x01] + command, flags: 2), .init([0x02, 1, 2, 3], flags: 0)]))
    #expect(packets.map { $0.content } == [.hci(.event), .hci(.command), .hci(.acl)])
    #expect(packets.map { $0.octets } == [event, command, [1, 2, 3]])
    #expect(packets.map { $0.record } == [1, 2, 3])
    #expect(packets.allSatisfy { $0.time == time && $0.adapter == 0 && !$0.isCut })
  }

  @Test func form1001HasTheKindInTheFlags() {
    let packets = whole(
      HandmadeCaptures.btsnoop(
        1001,
        [
          .init(event, flags: 0b11), .init(command, flags: 0b10), .init([1], flags: 0b01), .init([2], flags: 0b00),
        ]))
    #expect(packets.map { $0.content } == [.hci(.event), .hci(.command), .hci(.acl), .hci(.acl)])
    #expect(packets[0].octets == event)
  }

  @Test func form2001HasAdapterAndOpcodeInTheFlags() {
    let packets = whole(
      HandmadeCaptures.btsnoop(
        2001,
        [
          .init([0, 1, 2], flags: 0x0001_0000), .init(command, flags: 0x0001_0002), .init(event, flags: 0x0001_0003),
          .init([1], flags: 0x0002_0005), .init([2], flags: 0xffff_000c), .init([3], flags: 0x0000_0012),
          .init([4], flags: 0x0000_7777),
        ]))
    #expect(
      packets.map { $0.content } == [
        .notice(.newIndex), .hci(.command), .hci(.event), .hci(.acl), .notice(.systemNote), .hci(.iso), .other,
      ])
    #expect(packets.map { $0.adapter } == [1, 1, 1, 2, 0xffff, 0, 0])
    #expect(packets[2].octets == event)
  }

  @Test func aPacketCutByTheSnapLengthSaysSo() {
    let packets = whole(
      HandmadeCaptures.btsnoop(
        1002, [.init(Array(h4.prefix(20)), originalLength: UInt32(h4.count)), .init(h4)]))
    #expect(packets.map { $0.isCut } == [true, false])
    #expect(packets[0].octets == Array(event.prefix(19)))
  }

  @Test func timesBefore1970AndTimesThatStepBackAreKept() {
    let epoch: Int64 = 0x00dc_ddb3_0f2f_8000
    let packets = whole(
      HandmadeCaptures.btsnoop(
        1002, [.init(h4, time: epoch + 5), .init(h4, time: epoch - 1), .init(h4, time: 0), .init(h4, time: epoch)]))
    // The year 0 is too far back for nanoseconds in 64 bits.
    #expect(packets.map { $0.time?.nanoseconds } == [5000, -1000, .min, 0])
  }

  @Test func timesThatNobodyLivesToSeeSaturate() {
    let packets = whole(HandmadeCaptures.btsnoop(1002, [.init(h4, time: .max), .init(h4, time: .min)]))
    #expect(packets.map { $0.time?.nanoseconds } == [.max, .min])
  }

  @Test func anEmptyRecordIsAPacketOfNothing() {
    let packets = whole(HandmadeCaptures.btsnoop(1002, [.init([]), .init(h4)]))
    #expect(packets.map { $0.content } == [.other, .hci(.event)])
  }

  @Test func anotherVersionOrDatalinkIsRefused() {
    #expect(
      ReadCapture(HandmadeCaptures.btsnoop(1002, version: 2, [])).failure == .version(container: "btsnoop", 2))
    #expect(ReadCapture(HandmadeCaptures.btsnoop(1003, [])).failure == .linkType(container: "btsnoop", 1003))
  }

  @Test func aRecordOfImpossibleSizeEndsTheCaptureThere() {
    var capture = HandmadeCaptures.btsnoop(1002, [.init(h4), .init(h4)])
    let second = 16 + 24 + h4.count
    capture.replaceSubrange(second + 4..<second + 8, with: [0x7f, 0xff, 0xff, 0xff])
    let read = ReadCapture(capture)
    #expect(read.packets.count == 1)
    #expect(
      read.failure == .corrupt(record: 2, offset: UInt64(second), "says it holds 2147483647 octets"))
  }

  @Test func theLargestPacketIsReadAndALargerOneRefused() {
    let largest = [UInt8](repeating: 2, count: 65_600)
    #expect(whole(HandmadeCaptures.btsnoop(1002, [.init(largest)])).first?.octets.count == 65_599)
    let read = ReadCapture(HandmadeCaptures.btsnoop(1002, [.init(largest + [0])]))
    #expect(read.failure == .corrupt(record: 1, offset: 16, "says it holds 65601 octets"))
  }
}

struct BTSnoopWriterTests {
  private func capture(_ writer: BTSnoopWriter, _ body: (inout [UInt8]) -> Void) -> [UInt8] {
    var octets: [UInt8] = []
    writer.appendHeader(to: &octets)
    body(&octets)
    return octets
  }

  @Test func form1002IsWrittenAsTheFormatLaysItOut() {
    let writer = BTSnoopWriter(.h4)
    let written = capture(writer) { octets in
      writer.appendCommand(kept(command), adapter: 3, at: time, to: &octets)
      writer.appendEvent(kept(event), adapter: 3, at: time, to: &octets)
      #expect(!writer.appendNotice(.newIndex, kept([1]), adapter: 3, at: time, to: &octets))
    }
    #expect(
      written == HandmadeCaptures.btsnoop(1002, [.init([0x01] + command, flags: 2), .init([0x04] + event, flags: 3)]))
  }

  @Test func form2001IsWrittenAsTheFormatLaysItOut() {
    let writer = BTSnoopWriter(.monitor)
    let written = capture(writer) { octets in
      #expect(writer.appendNotice(.newIndex, kept([9, 9]), adapter: 3, at: time, to: &octets))
      writer.appendCommand(kept(command), adapter: 3, at: time, to: &octets)
      writer.appendEvent(kept(event), adapter: 0xffff, at: time, to: &octets)
    }
    #expect(
      written
        == HandmadeCaptures.btsnoop(
          2001,
          [
            .init([9, 9], flags: 0x0003_0000), .init(command, flags: 0x0003_0002), .init(event, flags: 0xffff_0003),
          ]))
  }

  @Test(arguments: [0, 1000, -1000, 1_717_228_800_123_456_000, -1_717_228_800_123_456_000, Int64.max, .min])
  func aTimeIsReadBackToTheMicrosecond(_ nanoseconds: Int64) {
    let writer = BTSnoopWriter(.h4)
    let written = capture(writer) {
      writer.appendEvent(kept(event), adapter: 0, at: UnixTime(nanoseconds: nanoseconds), to: &$0)
    }
    #expect(whole(written).map { $0.time?.nanoseconds } == [nanoseconds / 1000 * 1000])
  }
}

struct PcapTests {
  @Test(arguments: HandmadeCaptures.Order.allCases, [false, true])
  func eitherByteOrderCountsMicroOrNanoseconds(_ order: HandmadeCaptures.Order, nanoseconds: Bool) {
    let packets = whole(
      HandmadeCaptures.pcap(order, nanoseconds: nanoseconds, linkType: 187, [.init(h4, fraction: 123_456)]))
    #expect(
      packets.map { $0.time } == [UnixTime(seconds: 1_717_228_800, fraction: nanoseconds ? 123_456 : 123_456_000)])
    #expect(packets.map { $0.content } == [.hci(.event)])
    #expect(packets.map { $0.octets } == [event])
  }

  @Test func linkType201HasADirectionInFront() {
    let packets = whole(
      HandmadeCaptures.pcap(.little, linkType: 201, [.init([0, 0, 0, 1] + h4), .init([0, 0, 0, 1]), .init([0])]))
    #expect(packets.map { $0.content } == [.hci(.event), .other, .other])
    #expect(packets[0].octets == event)
  }

  @Test func linkType251IsALinkLayerPacketAlone() {
    let packet = HandmadeCaptures.linkLayerPacket(HandmadeEvents.iBeacon)
    let packets = whole(HandmadeCaptures.pcap(.little, linkType: 251, [.init(packet)]))
    #expect(packets.map { $0.content } == [.linkLayer(RadioHeader())])
    #expect(packets.map { $0.octets } == [packet])
  }

  @Test func linkType254HasAdapterAndOpcodeInFront() {
    let packets = whole(
      HandmadeCaptures.pcap(
        .little, linkType: 254, [.init([0x00, 0x02, 0x00, 0x03] + event), .init([0, 0, 0, 0]), .init([0, 0, 0])]))
    #expect(packets.map { $0.content } == [.hci(.event), .notice(.newIndex), .other])
    #expect(packets.map { $0.adapter } == [2, 0, 0])
    #expect(packets[0].octets == event)
  }

  @Test func linkType256SaysHowLoudAndWhetherTheChecksumHolds() {
    let packet = HandmadeCaptures.linkLayerPacket([])
    // Flags: 1 << 1 the signal is valid, 1 << 10 the CRC was checked, 1 << 11 it holds, 2 << 14 LE Coded.
    let flags: [UInt16] = [0x0002, 0x0402, 0x0c02, 0x0000, 0x8002, 0x4002]
    let packets = whole(
      HandmadeCaptures.pcap(
        .little, linkType: 256, flags.map { .init(HandmadeCaptures.radio(signal: -70, flags: $0, packet)) }))
    let radios = packets.compactMap { packet -> RadioHeader? in
      if case .linkLayer(let radio) = packet.content { radio } else { nil }
    }
    #expect(radios.map { $0.rssi } == [-70, -70, -70, 127, -70, -70])
    #expect(radios.map { $0.crcHolds } == [nil, false, true, nil, nil, nil])
    #expect(radios.map { $0.isCoded } == [false, false, false, false, true, false])
    #expect(packets.allSatisfy { $0.octets == packet })
  }

  @Test func linkType272IsTheHeaderOfTheNordicSniffer() {
    let packet = HandmadeCaptures.linkLayerPacket([])
    let packets = whole(
      HandmadeCaptures.pcap(
        .little, linkType: 272,
        [
          .init(HandmadeCaptures.nordic(flags: 0x01, attenuation: 55, packet)),
          .init(HandmadeCaptures.nordic(flags: 0x00, attenuation: 255, packet)),
          .init(HandmadeCaptures.nordic(flags: 0x21, attenuation: 0, packet)),
          .init(HandmadeCaptures.nordic(version: 1, flags: 0x21, attenuation: 0, packet)),
          .init([4, 0, 0]),
        ]))
    var heard = RadioHeader()
    heard.rssi = -55
    heard.crcHolds = true
    var faint = RadioHeader()
    faint.rssi = -128
    faint.crcHolds = false
    var coded = RadioHeader()
    coded.rssi = 0
    coded.crcHolds = true
    coded.isCoded = true
    var old = coded
    old.isCoded = false
    #expect(
      packets.map { $0.content } == [
        .linkLayer(heard), .linkLayer(faint), .linkLayer(coded), .linkLayer(old), .other,
      ])
    #expect(packets[0].octets == packet)
  }

  @Test func anotherLinkTypeIsRefused() {
    #expect(
      ReadCapture(HandmadeCaptures.pcap(.big, linkType: 1, [.init([1, 2, 3])])).failure
        == .linkType(container: "pcap", 1))
  }

  @Test func bitsAboveTheLinkTypeAreOfNoInterest() {
    #expect(whole(HandmadeCaptures.pcap(.big, linkType: 0x1400_00bb, [.init(h4)])).count == 1)
  }

  @Test func aPacketCutByTheSnapLengthSaysSo() {
    let packets = whole(HandmadeCaptures.pcap(.little, linkType: 187, [.init(h4, originalLength: 100)]))
    #expect(packets.map { $0.isCut } == [true])
  }

  @Test func aFractionOfMoreThanASecondIsAdded() {
    let packets = whole(
      HandmadeCaptures.pcap(.little, linkType: 187, [.init(h4, seconds: .max, fraction: .max)]))
    #expect(packets.map { $0.time } == [UnixTime(seconds: 4_294_967_295 + 4294, fraction: 967_295_000)])
  }
}

struct PcapNGTests {
  private typealias Make = HandmadeCaptures

  @Test(arguments: Make.Order.allCases)
  func eitherByteOrderIsRead(_ order: HandmadeCaptures.Order) {
    let packets = whole(
      Make.section(order) + Make.interface(order, linkType: 187) + Make.enhancedPacket(order, h4)
        + Make.enhancedPacket(order, h4, originalLength: 99))
    #expect(packets.map { $0.time } == [time, time])
    #expect(packets.map { $0.octets } == [event, event])
    #expect(packets.map { $0.isCut } == [false, true])
  }

  @Test func eachInterfaceHasItsOwnLinkTypeAndTimes() {
    let order = Make.Order.little
    let packet = Make.linkLayerPacket([])
    var capture = Make.section(order)
    capture += Make.interface(order, linkType: 187)
    capture += Make.interface(order, linkType: 1)
    capture += Make.interface(order, linkType: 251, options: [(9, [9])])
    capture += Make.enhancedPacket(order, interface: 2, time: 1_717_228_800_000_000_001, packet)
    capture += Make.enhancedPacket(order, interface: 1, [0xff, 0xff])
    capture += Make.enhancedPacket(order, interface: 0, h4)
    let packets = whole(capture)
    #expect(packets.map { $0.content } == [.linkLayer(RadioHeader()), .other, .hci(.event)])
    #expect(packets.map { $0.time } == [UnixTime(nanoseconds: 1_717_228_800_000_000_001), time, time])
    #expect(packets.map { $0.record } == [1, 2, 3])
  }

  @Test(
    arguments: [
      (options: [(9, [9])], units: 1_500_000_000, nanoseconds: 1_500_000_000),  // nanoseconds
      (options: [(9, [3])], units: 1500, nanoseconds: 1_500_000_000),
      (options: [(9, [0])], units: 2, nanoseconds: 2_000_000_000),
      (options: [(9, [12])], units: 1_500_000_000_999, nanoseconds: 1_500_000_000),
      (options: [(9, [0x80 | 10])], units: 1536, nanoseconds: 1_500_000_000),  // 2^-10 s
      (options: [(9, [0x80])], units: 3, nanoseconds: 3_000_000_000),
      (options: [(14, [5, 0, 0, 0, 0, 0, 0, 0])], units: 1, nanoseconds: 5_000_001_000),  // tsoffset
      (options: [(14, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])], units: 0, nanoseconds: -1_000_000_000),
      (options: [(2, [0x68, 0x63, 0x69]), (9, [6])], units: 7, nanoseconds: 7000),  // a name of three octets, padded
      (options: [(9, [20])], units: 7, nanoseconds: 0),  // units too small to count to a second
      (options: [(9, [0x80 | 64])], units: 7, nanoseconds: 0),
      (options: [(0, []), (9, [0])], units: 7, nanoseconds: 7000),  // the end of the options
    ] as [(options: [(UInt16, [UInt8])], units: UInt64, nanoseconds: Int64)])
  func timesAreCountedInTheInterfacesUnits(
    _ options: [(UInt16, [UInt8])], units: UInt64, nanoseconds: Int64
  ) {
    for order in Make.Order.allCases {
      // An offset is given least significant octet first above.
      let ordered = options.map { ($0.0, $0.0 == 14 && order == .big ? $0.1.reversed() : $0.1) }
      let packets = whole(
        Make.section(order) + Make.interface(order, linkType: 187, options: ordered)
          + Make.enhancedPacket(order, time: units, h4))
      #expect(packets.map { $0.time?.nanoseconds } == [nanoseconds])
    }
  }

  @Test func hostileTimesSaturate() {
    let order = Make.Order.little
    let far = Make.interface(
      order, linkType: 187, options: [(9, [0]), (14, [UInt8](repeating: 0xff, count: 7) + [0x7f])])
    let early = Make.interface(order, linkType: 187, options: [(14, [UInt8](repeating: 0, count: 7) + [0x80])])
    let packets = whole(
      Make.section(order) + far + early + Make.enhancedPacket(order, interface: 0, time: .max, h4)
        + Make.enhancedPacket(order, interface: 1, time: 0, h4))
    #expect(packets.map { $0.time?.nanoseconds } == [.max, .min])
  }

  @Test func unknownBlocksArePassedOverAndLargeOnesToo() {
    let order = Make.Order.little
    let packets = whole(
      Make.section(order) + Make.block(order, 0x0bad, [1, 2, 3, 4, 5]) + Make.interface(order, linkType: 187)
        + Make.block(order, 5, [UInt8](repeating: 7, count: 600_000)) + Make.enhancedPacket(order, h4))
    #expect(packets.map { $0.octets } == [event])
  }

  @Test func aSimplePacketBelongsToTheFirstInterfaceAndHasNoTime() {
    let order = Make.Order.big
    let packets = whole(
      Make.section(order) + Make.interface(order, linkType: 187, snapLength: 10)
        + Make.simplePacket(order, [0x04, 0x0e])
        + Make.simplePacket(order, Array(h4.prefix(10)), originalLength: UInt32(h4.count)))
    #expect(packets.map { $0.time } == [nil, nil])
    #expect(packets.map { $0.octets } == [[0x0e], Array(event.prefix(9))])
    #expect(packets.map { $0.isCut } == [false, true])
  }

  @Test func anObsoletePacketBlockIsRead() {
    let order = Make.Order.little
    let body =
      order.octets(UInt16(0)) + order.octets(UInt16(0)) + order.octets(UInt32(0)) + order.octets(UInt32(5))
      + order.octets(UInt32(h4.count)) + order.octets(UInt32(h4.count)) + h4
    let packets = whole(Make.section(order) + Make.interface(order, linkType: 187) + Make.block(order, 2, body))
    #expect(packets.map { $0.octets } == [event])
    #expect(packets.map { $0.time?.nanoseconds } == [5000])
  }

  @Test func aNewSectionForgetsTheInterfacesAndMayTurnTheByteOrder() {
    let first = Make.section(.little) + Make.interface(.little, linkType: 187) + Make.enhancedPacket(.little, h4)
    let second = Make.section(.big) + Make.interface(.big, linkType: 187) + Make.enhancedPacket(.big, h4)
    #expect(whole(first + second).map { $0.record } == [1, 2])
    let read = ReadCapture(first + Make.section(.big) + Make.enhancedPacket(.big, h4))
    #expect(read.packets.count == 1)
    #expect(
      read.failure == .corrupt(record: 2, offset: UInt64(first.count + 28), "interface 0 is not described"))
  }

  @Test func aCaptureWithoutBluetoothIsRefusedAndOneWithBothIsRead() {
    let order = Make.Order.little
    let ethernet = Make.interface(order, linkType: 1)
    let foreign = ReadCapture(Make.section(order) + ethernet + Make.enhancedPacket(order, [1]))
    #expect(foreign.failure == .linkType(container: "pcapng", 1))
    let both = Make.section(order) + ethernet + Make.interface(order, linkType: 187)
    #expect(whole(both + Make.enhancedPacket(order, interface: 1, h4)).count == 1)
  }

  @Test func blocksThatCannotBeEndTheCaptureThere() {
    let order = Make.Order.little
    let start = Make.section(order) + Make.interface(order, linkType: 187) + Make.enhancedPacket(order, h4)
    func failure(_ block: [UInt8]) -> CaptureFailure? {
      let read = ReadCapture(start + block)
      #expect(read.packets.count == 1)
      return read.failure
    }
    let offset = UInt64(start.count)
    #expect(
      failure(order.octets(UInt32(6)) + order.octets(UInt32(8)) + [0, 0, 0, 0])
        == .corrupt(record: 2, offset: offset, "block length 8"))
    #expect(
      failure(order.octets(UInt32(6)) + order.octets(UInt32(33)) + [UInt8](repeating: 0, count: 40))
        == .corrupt(record: 2, offset: offset, "block length 33"))
    #expect(
      failure(Make.block(order, 6, [1, 2, 3, 4])) == .corrupt(record: 2, offset: offset, "packet block of 4 octets"))
    #expect(
      failure(Make.block(order, 1, [187, 0, 0, 0]))
        == .corrupt(record: 2, offset: offset, "interface block of 4 octets"))
    var long = Make.enhancedPacket(order, h4)
    long[20] = 0xff
    #expect(
      failure(long) == .corrupt(record: 2, offset: offset, "says it holds 255 octets in \((h4.count + 3) / 4 * 4)"))
    var section = Make.section(order)
    section[8] = 0
    #expect(failure(section) == .corrupt(record: 2, offset: offset, "section without a byte order"))
    section = Make.section(order)
    section[12] = 2
    #expect(failure(section) == .version(container: "pcapng", 2))
  }

  @Test func theInterfacesOfASectionAreBounded() {
    let order = Make.Order.little
    let interfaces = (0..<1025).flatMap { _ in Make.interface(order, linkType: 187) }
    let offset = UInt64(28 + 1024 * 20)
    #expect(
      ReadCapture(Make.section(order) + interfaces).failure
        == .corrupt(record: 1, offset: offset, "more than 1024 interfaces"))
  }
}

struct PacketLoggerTests {
  @Test(arguments: HandmadeCaptures.Order.allCases)
  func eitherByteOrderIsRead(_ order: HandmadeCaptures.Order) {
    let types: [UInt8] = [0x01, 0x00, 0x02, 0x03, 0x08, 0x09, 0x12, 0x13, 0xfc]
    let packets = whole(
      HandmadeCaptures.packetLogger(
        order, types.map { (type: $0, seconds: 1_717_228_800, microseconds: 250_000, octets: event) }))
    #expect(
      packets.map { $0.content } == [
        .hci(.event), .hci(.command), .hci(.acl), .hci(.acl), .hci(.sco), .hci(.sco), .hci(.iso), .hci(.iso), .other,
      ])
    #expect(packets.allSatisfy { $0.octets == event && !$0.isCut })
    #expect(packets.allSatisfy { $0.time == UnixTime(seconds: 1_717_228_800, fraction: 250_000_000) })
  }

  @Test func aRecordOfImpossibleSizeEndsTheCaptureThere() {
    let records = [(type: UInt8(1), seconds: UInt32(1), microseconds: UInt32(0), octets: event)]
    let good = HandmadeCaptures.packetLogger(.little, records + records)
    let read = ReadCapture(good + [8, 0, 0, 0] + [UInt8](repeating: 0, count: 20))
    #expect(read.packets.count == 2)
    #expect(read.failure == .corrupt(record: 3, offset: UInt64(good.count), "says it holds 8 octets"))
  }
}

struct HCIDumpTests {
  @Test(arguments: ["\n", "\r\n"])
  func packetsOfSeveralLinesAreRead(_ lineEnd: String) {
    let packets = whole(
      HandmadeCaptures.hcidump([(true, h4), (false, [0x01] + command), (true, h4)], lineEnd: lineEnd))
    #expect(packets.map { $0.content } == [.hci(.event), .hci(.command), .hci(.event)])
    #expect(packets.map { $0.octets } == [event, command, event])
    #expect(packets.allSatisfy { $0.time == nil })
  }

  @Test func theLastLineMayLackItsEnd() {
    let text = HandmadeCaptures.hcidump([(true, h4)])
    #expect(whole(Array(text.dropLast())).map { $0.octets } == [event])
    #expect(whole(Array(text.dropLast(2))).map { $0.octets } == [event])
  }

  @Test func aDumpWithoutItsHeaderIsRecognised() {
    #expect(whole(Array("> 04 3E 02 02 00\n".utf8)).map { $0.octets } == [[0x3e, 2, 2, 0]])
    #expect(whole(Array("< 01 03 0c 00".utf8)).map { $0.content } == [.hci(.command)])
  }

  @Test func linesOfSomethingElseEndAPacket() {
    let packets = whole(Array("> 04 0E\n\n  01\nhcidump: restarted\n  02\n> 04 0F".utf8))
    #expect(packets.map { $0.octets } == [[0x0e, 0x01], [0x0f]])
  }

  @Test(arguments: ["> 04 3E 0", "> 04 3E 0 1", "> 04 3E XX", "> 04 3E\n  0x"])
  func whatIsNoHexEndsTheCaptureThere(_ text: String) throws {
    let read = ReadCapture(Array("> 04 0E\n\(text)\n".utf8))
    #expect(read.packets.map { $0.octets } == [[0x0e]])
    guard case .corrupt(record: 2, _, _) = try #require(read.failure) else {
      Issue.record("\(String(describing: read.failure))")
      return
    }
  }

  @Test func endlessLinesAndPacketsAreRefused() {
    let line = [UInt8](repeating: UInt8(ascii: "4"), count: 5000)
    #expect(
      ReadCapture(Array("> 04\n".utf8) + line).failure
        == .corrupt(record: 1, offset: 5, "a line of more than 4096 octets"))
    let packet = "> 04" + String(repeating: "\n  00 00 00 00", count: 20_000)
    let read = ReadCapture(Array(packet.utf8))
    #expect(read.packets.isEmpty)
    guard case .corrupt(record: 1, _, "more than 65600 octets") = read.failure else {
      Issue.record("\(String(describing: read.failure))")
      return
    }
  }
}

struct CaptureRecognitionTests {
  @Test func whatIsNoCaptureIsNamed() {
    #expect(ReadCapture([]).failure == .empty)
    #expect(ReadCapture(Array("a letter, not a capture\n".utf8)).failure == .unrecognized(.text))
    #expect(ReadCapture([0x1f, 0x8b, 8, 0, 0]).failure == .unrecognized(.gzip))
    #expect(ReadCapture([0xff, 0x00, 0xfe, 0x00]).failure == .unrecognized(.unknown))
    #expect(ReadCapture([UInt8](repeating: 0, count: 500)).failure == .unrecognized(.unknown))
  }

  @Test func aFailureSaysWhatToDoOrWhere() {
    #expect(CaptureFailure.unrecognized(.gzip).description.contains("zcat"))
    #expect(CaptureFailure.cutShort(record: 3, offset: 99).description == "cut short in record 3, at octet 99")
    #expect(CaptureFailure.corrupt(record: 3, offset: 99, "why").description == "record 3 at octet 99: why")
  }
}
