import BluetoothLE
import Proximity
import TestSupport
import Testing

/// What regions match, zones, assumptions, and regions that come and go.
struct EngineRegionTests {
  private let tag = Advertisement.iBeacon(major: 1, minor: 7)
  private let uuid = UUID128(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c_0d0e_0f10)

  private func scene(_ regions: BeaconRegion..., beacons: [NamedBeacon] = [], most: Int = 4096) -> EngineScene {
    var settings = EngineSettings()
    settings.regions = regions
    settings.beacons = beacons
    settings.mostBeacons = most
    return EngineScene(settings)
  }

  private func enters(_ scene: EngineScene) -> [String] {
    scene.events.events.compactMap { event in
      if case .didEnter = event.content { event.region } else { nil }
    }
  }

  // MARK: Patterns

  @Test func wildcardsMatchFromTheWholeUUIDToOneBeacon() {
    var scene = scene(
      BeaconRegion(id: "uuid", patterns: [.iBeacon(uuid: uuid, major: nil, minor: nil)]),
      BeaconRegion(id: "major", patterns: [.iBeacon(uuid: uuid, major: 1, minor: nil)]),
      BeaconRegion(id: "minor", patterns: [.iBeacon(uuid: uuid, major: 1, minor: 7)]),
      BeaconRegion(id: "other minor", patterns: [.iBeacon(uuid: uuid, major: 1, minor: 8)]),
      BeaconRegion(id: "other major", patterns: [.iBeacon(uuid: uuid, major: 2, minor: nil)]),
      BeaconRegion(id: "other uuid", patterns: [.iBeacon(uuid: UUID128(high: 0, low: 0), major: nil, minor: nil)]))
    scene.hear(tag, at: 1)
    #expect(enters(scene) == ["uuid", "major", "minor"])
  }

  @Test func everyKindOfPatternMatchesItsOwn() {
    let namespace = EddystoneNamespace(high: 0x0102_0304_0506_0708, low: 0x090a)
    var scene = scene(
      BeaconRegion(id: "namespace", patterns: [.eddystoneUID(namespace: namespace, instance: nil)]),
      BeaconRegion(id: "instance", patterns: [.eddystoneUID(namespace: namespace, instance: 4)]),
      BeaconRegion(id: "other instance", patterns: [.eddystoneUID(namespace: namespace, instance: 5)]),
      BeaconRegion(id: "url", patterns: [.eddystoneURL("https://a.com", isPrefix: false)]),
      BeaconRegion(id: "url prefix", patterns: [.eddystoneURL("https://a", isPrefix: true)]),
      BeaconRegion(id: "other url", patterns: [.eddystoneURL("https://a", isPrefix: false)]),
      BeaconRegion(id: "alt16", patterns: [.altBeacon(organization: uuid, unit: 0, unitBits: 0)]),
      BeaconRegion(id: "alt18", patterns: [.altBeacon(organization: uuid, unit: 0x1112_0000, unitBits: 16)]),
      BeaconRegion(id: "alt20", patterns: [.altBeacon(organization: uuid, unit: 0x1112_1303, unitBits: 32)]),
      BeaconRegion(id: "other alt", patterns: [.altBeacon(organization: uuid, unit: 0x1112_1304, unitBits: 32)]),
      BeaconRegion(id: "address", patterns: [.address(DeviceAddress(0xc000_0000_0099))]))
    scene.hear(Advertisement.eddystoneUID(instance: 4), at: 1)
    #expect(enters(scene) == ["namespace", "instance"])
    scene.hear(Advertisement.eddystone([0x10, 0xee, 0x03, UInt8(ascii: "a"), 0x07]), at: 2)
    #expect(enters(scene).suffix(2) == ["url", "url prefix"])
    scene.hear(Advertisement.altBeacon(unit: 3), at: 3)
    #expect(enters(scene).suffix(3) == ["alt16", "alt18", "alt20"])
    scene.hear([0x02, 0x01, 0x06], at: 4, address: 0xc000_0000_0099)
    #expect(enters(scene).suffix(1) == ["address"])
    #expect(enters(scene).count == 8)
  }

  @Test func aBeaconThatManyPatternsOfARegionMatchIsInItOnce() {
    var scene = scene(
      BeaconRegion(
        id: "r",
        patterns: [
          .any, .iBeacon(uuid: uuid, major: nil, minor: nil), .iBeacon(uuid: uuid, major: 1, minor: 7),
        ], each: true))
    scene.hear(tag, at: 1)
    #expect(scene.comings.count == 1)
  }

  @Test func beaconsOfNobodysConcernTakeNoPlace() {
    var scene = scene(BeaconRegion(id: "mine", patterns: [.iBeacon(uuid: uuid, major: 1, minor: 7)]), most: 2)
    scene.hear(tag, at: 0.5)
    for minor in 100..<10_000 {
      scene.hear(Advertisement.iBeacon(major: 9, minor: UInt16(minor)), at: 1 + Double(minor) * 0.001)
    }
    #expect(enters(scene) == ["mine"])
    #expect(!scene.lines.contains { $0.contains("exit") })
  }

  @Test func strangersGiveWayBeforeThoseInsideAndNamedOnesNever() {
    let named = NamedBeacon(name: "cart", pattern: .iBeacon(uuid: uuid, major: 1, minor: 7))
    var scene = scene(.everything, beacons: [named], most: 4)
    scene.hear(tag, at: 0, rssi: -90)
    scene.hear(Advertisement.iBeacon(major: 1, minor: 8), at: 1)
    for minor in 100..<400 {
      scene.hear(Advertisement.iBeacon(major: 9, minor: UInt16(minor)), at: 2 + Double(minor) * 0.01, rssi: -90)
    }
    #expect(scene.comings == ["1.000 enter beacon iBeacon/1/8"])
    scene.hear(tag, at: 7, rssi: -90)
    // The named one has kept its first packet.
    #expect(scene.comings.last == "7.000 enter beacon iBeacon/1/7")
  }

  @Test func namesAndCalibrationsGoWithTheBeacon() throws {
    let named = NamedBeacon(name: "cart", pattern: .iBeacon(uuid: uuid, major: 1, minor: 7), measuredPower: -70)
    var scene = scene(.everything, beacons: [named])
    scene.hear(tag, at: 0.5)
    scene.advance(to: 1)
    let beacon = try #require(scene.lists.first?.beacons.first)
    #expect(beacon.beacon.name == "cart")
    #expect(beacon.beacon.power.value == -70)
    #expect(beacon.beacon.power.source == .calibrated)
  }

  @Test func devicesOfOneIdentityCanBeToldApart() {
    var scene = scene(
      BeaconRegion(id: "one", patterns: [.any], each: true),
      BeaconRegion(id: "each device", patterns: [.any], each: true, distinguishesAddresses: true))
    scene.hear(tag, at: 1, address: 0xc000_0000_0001)
    scene.hear(tag, at: 2, address: 0xc000_0000_0002)
    let enters = scene.events.events.compactMap { event in
      if case .didEnter(.beacon(let beacon)) = event.content {
        "\(event.region) \(beacon.identity.deviceAddress?.value ?? 0)"
      } else {
        nil
      }
    }
    #expect(enters == ["one 0", "each device 211106232532993", "each device 211106232532994"])
  }

  // MARK: Zones

  @Test func aZoneIsEnteredNearAndLeftFar() {
    let limit = ZoneLimit(meters: 3)
    var scene = scene(BeaconRegion(id: "zone", patterns: [.any], each: true, zone: limit))
    for packet in 0..<20 { scene.hear(tag, at: Double(packet) * 0.5, rssi: -85) }
    #expect(scene.comings.isEmpty)
    for packet in 20..<60 { scene.hear(tag, at: Double(packet) * 0.5, rssi: -55) }
    #expect(scene.comings.count == 1)
    for packet in 60..<120 { scene.hear(tag, at: Double(packet) * 0.5, rssi: -85) }
    #expect(scene.comings.count == 2)
    #expect(scene.comings.last?.contains("zone") == true)
  }

  @Test func oneStrayStrongReportEntersNoZone() {
    var scene = scene(BeaconRegion(id: "zone", patterns: [.any], each: true, zone: ZoneLimit(meters: 3)))
    for packet in 0..<20 { scene.hear(tag, at: Double(packet), rssi: -88) }
    scene.hear(tag, at: 20, rssi: -30)
    for packet in 21..<40 { scene.hear(tag, at: Double(packet), rssi: -88) }
    #expect(scene.comings.isEmpty)
  }

  @Test func aSilentBeaconKeepsItsZoneUntilItsExit() {
    var scene = scene(BeaconRegion(id: "zone", patterns: [.any], each: true, zone: ZoneLimit(meters: 3)))
    for packet in 0..<25 { scene.hear(tag, at: Double(packet), rssi: -50) }
    scene.advance(to: 42)
    #expect(scene.comings.count == 1)
    scene.advance(to: 43)
    #expect(scene.comings.last?.contains("silence") == true)
  }

  // MARK: Settings

  @Test func aRegionMaySetItsSilenceAndItsPackets() {
    var scene = scene(
      BeaconRegion(id: "quick", patterns: [.any], each: true, exitAfter: 2, entersOnFirstPacket: true),
      BeaconRegion(id: "slow", patterns: [.any], each: true, exitAfter: 600))
    scene.hear(tag, at: 1, rssi: -90)
    scene.hear(tag, at: 1.5, rssi: -90)
    scene.advance(to: 1000)
    #expect(
      scene.comings == [
        "1.000 enter beacon iBeacon/1/7", "1.500 enter beacon iBeacon/1/7",
        "3.500 exit beacon iBeacon/1/7 silence after 2.500", "601.500 exit beacon iBeacon/1/7 silence after 600.000",
      ])
  }

  @Test func aRegionAssumedInsideLeavesWithoutEvidenceOfAnybody() {
    var scene = scene(BeaconRegion(id: "r", patterns: [.any], assuming: .inside))
    scene.hear([0x02, 0x01, 0x06], at: 1)
    scene.advance(to: 1000)
    #expect(
      scene.lines == ["0.000 monitor r", "180.000 outside region", "180.000 exit region unobserved after 180.000"])
  }

  @Test func aRegionAssumedInsideIsConfirmedWithoutAnEnter() {
    var scene = scene(BeaconRegion(id: "r", patterns: [.any], assuming: .inside))
    scene.hear(tag, at: 1)
    #expect(scene.lines == ["0.000 monitor r"])
    scene.advance(to: 1000)
    #expect(scene.lines.suffix(1) == ["181.000 exit region iBeacon/1/7 silence after 181.000"])
  }

  @Test func aRegionOfUnknownStateIsOutsideAfterThirtySeconds() {
    var scene = scene(BeaconRegion(id: "r", patterns: [.any], assuming: .unknown))
    scene.advance(to: 100)
    #expect(scene.lines == ["0.000 monitor r", "30.000 outside region"])
  }

  // MARK: At run time

  @Test func aRegionThatIsRemovedIsLeft() {
    var scene = scene(.everything)
    scene.hear(tag, at: 1)
    scene.engine.remove("everything", at: EngineScene.instant(2), &scene.events)
    scene.hear(tag, at: 3)
    scene.advance(to: 1000)
    #expect(
      scene.lines.suffix(4) == [
        "2.000 outside beacon iBeacon/1/7", "2.000 exit beacon iBeacon/1/7 removed after 1.000",
        "2.000 outside region iBeacon/1/7", "2.000 exit region iBeacon/1/7 removed after 1.000",
      ])
  }

  @Test func aBeaconThatIsHeardWithoutARegionKeepsNothingRunning() {
    var scene = scene(.everything)
    scene.hear(tag, at: 1)
    scene.engine.remove("everything", at: EngineScene.instant(2), &scene.events)
    scene.hear(tag, at: 3)
    scene.advance(to: 300)
    #expect(scene.engine.nextDeadline == nil)
  }

  @Test func aRegionThatIsAddedTakesTheNextPackets() {
    var scene = scene(.everything)
    for second in 0..<10 { scene.hear(tag, at: Double(second)) }
    let region = BeaconRegion(id: "late", patterns: [.iBeacon(uuid: uuid, major: 1, minor: nil)])
    scene.engine.add(region, at: EngineScene.instant(10), &scene.events)
    scene.engine.add(region, at: EngineScene.instant(10), &scene.events)
    scene.hear(tag, at: 10.5)
    #expect(
      scene.lines.suffix(4) == [
        "10.000 monitor late", "10.000 fail late duplicate", "10.500 inside region iBeacon/1/7",
        "10.500 enter region iBeacon/1/7",
      ])
  }

  @Test func aChangedDefinitionStartsAnew() {
    var scene = scene(.everything)
    scene.hear(tag, at: 1)
    var changed = BeaconRegion.everything
    changed.each = false
    scene.engine.add(changed, at: EngineScene.instant(2), &scene.events)
    scene.hear(tag, at: 3)
    #expect(
      scene.lines.suffix(3) == [
        "2.000 monitor everything", "3.000 inside region iBeacon/1/7", "3.000 enter region iBeacon/1/7",
      ])
  }

  @Test func theStateIsSaidOnRequest() {
    var scene = scene(.everything)
    scene.hear(tag, at: 1)
    let known = scene.engine.requestState("everything", at: EngineScene.instant(2), &scene.events)
    let unknown = scene.engine.requestState("nothing", at: EngineScene.instant(2), &scene.events)
    #expect(known && !unknown)
    #expect(scene.lines.last == "2.000 inside region")
  }
}
