import BluetoothLE
import Proximity
import TestSupport
import Testing

struct EngineRangingTests {
  private let tag = Advertisement.iBeacon(major: 1, minor: 7)

  @Test func listsFallOnFullSecondsOfTheWallClock() {
    var scene = EngineScene(at: 100.4)
    scene.hear(tag, at: 100.5)
    scene.advance(to: 103.2)
    #expect(scene.lists.map { $0.time } == [101, 102, 103])
    #expect(scene.lists.map { $0.beacons.count } == [1, 1, 1])
  }

  @Test func aListCountsThePacketsSinceTheOneBefore() {
    var scene = EngineScene()
    for packet in 0..<5 { scene.hear(tag, at: 0.15 + Double(packet) * 0.3) }
    scene.advance(to: 3)
    #expect(scene.lists.map { $0.beacons.first?.packets } == [3, 2, 0])
  }

  @Test func aPacketOfTheListsInstantComesAfterTheList() {
    var scene = EngineScene()
    scene.hear(tag, at: 0.5)
    scene.hear(tag, at: 1)
    scene.advance(to: 2)
    #expect(scene.lists.map { $0.beacons.first?.packets } == [1, 1])
  }

  @Test func distanceComesWithItsIntervalAndProximity() throws {
    var scene = EngineScene()
    for packet in 0..<20 { scene.hear(tag, at: 0.05 + Double(packet) * 0.1, rssi: -59) }
    scene.advance(to: 2)
    let beacon = try #require(scene.lists.last?.beacons.first)
    let estimate = try #require(beacon.estimate)
    // As loud as the beacon says it is at 1 m; the prior, 2.5 m, draws a little outward.
    #expect(estimate.distance > 0.9 && estimate.distance < 1.7)
    #expect(estimate.interval68.low < estimate.distance && estimate.distance < estimate.interval68.high)
    #expect(beacon.proximity == .near)
    #expect(beacon.level.map { abs($0 + 59) < 1e-9 } == true)
    #expect(beacon.lastSeen == UnixTime(nanoseconds: EngineScene.instant(1.95).nanoseconds))
    #expect(beacon.beacon.power.source == .advertised)
  }

  @Test func iBeaconAtOneMetreAndEddystoneAtZeroRangeAlike() throws {
    var scene = EngineScene()
    for packet in 0..<20 {
      scene.hear(tag, at: 0.05 + Double(packet) * 0.2, rssi: -66)
      scene.hear(Advertisement.eddystoneUID(instance: 4, power: -18), at: 0.05 + Double(packet) * 0.2, rssi: -66)
    }
    scene.advance(to: 4)
    let beacons = try #require(scene.lists.last?.beacons)
    #expect(beacons.count == 2)
    #expect(beacons[0].estimate == beacons[1].estimate)
  }

  @Test(arguments: [Int8(30), -3, 0]) func powerThatCannotBeIsNotBelieved(power: Int8) throws {
    var scene = EngineScene()
    for packet in 0..<10 {
      scene.hear(Advertisement.iBeacon(major: 1, minor: 7, power: power), at: 0.1 + Double(packet) * 0.1, rssi: -75)
    }
    scene.advance(to: 2)
    let beacon = try #require(scene.lists.last?.beacons.first)
    #expect(beacon.beacon.power.source == .default)
    #expect(beacon.beacon.power.value == -59)
    #expect(try #require(beacon.estimate).distance < 20)
  }

  @Test func oneStrayPacketAndOneWithoutRSSIDoNotBringABeaconClose() throws {
    var scene = EngineScene()
    for (second, rssi) in [Int8(-70), -65, -72, -31, 127].enumerated() {
      scene.hear(tag, at: Double(second) + 0.5, rssi: rssi)
    }
    scene.advance(to: 5)
    for list in scene.lists {
      let beacon = try #require(list.beacons.first)
      #expect(beacon.proximity == .near)
      #expect(try #require(beacon.estimate).distance > 0.8)
    }
    #expect(scene.lists.count == 5)
  }

  @Test func withoutAnyRSSIABeaconIsListedAsUnknown() throws {
    var scene = EngineScene()
    scene.hear(tag, at: 0.2, rssi: 127)
    scene.hear(tag, at: 0.4, rssi: 127)
    scene.advance(to: 1)
    let beacon = try #require(scene.lists.first?.beacons.first)
    #expect(beacon.proximity == .unknown && beacon.estimate == nil && beacon.level == nil)
    #expect(scene.comings.count == 1)
  }

  @Test func aSilentBeaconGoesUnknownAndLeavesTheListAtItsExit() throws {
    var scene = EngineScene()
    for second in 0..<25 { scene.hear(tag, at: Double(second) + 0.5) }
    scene.advance(to: 100)
    // 24 gaps of 1 s: unknown after 24 (1000^(1/24) - 1) = 8.005 s, exit after 18.420 s.
    let unknown = scene.lists.first { $0.beacons.first?.proximity == .unknown }
    #expect(unknown?.time == 33)
    #expect(scene.lists.last?.time == 43)
    #expect(scene.lists.last?.beacons.isEmpty == true)
    #expect(scene.lists.filter { $0.beacons.isEmpty }.count == 1)
    #expect(scene.comings.last == "42.920 exit beacon iBeacon/1/7 silence after 42.420")
  }

  @Test func theNearestStandsFirstAndUnknownOnesLast() {
    var scene = EngineScene()
    let levels: [Int8] = [-90, -40, 127, -65, -64]
    for (minor, level) in levels.enumerated() {
      let data = Advertisement.iBeacon(major: 1, minor: UInt16(minor))
      for packet in 0..<5 { scene.hear(data, at: Double(packet) * 0.15 + 0.05, rssi: level) }
    }
    scene.advance(to: 1)
    #expect(scene.lists.last?.beacons.map { $0.beacon.identity.minor } == [1, 4, 3, 0, 2])
  }

  @Test func aLongListIsCutAndSaysSo() throws {
    var scene = EngineScene()
    for minor in 0..<300 { scene.hear(Advertisement.iBeacon(major: 2, minor: UInt16(minor)), at: 0.5, rssi: -70) }
    scene.advance(to: 1)
    let event = try #require(scene.events.events.last)
    guard case .didRange(let range, let omitted) = event.content else {
      Issue.record("no list")
      return
    }
    #expect(range.count == 256)
    #expect(omitted == 44)
  }

  @Test func telemetryJoinsTheBeaconOfItsAddressWithin30Seconds() throws {
    var scene = EngineScene()
    let telemetry = Advertisement.eddystoneTLM(millivolts: 2900, temperature: 21 * 256 + 128)
    scene.hear(Advertisement.eddystoneUID(instance: 4), at: 0.1, address: 0xd0_0000_0000_01)
    scene.hear(Advertisement.eddystoneUID(instance: 5), at: 0.1, address: 0xd0_0000_0000_02)
    scene.hear(telemetry, at: 30.0, address: 0xd0_0000_0000_01)
    scene.hear(telemetry, at: 30.2, address: 0xd0_0000_0000_02)
    scene.hear(telemetry, at: 30.2, address: 0xd0_0000_0000_03)
    scene.advance(to: 31)
    let beacons = try #require(scene.lists.last?.beacons)
    #expect(beacons.count == 2)
    let joined = beacons.first { $0.beacon.identity.uuid.low & 0xff == 4 }
    #expect(joined?.beacon.telemetry?.battery == 2.9)
    #expect(joined?.beacon.telemetry?.temperature == 21.5)
    #expect(joined?.beacon.telemetry?.uptime == 8)
    #expect(beacons.first { $0.beacon.identity.uuid.low & 0xff == 5 }?.beacon.telemetry == nil)
  }

  @Test func nothingDependsOnHowTimeIsCutUp() {
    var whole = EngineScene()
    var cut = EngineScene()
    var random = SplitMix(seed: 11)
    for packet in 0..<2000 {
      let seconds = Double(packet) * 0.11
      let data = Advertisement.iBeacon(major: 1, minor: UInt16(packet % 7))
      let rssi = Int8(-50 - Int(random.next() % 45))
      whole.hear(data, at: seconds, rssi: rssi)
      for part in 1...3 where random.next() % 3 == 0 { cut.advance(to: seconds - 0.11 + 0.03 * Double(part)) }
      cut.hear(data, at: seconds, rssi: rssi)
    }
    whole.advance(to: 2000)
    for second in 221...2000 { cut.advance(to: Double(second)) }
    #expect(whole.lines == cut.lines)
    #expect(whole.lists.map { $0.time } == cut.lists.map { $0.time })
    #expect(
      whole.lists.map { $0.beacons.map { $0.estimate?.distance } }
        == cut.lists.map { $0.beacons.map { $0.estimate?.distance } })
  }

  @Test func hostileInstantsNeitherTrapNorHang() {
    var scene = EngineScene()
    for nanoseconds in [Int64.min, 0, .max, -1, .max - 1, 1, .min + 1, 5_000_000_000] {
      let event = Advertisement.legacyEvent(tag, address: 1, rssi: -60)
      event.withUnsafeBytes { octets in
        guard let event = HCIEvent(Octets(octets)), var reports = AdvertisingReports(event) else { return }
        while let report = reports.next() {
          scene.engine.take(report, from: 0, at: Instant(nanoseconds: nanoseconds), &scene.events)
        }
      }
    }
    #expect(scene.lines.count > 1)
  }
}
