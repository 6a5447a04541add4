import BluetoothLE
import Inspection
import Linux
import TestSupport
import Testing

/// What `beacons --yaml` prints, as libyaml reads it.
struct CensusYAMLTests {
  private func yaml(_ advertisements: [[UInt8]]) throws -> YAML {
    try YAML(parsing: text(advertisements))
  }

  private func text(_ advertisements: [[UInt8]]) -> String {
    var census = BeaconCensus()
    for data in advertisements {
      Advertisement.legacyEvent(data, address: 0xc0_0000_0000_01, rssi: -60).withUnsafeBytes { octets in
        guard let event = HCIEvent(Octets(octets)), var reports = AdvertisingReports(event) else { return }
        while let report = reports.next() { census.count(report, at: nil) }
      }
    }
    let descriptor = FileDescriptor.standardOutput
    var output = OutputBuffer(descriptor)
    output.put(yaml: census)
    defer { output.discard() }
    return output.withWaiting { String(decoding: $0, as: UTF8.self) }
  }

  @Test func beaconsOfOneUUIDAreOneRegionAndEachHasAName() throws {
    let document = try yaml([
      Advertisement.iBeacon(major: 1, minor: 7), Advertisement.iBeacon(major: 1, minor: 8),
      Advertisement.iBeacon(major: 1, minor: 7),
    ])
    let uuid = YAML.scalar("01020304-0506-0708-090a-0b0c0d0e0f10")
    #expect(document["regions"]?.count == 1)
    #expect(document["regions"]?[0]?["id"] == .scalar("ibeacon-01020304"))
    #expect(document["regions"]?[0]?["match"]?[0]?["ibeacon"] == .mapping(["uuid": uuid]))
    #expect(document["regions"]?[0]?["each"] == .scalar("true"))
    #expect(document["beacons"]?.count == 2)
    // The one heard most often stands first.
    #expect(document["beacons"]?[0]?["name"] == .scalar("ibeacon-01020304-1-7"))
    #expect(
      document["beacons"]?[1]?["match"]?["ibeacon"]
        == .mapping(["uuid": uuid, "major": .scalar("1"), "minor": .scalar("8")]))
  }

  @Test func everyKindIsWrittenInTheConfigurationsWords() throws {
    let document = try yaml([
      Advertisement.altBeacon(unit: 3), Advertisement.eddystoneUID(instance: 4),
      Advertisement.eddystone([0x10, 0xee, 0x03] + Array("a".utf8) + [0x07] + Array("#x:\"y".utf8)),
    ])
    let matches = (0..<3).compactMap { document["beacons"]?[$0]?["match"] }
    #expect(
      matches.contains(
        .mapping(["altbeacon": .mapping(["id": .scalar("0102030405060708090a0b0c0d0e0f1011121303")])])))
    #expect(
      matches.contains(
        .mapping([
          "eddystone-uid": .mapping([
            "namespace": .scalar("0102030405060708090a"), "instance": .scalar("000000000004"),
          ])
        ])))
    #expect(matches.contains(.mapping(["eddystone-url": .scalar("https://a.com#x:\"y")])))
    #expect(document["regions"]?.count == 3)
  }

  @Test func namesAreGivenOnce() throws {
    let urls = (UInt8(ascii: "a")...UInt8(ascii: "c")).map { Advertisement.eddystone([0x10, 0, 0x03, $0]) }
    let document = try yaml(urls)
    let names = (0..<3).compactMap { document["beacons"]?[$0]?["name"] }
    #expect(names == [.scalar("eddystone-url"), .scalar("eddystone-url-2"), .scalar("eddystone-url-3")])
  }

  @Test func identitiesThatChangeAreLeftOutAndSaidSo() {
    let text = text([Advertisement.eddystone([0x30, 0xee, 1, 2, 3, 4, 5, 6, 7, 8])])
    #expect(text.hasPrefix("# Left out: 1 Eddystone-EID, whose identity changes.\n"))
    #expect(text.contains("# No beacon that a region could match."))
  }
}
