import BluetoothLE
import TestSupport
import Testing

/// One capture of every container, of a few packets.
struct SmallCapture: Sendable, CustomTestStringConvertible {
  let name: String
  let octets: [UInt8]
  /// The container says nowhere how long a packet is.
  var endsAnywhere = false

  var testDescription: String { name }

  static let all: [SmallCapture] = {
    typealias Make = HandmadeCaptures
    let event = HandmadeEvents.legacy(HandmadeEvents.Legacy(HandmadeEvents.iBeacon))
    let extended = HandmadeEvents.extended(HandmadeEvents.Extended([2, 1, 6]))
    let h4 = [0x04] + event
    let packet = Make.linkLayerPacket(HandmadeEvents.iBeacon)
    var list = [
      SmallCapture(
        name: "btsnoop 1001", octets: Make.btsnoop(1001, [.init(event), .init([1, 2], flags: 0), .init(event)])),
      SmallCapture(name: "btsnoop 1002", octets: Make.btsnoop(1002, [.init(h4), .init([]), .init([0x04] + extended)])),
      SmallCapture(
        name: "btsnoop 2001",
        octets: Make.btsnoop(2001, [.init([1], flags: 0), .init(event, flags: 3), .init(event, flags: 0x0001_0003)])),
      SmallCapture(
        name: "hcidump", octets: Make.hcidump([(true, h4), (false, [1, 3, 0x0c, 0]), (true, h4)]), endsAnywhere: true),
      SmallCapture(
        name: "hcidump with CR", octets: Make.hcidump([(true, h4), (true, h4)], lineEnd: "\r\n"), endsAnywhere: true),
    ]
    for order in Make.Order.allCases {
      list += [
        SmallCapture(name: "pcap 187 \(order)", octets: Make.pcap(order, linkType: 187, [.init(h4), .init(h4)])),
        SmallCapture(
          name: "pcap 201 \(order)",
          octets: Make.pcap(order, nanoseconds: true, linkType: 201, [.init([0, 0, 0, 1] + h4)])),
        SmallCapture(
          name: "pcap 251 \(order)", octets: Make.pcap(order, linkType: 251, [.init(packet), .init(packet)])),
        SmallCapture(
          name: "pcap 254 \(order)", octets: Make.pcap(order, linkType: 254, [.init([0, 0, 0, 3] + event)])),
        SmallCapture(
          name: "pcap 256 \(order)",
          octets: Make.pcap(order, linkType: 256, [.init(Make.radio(signal: -50, flags: 0x0c02, packet))])),
        SmallCapture(
          name: "pcap 272 \(order)",
          octets: Make.pcap(order, linkType: 272, [.init(Make.nordic(flags: 1, attenuation: 60, packet))])),
        SmallCapture(
          name: "pcapng \(order)",
          octets: Make.section(order) + Make.interface(order, linkType: 187, options: [(9, [9]), (2, [0x68])])
            + Make.enhancedPacket(order, h4) + Make.block(order, 0x0bad, [1, 2, 3]) + Make.simplePacket(order, h4)
            + Make.section(order) + Make.interface(order, linkType: 251) + Make.enhancedPacket(order, packet)),
        SmallCapture(
          name: "PacketLogger \(order)",
          octets: Make.packetLogger(order, [(1, 1_717_228_800, 1, event), (0, 1_717_228_801, 2, [3, 0x0c, 0])])),
      ]
    }
    return list
  }()
}

struct CaptureDeliveryTests {
  @Test(arguments: SmallCapture.all)
  func aCaptureIsTheSameInWhateverPiecesItArrives(_ capture: SmallCapture) {
    let whole = ReadCapture(capture.octets)
    #expect(whole.failure == nil)
    #expect(!whole.packets.isEmpty)
    for size in [1, 2, 3, 7, 13, 64, 100] { #expect(ReadCapture(capture.octets, inPiecesOf: size) == whole) }
  }

  @Test(arguments: SmallCapture.all)
  func aCutCaptureGivesTheFirstPacketsOfTheWholeAndSaysThatItIsCut(_ capture: SmallCapture) {
    let whole = ReadCapture(capture.octets)
    var cleanCuts = 0
    for length in 0..<capture.octets.count {
      let cut = ReadCapture(capture.octets[..<length])
      let sure = capture.endsAnywhere ? cut.packets.dropLast() : cut.packets[...]
      #expect(sure == whole.packets.prefix(sure.count), "cut at octet \(length)")
      if capture.endsAnywhere {
        if let last = cut.packets.last, cut.packets.count <= whole.packets.count {
          #expect(whole.packets[cut.packets.count - 1].octets.starts(with: last.octets), "cut at octet \(length)")
        }
      } else if cut.failure == nil {
        cleanCuts += 1
      }
      #expect(ReadCapture(capture.octets[..<length], inPiecesOf: 7) == cut, "cut at octet \(length)")
    }
    // Only a cut exactly between two of the at most eight records and blocks goes unnoticed.
    #expect(cleanCuts <= 8)
  }

  /// Every octet of every small capture takes a few other values: nothing crashes, and the pieces do not matter.
  @Test(arguments: SmallCapture.all)
  func aDamagedCaptureIsTheSameInWhateverPiecesItArrives(_ capture: SmallCapture) {
    for index in capture.octets.indices {
      for value: UInt8 in [0x00, 0x01, 0x0a, 0x7f, 0x80, 0xff, capture.octets[index] ^ 0x40] {
        var damaged = capture.octets
        damaged[index] = value
        let whole = ReadCapture(damaged)
        #expect(whole.packets.count <= damaged.count)
        let isSame = ReadCapture(damaged, inPiecesOf: 5) == whole
        #expect(isSame, "octet \(index) made \(value)")
      }
    }
  }
}
