import BluetoothLE
import Foundation
import Inspection
import Linux
import TestSupport
import Testing

struct ReportWriterTests {
  private typealias Make = HandmadeEvents

  private func line(
    _ format: ReportFormat, _ octets: [UInt8], as content: CapturedPacket.Content = .hci(.event),
    at time: UnixTime? = UnixTime(seconds: 1_717_228_800, fraction: 1_000), beaconsOnly: Bool = false
  ) -> String {
    let packet = CapturedPacket(
      record: 42, time: time, adapter: 3, content: content, octets: kept(octets), isCut: false)
    return written { output in
      let writer = ReportWriter(format, beaconsOnly: beaconsOnly)
      var decoder = ReportDecoder(joiningFragments: format != .tsv)
      let fault = decoder.decode(packet) { writer.put($0, of: packet, into: &output) }
      if let fault { writer.put(fault, of: packet, into: &output) }
    }
  }

  // MARK: tsv

  @Test func aListLineHasNineColumns() {
    #expect(
      line(.tsv, Make.legacy(.init([2, 1, 6], rssi: -61)))
        == "42\t1717228800.000001\thci02\t0x00\t1\tc0:00:00:00:00:01\t-61\t-\t020106\n")
    #expect(
      line(.tsv, Make.extended(.init([], type: 0x0013, rssi: 127)), at: nil)
        == "42\t-\thci0d\t0x0013\t1\tc0:00:00:00:00:01\t127\t-\t\n")
    #expect(
      line(
        .tsv, HandmadeCaptures.linkLayerPacket([2, 1, 6]), as: .linkLayer(RadioHeader()),
        at: UnixTime(nanoseconds: -1000))
        == "42\t-0.000001\tll\t0x02\t1\tc0:00:00:00:00:01\t-\tok\t020106\n")
  }

  @Test func missingReportsAreListedAndDirectedOnesAreNot() {
    let cut = Array(Make.legacy(.init([2, 1, 6]), .init([2, 1, 6]), .init([2, 1, 6])).prefix(25))
    let lines = line(.tsv, cut).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1] == "42\t1717228800.000001\tcut\t-\t-\t-\t-\t-\t-")
    #expect(lines[2] == lines[1])
    #expect(line(.tsv, [0x3e, 18, 0x0b, 1] + [UInt8](repeating: 1, count: 16)) == "")
  }

  // MARK: JSON

  private func object(
    _ octets: [UInt8], as content: CapturedPacket.Content = .hci(.event), beaconsOnly: Bool = false
  ) throws -> [String: Any] {
    let text = line(.json, octets, as: content, beaconsOnly: beaconsOnly)
    #expect(text.filter { $0 == "\n" }.count == 1)
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test func anObjectSaysAllThatIsKnownOfAReport() throws {
    let report = try object(Make.extended(.init(Make.iBeacon, type: 0, sid: 5, rssi: 127)))
    #expect(report["record"] as? Int == 42)
    #expect(report["time"] as? Double == 1_717_228_800.000001)
    #expect(report["adapter"] as? Int == 3)
    #expect(report["kind"] as? String == "hci0d")
    #expect(report["pdu"] as? String == "AUX_ADV_IND")
    #expect(report["rssi"] is NSNull)
    #expect(report["crc"] is NSNull)
    #expect(report["primaryPHY"] as? String == "1M")
    #expect(report["secondaryPHY"] as? String == "2M")
    #expect(report["sid"] as? Int == 5)
    #expect(report["txPower"] is NSNull)
    #expect(report["periodicInterval"] as? Double == 0)
    #expect(report["dataStatus"] as? String == "complete")
    #expect(report["fragments"] as? Int == 1)
    #expect(report["directAddress"] == nil)
    #expect(report["data"] as? String == Make.iBeacon.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    #expect(report["adStatus"] as? String == "complete")
    let frame = try #require(report.frames.first)
    #expect(frame["uuid"] as? String == "10111213-1415-1617-1819-1a1b1c1d1e1f")
    #expect(frame["major"] as? Int == 1)
    #expect(frame["minor"] as? Int == 2)
    #expect(frame["measuredPower"] as? Int == -59)
  }

  @Test func aDirectedReportNamesWhomItIsFor() throws {
    let report = try object([
      0x3e, 18, 0x0b, 1, 0x01, 0x00, 6, 5, 4, 3, 2, 1, 0x01, 0xf, 0xe, 0xd, 0xc, 0xb, 0xa, 0xc4,
    ])
    #expect(report["directAddress"] as? String == "0a:0b:0c:0d:0e:0f")
    #expect(report["directAddressType"] as? Int == 1)
    #expect(report["data"] as? String == "")
  }

  @Test func frameIsBelievedOnlyWhenTheChecksumHolds() throws {
    let good = HandmadeCaptures.linkLayerPacket(Make.iBeacon)
    #expect(try object(good, as: .linkLayer(RadioHeader())).frames.count == 1)
    var bad = good
    bad[bad.count - 1] ^= 1
    let report = try object(bad, as: .linkLayer(RadioHeader()))
    #expect(report["crc"] as? String == "bad")
    #expect(report.frames.isEmpty)
    #expect(line(.text, bad, as: .linkLayer(RadioHeader())).contains("wrong CRC"))
    #expect(line(.json, bad, as: .linkLayer(RadioHeader()), beaconsOnly: true) == "")
    let cut = try object(Array(good.dropLast(3)), as: .linkLayer(RadioHeader()))
    #expect(cut["crc"] as? String == "cut")
    #expect(cut.frames.isEmpty)
  }

  @Test func anObjectNamesWhatLooksLikeAFrameAndIsNone() throws {
    let report = try object([2, 1, 6, 5, 0x16, 0xaa, 0xfe, 0x20, 0x02, 2, 0xff, 3], as: .advertisement)
    #expect(report.frames.isEmpty)
    #expect(report.rejected.map { $0["format"] as? String } == ["eddystone-tlm", "manufacturer data"])
    // The version octet, and the manufacturer data.
    #expect(report.rejected.map { $0["offset"] as? Int } == [8, 11])
    #expect(report["address"] is NSNull)
    #expect(report["rssi"] is NSNull)
  }

  @Test func aBrokenEventIsAnObjectOfItsOwn() throws {
    let cut = Array(Make.legacy(.init([2, 1, 6])).dropLast())
    let report = try object(cut)
    #expect(report["kind"] as? String == "cut")
    #expect(report["missing"] as? Int == 1)
    #expect(report["malformed"] as? String == "report 1 of 1: data length 3 runs past the event")
    #expect(report["address"] is NSNull)
    #expect(line(.text, cut).contains("broken event: report 1 of 1"))
  }

  /// Every frame as an object: what is absent is null, and URLs are escaped.
  @Test func framesAreObjects() throws {
    func frame(_ octets: [UInt8]) throws -> [String: Any] {
      try #require(try object([UInt8(octets.count)] + octets, as: .advertisement).frames.first)
    }
    let telemetry = try frame([0x16, 0xaa, 0xfe, 0x20, 0, 0, 0, 0x80, 0, 0, 0, 0, 1, 0, 0, 0, 15])
    #expect(telemetry["battery"] is NSNull)
    #expect(telemetry["temperature"] is NSNull)
    #expect(telemetry["advertisements"] as? Int == 1)
    #expect(telemetry["uptime"] as? Double == 1.5)
    let cold = try frame([0x16, 0xaa, 0xfe, 0x20, 0, 0x0b, 0xb8, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 15])
    #expect(cold["battery"] as? Double == 3)
    // -1/256 °C rounds to no negative zero.
    #expect(cold["temperature"] as? Double == 0)
    #expect(
      line(.json, [17, 0x16, 0xaa, 0xfe, 0x20, 0, 0x0b, 0xb8, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 15], as: .advertisement)
        .contains("\"temperature\":0.00,"))
    let url = try frame([0x16, 0xaa, 0xfe, 0x10, 0xee, 0x03] + Array("a\"b\\c".utf8))
    #expect(url["url"] as? String == "https://a\"b\\c")
    #expect(url["txPower"] as? Int == -18)
    let uid = try frame([0x16, 0xaa, 0xfe, 0x00, 0xee] + [UInt8](1...16))
    #expect(uid["namespace"] as? String == "0102030405060708090a")
    #expect(uid["instance"] as? String == "0b0c0d0e0f10")
    #expect(uid["rfu"] == nil)
    let alt = try frame([0xff, 0x18, 0x01, 0xbe, 0xac] + [UInt8](1...20) + [0xc5, 0x09])
    #expect(alt["id"] as? String == "0102030405060708090a0b0c0d0e0f1011121314")
    #expect(alt["manufacturer"] as? Int == 280)
    #expect(alt["referenceRSSI"] as? Int == -59)
    #expect(alt["reserved"] as? Int == 9)
    let eid = try frame([0x16, 0xaa, 0xfe, 0x30, 0xee, 1, 2, 3, 4, 5, 6, 7, 8])
    #expect(eid["eid"] as? String == "0102030405060708")
    let encrypted = try frame([0x16, 0xaa, 0xfe, 0x20, 1] + [UInt8](1...16))
    #expect(encrypted["encrypted"] as? String == "0102030405060708090a0b0c")
    #expect(encrypted["salt"] as? String == "0d0e")
    #expect(encrypted["mic"] as? String == "0f10")
  }

  // MARK: Beacons only

  @Test func beaconsOnlyLeavesOutTheRest() throws {
    #expect(line(.json, Make.legacy(.init([2, 1, 6])), beaconsOnly: true) == "")
    #expect(line(.text, Make.legacy(.init([2, 1, 6])), beaconsOnly: true) == "")
    #expect(line(.tsv, Make.legacy(.init([2, 1, 6])), beaconsOnly: true) == "")
    #expect(line(.json, Array(Make.legacy(.init([2, 1, 6])).dropLast()), beaconsOnly: true) == "")
    let report = try object(Make.legacy(.init(Make.iBeacon)), beaconsOnly: true)
    #expect(Set(report.keys) == ["record", "time", "address", "rssi", "frames"])
    #expect(report.frames.count == 1)
  }

  // MARK: Text

  @Test func aNameCannotActOnATerminal() {
    let name = Array("\u{1b}[2Jx\u{202e}y\n".utf8)
    let text = line(.text, [UInt8(name.count + 1), 0x09] + name, as: .advertisement)
    #expect(text.contains("name \"\\u{1b}[2Jx\\u{202e}y\\u{a}\""))
    #expect(text.filter { $0 == "\n" }.count == 1)
  }

  @Test func textIsForAPerson() {
    let text = line(.text, Make.legacy(.init(Make.iBeacon, rssi: -61)))
    #expect(text.hasPrefix("2024-06-01 08:00:00.000001  -61 dBm  c0:00:00:00:00:01 random  ADV_IND, company 0x004c\n"))
    #expect(
      text.hasSuffix("\n    iBeacon 10111213-1415-1617-1819-1a1b1c1d1e1f major 1 minor 2, -59 dBm at 1 m\n"))
    let untimed = line(.text, [2, 0x0a, 0xf6], as: .advertisement, at: nil)
    #expect(untimed.hasPrefix("#42       no RSSI  no address"))
    #expect(untimed.hasSuffix("advertisement, tx power -10 dBm\n"))
  }

  /// No octets of an advertisement make JSON that is none.
  @Test func everyAdvertisementMakesAnObject() throws {
    var random = SplitMix(seed: 7)
    for _ in 0..<2000 {
      var octets: [UInt8] = []
      while octets.count < 40 {
        let starts: [[UInt8]] = [
          [0x16, 0xaa, 0xfe, 0x10], [0x16, 0xaa, 0xfe, 0x20], [0xff, 0x4c, 0, 2, 0x15], [0xff, 1, 0, 0xbe, 0xac],
          [0x09],
        ]
        var structure = starts[Int(random.next() % 5)]
        for _ in 0..<random.next() % 24 { structure.append(UInt8(random.next() % 128)) }
        octets += [UInt8(structure.count)] + structure
      }
      let report = try object(octets, as: .advertisement)
      #expect(report["adStructures"] is [Any])
      #expect(!line(.text, octets, as: .advertisement).isEmpty)
    }
  }
}
