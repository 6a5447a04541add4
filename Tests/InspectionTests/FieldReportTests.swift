import BluetoothLE
import Foundation
import Inspection
import Proximity
import TestSupport
import Testing

/// What people who run scanners have met, with the right result.
struct FieldReportTests {
  private typealias Make = HandmadeEvents

  private func hex(_ event: [UInt8]) -> String { "04 " + hexText(event) }

  @Test func aNameThatIsNoUTF8ShowsAReplacementCharacter() throws {
    let event = """
      04 3e 39 0d 01 13 00 00 05 02 99 5f 16 b8 01 00 ff 7f 9a 00 00 00 00 00 00 00 00 00 1f 02 01 05 08 ff c4 00 b7 92
      15 16 80 03 03 b9 fe 08 1b 00 05 02 99 5f 16 b8 02 0a e8 02 08 ff
      """
    let report = try #require(try objects(event).first)
    #expect(try objects(event).count == 1)
    #expect(report["kind"] as? String == "hci0d")
    #expect(report["address"] as? String == "b8:16:5f:99:02:05")
    #expect(report["rssi"] as? Int == -102)
    #expect(report["adStatus"] as? String == "complete")
    #expect(report.structures.last == ["type": "0x08", "data": "ff"])
    #expect(try decoded(event, .text).contains("name \"\u{fffd}\""))
  }

  @Test func aListOf16BitUUIDsOfOddLengthHasThoseThatAreWhole() throws {
    let advertisement = """
      02 01 06 03 03 aa f1 14 02 20 32 2d 86 21 27 00 bc fe d5 ff 38 3a 59 21 89 01 00 00
      """
    let text = try decoded(advertisement, .text)
    #expect(text.contains("services 0x3220 0x862d 0x2721 0xbc00 0xd5fe 0x38ff 0x593a 0x8921 0x0001\n"))
    #expect(try #require(try objects(advertisement).first)["adStatus"] as? String == "complete")
  }

  @Test(arguments: ["02 01 06 04 09 61 62", "02 01 06 ff 09 61 62"])
  func structuresBeforeALengthThatIsTooLongStand(_ advertisement: String) throws {
    let report = try #require(try objects(advertisement).first)
    #expect(report.structures == [["type": "0x01", "data": "06"]])
    #expect((report["adStatus"] as? String)?.contains("overruns") == true)
  }

  @Test func neitherFlagsNorAServiceListIsRequired() throws {
    let iBeacon = "1a ff 4c 00 02 15 74 27 8b da b6 44 45 20 8f 0c 72 0e af 05 99 35 00 01 00 02 c5"
    let beacon = try #require(try objects(iBeacon).first?.frames.first)
    #expect(beacon["kind"] as? String == "ibeacon")
    #expect(beacon["uuid"] as? String == "74278bda-b644-4520-8f0c-720eaf059935")
    let url = "02 01 06 14 16 AA FE 10 EE 02 74 69 6E 79 2E 63 63 2F 63 62 39 30 30 30"
    #expect(try #require(try objects(url).first?.frames.first)["url"] as? String == "http://tiny.cc/cb9000")
  }

  @Test func anAdvertisementNeverRunsOnIntoTheScanResponseOfItsDevice() throws {
    // The URL's structure says two octets more than its report holds.
    let cut: [UInt8] = [0x0a, 0x16, 0xaa, 0xfe, 0x10, 0xee, 0x02, 0x61, 0x62]
    let response: [UInt8] = [0x03, 0x08, 0x63, 0x64]
    let legacy = hex(Make.legacy(.init(cut, type: 0), .init(response, type: 4)))
    let extended = hex(Make.extended(.init(cut, type: 0x13), .init(response, type: 0x1b)))
    let chained = hex(Make.extended(.init(cut, type: 0x20), .init(response, type: 0x08)))
    for event in [legacy, extended, chained] {
      let reports = try objects(event)
      #expect(reports.count == 2)
      #expect(reports.allSatisfy { $0.frames.isEmpty })
      #expect(Set(reports.compactMap { $0["data"] as? String }) == ["0a16aafe10ee026162", "03086364"])
    }
  }

  @Test func eddystoneFramesHaveTheLengthsOfTheirSpecification() throws {
    func kinds(_ frame: [UInt8]) throws -> [String?] {
      let structure = [UInt8(frame.count + 3), 0x16, 0xaa, 0xfe] + frame
      return try #require(try objects(hexText(structure)).first).frames.map { $0["kind"] as? String }
    }
    func zeros(_ start: [UInt8], _ count: Int) -> [UInt8] { start + [UInt8](repeating: 0, count: count - start.count) }
    #expect(try kinds(zeros([0x00], 18)) == ["eddystone-uid"])
    #expect(try kinds(zeros([0x00], 20)) == ["eddystone-uid"])
    #expect(try kinds(zeros([0x20, 0x00], 14)) == ["eddystone-tlm"])
    #expect(try kinds(zeros([0x30], 10)) == ["eddystone-eid"])
    #expect(try kinds(zeros([0x20, 0x01], 18)) == ["eddystone-etlm"])
    // Frame types that others have put under the service's UUID.
    for type: UInt8 in [0x21, 0x40, 0x41] {
      for length in [2, 10, 14, 18, 20] { #expect(try kinds(zeros([type], length)) == []) }
    }
  }

  @Test(arguments: [30, -3, 0] as [Int8])
  func aMeasuredPowerThatCannotBeIsShownAndNotBelieved(_ power: Int8) throws {
    var advertisement = Make.iBeacon
    advertisement[advertisement.count - 1] = UInt8(bitPattern: power)
    let beacon = try #require(try objects(hexText(advertisement)).first?.frames.first)
    #expect(beacon["measuredPower"] as? Int == Int(power))
    let octets = kept(advertisement)
    let frame = try #require(Array(Frames(octets)).first)
    let believed = AdvertisedPower(frame.powerAtOneMeter)
    #expect(believed.isDefault)
    #expect(believed.value == -59)
  }

  @Test func majorAndMinorAreUnsignedAndInThatOrder() throws {
    let advertisement = "1a ff 4c 00 02 15 74 27 8b da b6 44 45 20 8f 0c 72 0e af 05 99 35 a1 30 00 07 c5"
    let beacon = try #require(try objects(advertisement).first?.frames.first)
    #expect(beacon["major"] as? Int == 41264)
    #expect(beacon["minor"] as? Int == 7)
    #expect(try decoded(advertisement, .text).contains("major 41264 minor 7"))
  }

  @Test func bothReportsOfAnEventCountWhenOneHoldsATinyStructure() throws {
    let event = hex(Make.legacy(.init([0x02, 0xff, 0x03], rssi: -61), .init(Make.iBeacon, rssi: -62)))
    let reports = try objects(event)
    #expect(reports.map { $0["rssi"] as? Int } == [-61, -62])
    #expect(reports[0].rejected.map { $0["format"] as? String } == ["manufacturer data"])
    #expect(reports[1].frames.count == 1)
    #expect(try decoded(event, .tsv).split(separator: "\n").count == 2)
  }

  @Test func reservedBitsOfAnEventTypeAreMasked() throws {
    let extended: [(UInt16, String)] = [(0x2613, "ADV_IND"), (0xa713, "ADV_IND"), (0x2593, "ADV_IND")]
    for (type, name) in extended {
      let report = try #require(try objects(hex(Make.extended(.init(Make.iBeacon, type: type)))).first)
      #expect(report["pdu"] as? String == name)
      #expect(report["eventType"] as? Int == Int(type))
      #expect(report["dataStatus"] as? String == "complete")
      #expect(report.frames.count == 1)
    }
    let legacy: [(UInt8, String)] = [(0x10, "ADV_IND"), (0x20, "ADV_IND"), (0xa3, "ADV_NONCONN_IND")]
    for (type, name) in legacy {
      let report = try #require(try objects(hex(Make.legacy(.init(Make.iBeacon, type: type)))).first)
      #expect(report["pdu"] as? String == name)
      #expect(report.frames.count == 1)
    }
  }

  @Test func fragmentsAreOneAdvertisementAndTruncatedOnesKeepWhatCame() throws {
    let whole = Make.iBeacon + [0x03, 0x08, 0x61, 0x62]
    for (status, word): (UInt16, String) in [(0, "complete"), (0x40, "truncated")] {
      let event = Make.extended(
        .init(Array(whole[..<20]), type: 0x20), .init(Array(whole[20...]), type: status))
      let reports = try objects(hex(event))
      #expect(reports.count == 1)
      let report = try #require(reports.first)
      #expect(report["dataStatus"] as? String == word)
      #expect(report["fragments"] as? Int == 2)
      #expect(report.frames.count == 1)
    }
    let alone = try #require(try objects(hex(Make.extended(.init(Make.iBeacon, type: 0x40)))).first)
    #expect(alone["dataStatus"] as? String == "truncated")
    #expect(alone.frames.count == 1)
    // One that nothing completes is given as far as it came.
    let open = try objects(hex(Make.extended(.init(Make.iBeacon, type: 0x20))))
    #expect(open.map { $0["dataStatus"] as? String } == ["truncated"])
  }

  @Test func aCaptureOfOddTimesAndCutPacketsIsReadToItsEnd() {
    let event = [0x04] + Make.legacy(.init(Make.iBeacon))
    let epoch: Int64 = 0x00dc_ddb3_0f2f_8000
    let capture = HandmadeCaptures.btsnoop(
      1002,
      [
        .init(event, time: epoch - 86_400_000_000), .init(event, time: epoch + 2_000_000),
        .init(event, time: epoch + 1_000_000),
        .init(Array(event.prefix(20)), time: epoch + 3_000_000, originalLength: UInt32(event.count)),
        .init(event, time: epoch + 4_000_000),
      ])
    let cut = ReadCapture(capture.dropLast(7))
    #expect(
      cut.packets.map { $0.time?.nanoseconds } == [-86_400_000_000_000, 2_000_000_000, 1_000_000_000, 3_000_000_000])
    #expect(cut.packets.map { $0.isCut } == [false, false, false, true])
    #expect(cut.failure == .cutShort(record: 5, offset: UInt64(capture.count - 7)))
    var decoder = ReportDecoder(joiningFragments: true)
    let snapped = decoder.reportsAndFault(cut.packets[3].octets)
    #expect(snapped.reports.isEmpty)
    #expect(snapped.fault?.missing == 1)
  }
}
