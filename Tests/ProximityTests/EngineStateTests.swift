import BluetoothLE
import Proximity
import TestSupport
import Testing

/// A restart: nobody enters or leaves by it, however long it takes.
struct EngineStateTests {
  private let tag = Advertisement.iBeacon(major: 1, minor: 7)

  private func scene(_ regions: BeaconRegion..., isProven: Bool = true) -> EngineScene {
    var settings = EngineSettings()
    settings.regions = regions
    settings.isProvenThroughout = isProven
    return EngineScene(settings)
  }

  /// Two seconds, two days.
  static let pauses = [2.0, 172_800]

  @Test(arguments: pauses) func whoIsInsideStaysInside(pause: Double) {
    var scene = scene(.everything)
    for second in 1...20 { scene.hear(tag, at: Double(second)) }
    let said = scene.lines.count
    scene.restart(at: 20 + pause, after: pause)
    scene.hear(tag, at: 21 + pause)
    let (start, heard) = pause == 2 ? ("22.000", "23.000") : ("172820.000", "172821.000")
    #expect(
      scene.lines[said...] == [
        "\(start) monitor everything", "\(start) unknown region", "\(start) unknown beacon iBeacon/1/7",
        "\(heard) inside region iBeacon/1/7", "\(heard) inside beacon iBeacon/1/7",
      ])
  }

  @Test(arguments: pauses) func whoHasGoneMeanwhileLeavesWhenItsSilenceIsOver(pause: Double) {
    var scene = scene(.everything)
    for second in 1...60 { scene.hear(tag, at: Double(second)) }
    scene.advance(to: 63)
    let said = scene.lines.count
    scene.restart(at: 1000, after: pause)
    scene.advance(to: 2000)
    let lines = scene.lines[said...]
    #expect(lines.count == 7)
    // Three of the seconds of silence that mean an exit had passed before; the dwell counts all of the time.
    let rhythm = SilenceClock(beacon(of: scene, before: said), lastHeard: nil)
    let exit = 1000 - 3 + rhythm.timeOuts(PresenceSettings()).exit
    #expect(lines.last?.hasSuffix("exit region iBeacon/1/7 unobserved after \(text(62 + pause + exit - 1000))") == true)
    #expect(lines.last?.hasPrefix("\(text(exit)) ") == true)
    #expect(lines.dropLast().last?.hasSuffix("outside region iBeacon/1/7") == true)
  }

  /// The rhythm of a 1 s beacon after a minute, learned apart.
  private func beacon(of scene: EngineScene, before: Int) -> Rhythm {
    var clock = SilenceClock()
    for second in 1...60 { clock.heard(rssi: -60, at: EngineScene.instant(Double(second))) }
    return clock.rhythm
  }

  private func text(_ seconds: Double) -> String {
    let milliseconds = Int(seconds * 1000 + 0.5)
    let rest = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }

  @Test func aRhythmIsNotLearnedAnew() throws {
    var scene = scene(.everything)
    for packet in 0..<40 { scene.hear(tag, at: Double(packet) * 30) }
    let rhythm = try #require(scene.engine.state.beacons.first).rhythm
    #expect(rhythm.gaps == 39 && (rhythm.meanGap - 30).magnitude < 1e-9)
    scene.restart(at: 1200, after: 5)
    #expect(scene.engine.state.beacons.first?.rhythm == rhythm)
    // A stranger would be gone after 180 s, this one stays for longer.
    scene.advance(to: 1500)
    #expect(scene.comings.count == 1)
  }

  @Test func withoutAnAdapterTimeLetsNobodyLeave() {
    var scene = scene(.everything, isProven: false)
    for second in 1...20 { scene.hear(tag, at: Double(second)) }
    scene.restart(at: 100, after: 80)
    scene.advance(to: 4000)
    #expect(scene.comings.count == 1)
    // Once somebody listens again, a whole silence has to pass.
    scene.scanner(.scanning, at: 4000)
    scene.advance(to: 4004)
    #expect(scene.comings.count == 1)
    for second in 4000..<4400 { scene.hear([0x02, 0x01, 0x06], at: Double(second), address: 0x4000_0000_0001) }
    #expect(scene.comings.count == 2)
    #expect(scene.comings.last?.contains("exit beacon iBeacon/1/7 unobserved") == true)
  }

  @Test func aBeaconThatNobodyHearsAgainNeedsProofAsAnyOther() {
    var scene = scene(.everything, isProven: false)
    for second in 1...20 { scene.hear(tag, at: Double(second)) }
    scene.restart(at: 100, after: 80)
    scene.scanner(.scanning, at: 101)
    scene.events.removeAll()
    scene.advance(to: 400)
    #expect(scene.comings.isEmpty && scene.events.proofRequests.contains(0))
    scene.proof(at: 400)
    scene.advance(to: 420)
    #expect(scene.comings.count == 1)
  }

  @Test func anEmptyRegionIsKnownAgainAfterThirtySeconds() {
    var scene = scene(.everything)
    scene.advance(to: 5)
    scene.restart(at: 10, after: 5)
    scene.advance(to: 100)
    #expect(
      scene.lines == [
        "0.000 monitor everything", "10.000 monitor everything", "10.000 unknown region", "40.000 outside region",
      ])
  }

  @Test func aZoneIsLeftOnlyByDistance() {
    let zone = BeaconRegion(id: "zone", patterns: [.any], each: true, zone: ZoneLimit(meters: 3))
    var scene = scene(zone)
    for second in 1...20 { scene.hear(tag, at: Double(second), rssi: -50) }
    scene.restart(at: 25, after: 5)
    for second in 26...40 { scene.hear(tag, at: Double(second), rssi: -50) }
    #expect(scene.comings.count == 1)
    for second in 41...80 { scene.hear(tag, at: Double(second), rssi: -85) }
    #expect(scene.comings.count == 2 && scene.comings.last?.contains(" zone ") == true)
  }

  @Test(arguments: [true, false]) func aRegionThatIsGoneOrDefinedOtherwiseIsLeft(isGone: Bool) {
    var scene = scene(.everything)
    for second in 1...20 { scene.hear(tag, at: Double(second)) }
    var state = scene.engine.state
    var settings = EngineSettings()
    if isGone {
      settings.regions = [BeaconRegion(id: "other", patterns: [.any])]
    } else {
      state.regions[0].isRedefined = true
    }
    let said = scene.lines.count
    let start = EngineScene.instant(30)
    scene.engine = Engine(
      settings, restoring: state, elapsed: 10_000_000_000, at: start, utc: UnixTime(nanoseconds: start.nanoseconds),
      &scene.events)
    scene.hear(tag, at: 31)
    scene.hear(tag, at: 32)
    let lines = Array(scene.lines[said...])
    #expect(
      lines.prefix(4) == [
        "30.000 outside beacon iBeacon/1/7", "30.000 exit beacon iBeacon/1/7 removed after 29.000",
        "30.000 outside region iBeacon/1/7", "30.000 exit region iBeacon/1/7 removed after 29.000",
      ])
    #expect(lines[4] == (isGone ? "30.000 monitor other" : "30.000 monitor everything"))
    #expect(lines[5].hasPrefix("31.000 inside region"))
  }

  @Test func nobodyLeavesBeforeTheStartIsSaid() {
    var scene = scene(.everything, BeaconRegion(id: "old", patterns: [.any]))
    for second in 1...20 { scene.hear(tag, at: Double(second)) }
    var state = scene.engine.state
    state.beacons[0].silence = 1_000_000_000_000
    let said = scene.lines.count
    let start = EngineScene.instant(30)
    scene.engine = Engine(
      EngineSettings(), restoring: state, elapsed: 0, at: start, utc: UnixTime(nanoseconds: start.nanoseconds),
      &scene.events)
    #expect(
      scene.lines[said...] == [
        "30.000 outside region iBeacon/1/7", "30.000 exit region iBeacon/1/7 removed after 19.000",
        "30.000 monitor everything", "30.000 unknown region", "30.000 unknown beacon iBeacon/1/7",
      ])
    scene.advance(to: 30)
    #expect(scene.comings.last == "30.000 exit beacon iBeacon/1/7 unobserved after 19.000")
  }

  @Test func whoLeftAMomentAgoIsNotLetInMoreEasily() {
    let region = BeaconRegion(id: "r", patterns: [.any], each: true, exitAfter: 5)
    var scene = scene(region)
    for second in 1...10 { scene.hear(tag, at: Double(second), rssi: -80) }
    scene.advance(to: 16)
    scene.restart(at: 18, after: 2)
    #expect(scene.comings.count == 2)
    scene.hear(tag, at: 20, rssi: -80)
    scene.hear(tag, at: 21, rssi: -80)
    #expect(scene.comings.count == 2)
    scene.hear(tag, at: 22, rssi: -80)
    #expect(scene.comings.count == 3)
  }

  @Test func theLastFixGrowsOlder() throws {
    var scene = scene(.everything)
    let place = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
    let fix = try #require(Fix(place, accuracy: 5, from: .gps))
    scene.engine.take(fix, at: EngineScene.instant(10), &scene.events)
    scene.advance(to: 15)
    scene.restart(at: 115, after: 100)
    let location = scene.events.events.last?.location
    #expect(location?.fix == fix && location?.age == 105 && location?.isStale == true)
  }

  @Test func ofMoreBeaconsThanThereIsRoomForTheOldestLeave() {
    var scene = scene(.everything)
    for minor in 1...4 {
      scene.hear(
        Advertisement.iBeacon(major: 1, minor: UInt16(minor)), at: Double(minor),
        address: 0xc000_0000_0000 + UInt64(minor))
    }
    #expect(scene.comings.count == 4)
    scene.advance(to: 5)
    var settings = EngineSettings()
    settings.mostBeacons = 3
    scene.restart(at: 6, after: 1, settings)
    #expect(scene.comings.count == 5)
    #expect(scene.comings.last == "6.000 exit beacon iBeacon/1/1 evicted after 5.000")
  }

  @Test func aStateGoesThroughAnEngineUnchanged() {
    var scene = scene(.everything, BeaconRegion(id: "zone", patterns: [.any], zone: ZoneLimit(meters: 3)))
    for second in 1...50 {
      for minor in 1...5 where second % minor == 0 {
        scene.hear(
          Advertisement.iBeacon(major: 1, minor: UInt16(minor)), at: Double(second), rssi: Int8(-40 - 8 * minor),
          address: 0xc000_0000_0000 + UInt64(minor))
      }
    }
    scene.advance(to: 51)
    let state = scene.engine.state
    scene.restart(at: 51, after: 0)
    var again = scene.engine.state
    // But for the states: they are unknown until there is evidence.
    for index in again.regions.indices { again.regions[index].state = state.regions[index].state }
    for index in again.beacons.indices {
      for id in again.beacons[index].memberships.keys {
        again.beacons[index].memberships[id]?.state = state.beacons[index].memberships[id]?.state ?? .outside
      }
    }
    #expect(again == state && state.beacons.count == 5)
  }
}
