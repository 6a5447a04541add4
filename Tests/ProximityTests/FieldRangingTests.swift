import BluetoothLE
import Proximity
import TestSupport
import Testing

/// What happens to distances in the field: stray packets, and kinds of beacons that state their power differently.
struct FieldRangingTests {
  private let tag = Advertisement.iBeacon(major: 1, minor: 7)

  // MARK: Stray packets

  /// A beacon some metres away, a single reading of one at the antenna, at any place but the first; and readings that
  /// are none.
  @Test(arguments: [-31, -45, -20, -1, 0, 19] as [Int8], [0.2, 1, 5])
  func aStrayPacketBringsNoBeaconIntoTheFace(stray: Int8, interval: Double) throws {
    let levels: [Int8] = [-70, -65, -72, -68, -74, -66, -71, -69, -73, -67]
    for place in 1...levels.count {
      var scene = EngineScene()
      var packets = levels
      packets.insert(stray, at: place)
      packets.insert(127, at: place + 1)
      for (number, rssi) in packets.enumerated() {
        let seconds = 0.5 + Double(number) * interval
        scene.hear(tag, at: seconds, rssi: rssi)
        scene.advance(to: seconds + interval * 0.999)
      }
      try #require(scene.lists.count >= 2)
      for list in scene.lists {
        let beacon = try #require(list.beacons.first)
        #expect(beacon.proximity != .immediate, "the stray is packet \(place)")
        guard let estimate = beacon.estimate else { continue }
        // The packets alone say 2 to 6 m.
        #expect(estimate.distance > 0.8, "the stray is packet \(place)")
        #expect(estimate.interval68.high > 1.6)
      }
    }
  }

  @Test(arguments: [127, 20, 100, -121, -128] as [Int8])
  func whatIsNoReadingChangesNoDistance(rssi: Int8) {
    var plain = EngineScene()
    var disturbed = EngineScene()
    for packet in 0..<50 {
      let seconds = 0.25 + Double(packet) * 0.4
      let level = Int8(-60 - packet % 7 * 3)
      plain.hear(tag, at: seconds, rssi: level)
      disturbed.hear(tag, at: seconds, rssi: level)
      disturbed.hear(tag, at: seconds + 0.1, rssi: rssi)
    }
    plain.advance(to: 20)
    disturbed.advance(to: 20)
    #expect(plain.lists.count == 20)
    for (list, other) in zip(plain.lists, disturbed.lists) {
      #expect(list.beacons.map { $0.estimate } == other.beacons.map { $0.estimate })
      #expect(list.beacons.map { $0.level } == other.beacons.map { $0.level })
    }
  }

  // MARK: Power

  /// What is stated at 1 m, and what at 0 m, is 41 dB apart: one device that sends all kinds is at one distance.
  @Test(arguments: [Int8(-59), -72, -45, -20, -100, -101, -19, 0, 30])
  func allKindsOfOneDeviceRangeAlike(power: Int8) throws {
    var random = SplitMix(seed: 23)
    var scene = EngineScene()
    // At 0 m a frame cannot state more than 127 dBm.
    let atZero = Int8(clamping: Int(power) + 41)
    let octet = UInt8(bitPattern: atZero)
    let frames = [
      Advertisement.iBeacon(major: 1, minor: 7, power: power), Advertisement.altBeacon(unit: 3, power: power),
      Advertisement.eddystoneUID(instance: 4, power: atZero),
      Advertisement.eddystone([0x10, octet, 0x03, UInt8(ascii: "a"), 0x07]),
      Advertisement.eddystone([0x30, octet, 1, 2, 3, 4, 5, 6, 7, 8]),
    ]
    for packet in 0..<120 {
      let level = -50 - 20 * Double(packet) / 120 + 4 * random.normal()
      for frame in frames { scene.hear(frame, at: 0.1 + Double(packet) * 0.25, rssi: Int8(level)) }
    }
    scene.advance(to: 30)
    let isBelieved = (-100 ... -20).contains(power)
    for list in scene.lists {
      #expect(list.beacons.count == 5)
      let first = try #require(list.beacons.first)
      #expect(first.beacon.power.source == (isBelieved ? .advertised : .default))
      #expect(first.estimate != nil)
      for beacon in list.beacons {
        #expect(beacon.estimate == first.estimate && beacon.proximity == first.proximity)
        #expect(beacon.beacon.power == first.beacon.power)
      }
    }
    #expect(scene.lists.count == 30)
  }

  // MARK: Zones

  /// Heard at the end of the range, and now and then a single packet as if at the antenna.
  @Test(arguments: [-30, -20, 0, -45, -60] as [Int8], [0.1, 0.5, 1, 5, 10, 31])
  func strayStrongPacketsOfAWeakBeaconEnterNoZone(stray: Int8, interval: Double) {
    for place in [2, 3, 5, 12] {
      var settings = EngineSettings()
      settings.regions = [BeaconRegion(id: "zone", patterns: [.any], each: true, zone: ZoneLimit(meters: 3))]
      var scene = EngineScene(settings)
      for packet in 0..<100 {
        let isStray = packet >= place && (packet - place) % 25 == 0
        scene.hear(tag, at: Double(packet) * interval, rssi: isStray ? stray : Int8(-86 - packet % 5))
      }
      scene.advance(to: 100 * interval + 1000)
      #expect(scene.comings.isEmpty, "the stray is packet \(place)")
    }
  }

  /// Two adapters that hear the one packet have heard one packet.
  @Test func aStrayPacketThatTwoAdaptersHearEntersNoZone() {
    var settings = EngineSettings()
    settings.regions = [BeaconRegion(id: "zone", patterns: [.any], each: true, zone: ZoneLimit(meters: 3))]
    var scene = EngineScene(settings)
    for packet in 0..<60 {
      let rssi: Int8 = packet == 30 ? -30 : -88
      for adapter in 0...1 {
        scene.hear(tag, at: Double(packet) + 0.002 * Double(adapter), rssi: rssi, adapter: adapter)
      }
    }
    scene.advance(to: 1000)
    #expect(scene.comings.isEmpty)
  }
}
