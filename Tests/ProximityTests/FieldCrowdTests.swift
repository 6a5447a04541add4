import BluetoothLE
import Proximity
import TestSupport
import Testing

/// Addresses that change, crowds of strangers, and wall clocks that jump.
struct FieldCrowdTests {
  private let tag = Advertisement.iBeacon(major: 1, minor: 7)

  // MARK: Addresses

  /// A private address that goes A, B, A within 2 s, for every kind and for hours.
  @Test func aBeaconWhoseAddressRotatesIsOneBeacon() {
    let kinds = [
      tag, Advertisement.altBeacon(unit: 3), Advertisement.eddystoneUID(instance: 4),
      Advertisement.eddystone([0x10, 0xee, 0x03, UInt8(ascii: "a"), 0x07]),
      Advertisement.eddystone([0x30, 0xee, 1, 2, 3, 4, 5, 6, 7, 8]),
    ]
    for data in kinds {
      var scene = EngineScene()
      for packet in 0..<4000 {
        // Each quarter of an hour a new one, and the old one once more.
        let period = UInt64(packet / 900)
        let isLate = packet % 900 == 1
        let address = 0x4a00_0000_0000 &+ (isLate ? period &- 1 : period)
        scene.hear(data, at: Double(packet), rssi: -80, address: address & 0xffff_ffff_ffff, adapter: packet % 2)
      }
      scene.advance(to: 4000)
      #expect(scene.comings.count == 1)
      #expect(scene.lists.count > 3900 && scene.lists.allSatisfy { $0.beacons.count <= 1 })
      #expect(scene.lists.dropFirst(2).allSatisfy { $0.beacons.first?.estimate != nil })
      scene.advance(to: 5000)
      #expect(scene.comings.count == 2)
    }
  }

  @Test func telemetryFollowsTheAddressThatRotates() {
    var scene = EngineScene()
    let addresses: [UInt64] = [0x4a00_0000_000a, 0x4b00_0000_000b, 0x4a00_0000_000a]
    for (number, address) in addresses.enumerated() {
      let seconds = 0.2 + Double(number) * 0.7
      scene.hear(Advertisement.eddystoneUID(instance: 4), at: seconds, address: address)
      let millivolts = UInt16(2900 + number)
      scene.hear(
        Advertisement.eddystoneTLM(millivolts: millivolts, temperature: 256), at: seconds + 0.1, address: address)
    }
    scene.advance(to: 2)
    #expect(scene.lists.last?.beacons.map { $0.beacon.telemetry?.battery } == [2.902])
  }

  // MARK: Crowds

  private let uuid = UUID128(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c_0d0e_0f10)

  /// Ten beacons that are known by name, and one that is not, once a second; among them whatever `stranger` sends, 167
  /// times a second from second 30 to second 90.
  private func crowd(
    settings: EngineSettings = EngineSettings(), _ stranger: (Int, inout SplitMix) -> (data: [UInt8], rssi: Int8)
  ) -> EngineScene {
    var settings = settings
    settings.beacons = (0..<10).map {
      NamedBeacon(name: "tag \($0)", pattern: .iBeacon(uuid: uuid, major: 1, minor: UInt16($0)))
    }
    var random = SplitMix(seed: 32)
    var scene = EngineScene(settings)
    for second in 0..<110 {
      for minor in 0...10 {
        let data = Advertisement.iBeacon(major: 1, minor: UInt16(minor))
        let address = 0xc000_0000_0000 + UInt64(minor)
        scene.hear(data, at: Double(second) + 0.1 + 0.001 * Double(minor), rssi: -65, address: address)
      }
      guard (30..<90).contains(second) else { continue }
      for packet in 0..<167 {
        let (data, rssi) = stranger((second - 30) * 167 + packet, &random)
        let seconds = Double(second) + 0.15 + 0.005 * Double(packet)
        scene.hear(data, at: seconds, rssi: rssi, address: random.next() & 0x3fff_ffff_ffff | 0x4000_0000_0000)
      }
    }
    scene.advance(to: 110)
    return scene
  }

  private func isKnown(_ beacon: BeaconIdentity) -> Bool { beacon.major == 1 && beacon.minor < 10 }

  /// No known beacon left, and none is missing from any list.
  private func expectNothingLost(_ scene: EngineScene) {
    for minor in 0...9 {
      #expect(scene.comings.filter { $0.hasSuffix(" enter beacon iBeacon/1/\(minor)") }.count == 1)
      #expect(!scene.comings.contains { $0.contains(" exit beacon iBeacon/1/\(minor) ") })
    }
    #expect(scene.lists.count == 110)
    for list in scene.lists {
      let known = list.beacons.filter { isKnown($0.beacon.identity) }
      #expect(known.count == 10 && known.allSatisfy { $0.estimate != nil && $0.packets == 1 })
    }
  }

  @Test func tenThousandRandomAddressesInAMinuteAreNobody() {
    let kinds: [[UInt8]] = [
      [0x02, 0x01, 0x1a, 0x0a, 0xff, 0x4c, 0x00, 0x10, 0x05, 1, 2, 3, 4, 5],
      Advertisement.eddystoneTLM(millivolts: 2900, temperature: 256), [0x03, 0xff, 0x4c, 0x00, 0xff], [],
    ]
    let alone = crowd { _, _ in ([], -60) }
    let scene = crowd { number, random in (kinds[number % 4], Int8(-30 - Int(random.next() % 65))) }
    expectNothingLost(scene)
    #expect(scene.lines.count == alone.lines.count)
    #expect(scene.lines == alone.lines)
    #expect(scene.lists.allSatisfy { $0.beacons.count == 11 })
    for (list, other) in zip(scene.lists, alone.lists) {
      // Telemetry of strangers joins nobody.
      #expect(list.beacons.allSatisfy { $0.beacon.telemetry == nil })
      #expect(list.beacons.map { $0.estimate } == other.beacons.map { $0.estimate })
    }
  }

  /// Devices that are watched by their address do not make those of others anybody's concern.
  @Test func randomAddressesAreNobodyWhereAddressesAreWatched() {
    var settings = EngineSettings()
    settings.regions.append(
      BeaconRegion(id: "cart", patterns: [.address(DeviceAddress(0xc000_0000_0003))], each: true, isRanged: true))
    let scene = crowd(settings: settings) { _, _ in ([0x02, 0x01, 0x06], -40) }
    #expect(scene.comings.count == 12)
    #expect(scene.events.events.filter { $0.region == "cart" }.count > 110)
  }

  /// Weak ones, of which a packet is not enough to enter, and strong ones, which all come in.
  @Test(arguments: [(-85, 1024), (-50, 4096), (-50, 64)] as [(Int8, Int)])
  func tenThousandRandomIdentitiesInAMinuteCostTheKnownOnesNothing(rssi: Int8, most: Int) throws {
    var settings = EngineSettings()
    settings.mostBeacons = most
    let scene = crowd(settings: settings) { number, _ in
      let major = UInt16(2 + number / 5000)
      return (Advertisement.iBeacon(major: major, minor: UInt16(number % 5000)), rssi)
    }
    expectNothingLost(scene)
    for event in scene.events.events {
      guard case .didRange(let range, let omitted) = event.content else { continue }
      #expect(range.count + omitted <= most && range.count <= 256)
    }
    if rssi < -74 { #expect(scene.comings.count == 11) }
    // Heard once a second, one without a name stays too, where the table holds the strangers of a second.
    #expect(most < 200 || !scene.comings.contains { $0.contains(" exit beacon iBeacon/1/10 ") })
  }

  // MARK: Wall clocks

  /// A gateway without a clock of its own learns the time from the network, or is told a wrong one.
  @Test(arguments: [-14.0, 14, -0.001, 0.5, 9000])
  func aJumpOfTheWallClockMovesTheTimesAndNothingElse(days: Double) throws {
    let offset = Int64(days * 86_400) * 1_000_000_000
    var random = SplitMix(seed: 33)
    var plain = EngineScene(at: 1000)
    var jumped = EngineScene(at: 1000)
    let jump = 1300.0
    var hasJumped = false
    for packet in 0..<6000 {
      let seconds = 1000.05 + Double(packet) * 0.1
      if seconds > jump, !hasJumped {
        hasJumped = true
        let instant = EngineScene.instant(jump)
        jumped.engine.setUTC(
          UnixTime(nanoseconds: instant.nanoseconds + offset), at: instant, &jumped.events)
      }
      // Eight come at different times, of which some leave before the jump, at it, and after it.
      let minor = Int(random.next() % 8)
      let rssi = Int8(-75 + 5 * random.normal())
      guard (packet / 700) % 8 != minor, minor < 6 || packet < 2950 else { continue }
      let data = Advertisement.iBeacon(major: 1, minor: UInt16(minor))
      plain.hear(data, at: seconds, rssi: rssi)
      jumped.hear(data, at: seconds, rssi: rssi)
    }
    plain.advance(to: 1800)
    jumped.advance(to: 1800)
    #expect(plain.comings.count > 10)
    #expect(plain.events.events.count == jumped.events.events.count)
    for (event, other) in zip(plain.events.events, jumped.events.events) {
      let isAfter = event.time.nanoseconds > Int64(jump * 1e9)
      #expect(other.time.nanoseconds - event.time.nanoseconds == (isAfter ? offset : 0))
    }
    // But for the time, the lines are the same.
    func text(_ lines: [String]) -> [Substring] { lines.map { $0.drop { $0 != " " } } }
    #expect(text(plain.lines) == text(jumped.lines))
    #expect(plain.lists.count == jumped.lists.count && plain.lists.count > 500)
    for (list, other) in zip(plain.lists, jumped.lists) {
      #expect(list.beacons.map { $0.estimate } == other.beacons.map { $0.estimate })
      #expect(list.beacons.map { $0.beacon.identity } == other.beacons.map { $0.beacon.identity })
      for (beacon, seen) in zip(list.beacons, other.beacons) {
        let age = list.time - Double(beacon.lastSeen.nanoseconds) / 1e9
        let agePerOther = other.time - Double(seen.lastSeen.nanoseconds) / 1e9
        #expect(abs(age - agePerOther) < 1e-5)
      }
    }
  }
}
