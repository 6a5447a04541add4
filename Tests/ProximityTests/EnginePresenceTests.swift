import BluetoothLE
import Proximity
import TestSupport
import Testing

struct EnginePresenceTests {
  private let tag = Advertisement.iBeacon(major: 1, minor: 7)

  @Test func everyRegionIsSaidToBeMonitoredAtTheStart() {
    #expect(EngineScene().lines == ["0.000 monitor everything"])
  }

  @Test func twoPacketsOfAWeakBeaconEnterTheRegionFirstThenTheBeacon() {
    var scene = EngineScene()
    scene.hear(tag, at: 1, rssi: -80)
    #expect(scene.lines.count == 1)
    scene.hear(tag, at: 2.5, rssi: -80)
    #expect(
      scene.lines.dropFirst() == [
        "2.500 inside region iBeacon/1/7", "2.500 enter region iBeacon/1/7", "2.500 inside beacon iBeacon/1/7",
        "2.500 enter beacon iBeacon/1/7",
      ])
  }

  @Test func oneStrongPacketEnters() {
    var scene = EngineScene()
    scene.hear(tag, at: 1, rssi: -73)
    #expect(scene.comings == ["1.000 enter beacon iBeacon/1/7"])
    // 20 dB above the sensitivity of -94 dBm is not yet more than that.
    scene = EngineScene()
    scene.hear(tag, at: 1, rssi: -74)
    #expect(scene.comings.isEmpty)
  }

  @Test func aBeaconHeardOnceTooWeaklyNeitherEntersNorLeaves() {
    var scene = EngineScene()
    scene.hear(tag, at: 1, rssi: -90)
    scene.advance(to: 1000)
    #expect(scene.lines == ["0.000 monitor everything"])
    // It was listed, as heard, until the silence of a stranger was over.
    #expect(scene.lists.first?.beacons.first?.packets == 1)
    #expect(scene.lists.last.map { $0.time } == 181)
    #expect(scene.lists.last?.beacons.isEmpty == true)
  }

  @Test func exitComesFromTheClockWhenTheSilenceOfAStrangerIsOver() {
    var scene = EngineScene()
    scene.hear(tag, at: 1)
    scene.hear(tag, at: 2)
    // Less than four gaps: 180 s after the last packet.
    scene.advance(to: 181.999)
    #expect(scene.comings.count == 1)
    scene.advance(to: 182)
    #expect(
      scene.lines.suffix(4) == [
        "182.000 outside beacon iBeacon/1/7", "182.000 exit beacon iBeacon/1/7 silence after 181.000",
        "182.000 outside region iBeacon/1/7", "182.000 exit region iBeacon/1/7 silence after 181.000",
      ])
  }

  @Test func exitComesAtTheLearnedTimeOutWhateverTheNextInputIs() {
    // 25 packets a second apart: 24 gaps of 1 s, so T = 24 ((0.1 / 86400)^(-1/24) - 1) s = 18.420 s.
    for nextInput in [18.5, 60, 100_000] {
      var scene = EngineScene()
      for second in 0..<25 { scene.hear(tag, at: Double(second)) }
      scene.advance(to: 24 + nextInput)
      let exit = scene.comings.last
      #expect(exit == "42.420 exit beacon iBeacon/1/7 silence after 42.420", "next input after \(nextInput) s")
    }
  }

  @Test func theFirstBeaconEntersTheRegionAndTheLastLeavesIt() {
    var scene = EngineScene()
    let other = Advertisement.altBeacon(unit: 3)
    scene.hear(tag, at: 1)
    scene.hear(other, at: 10, address: 0xc0_0000_0000_02)
    scene.advance(to: 1000)
    let region = scene.lines.filter { $0.contains(" region ") }
    #expect(
      region == [
        "1.000 inside region iBeacon/1/7", "1.000 enter region iBeacon/1/7", "190.000 outside region altBeacon/3",
        "190.000 exit region altBeacon/3 silence after 189.000",
      ])
  }

  @Test func theSameIdentityFromSeveralAddressesIsOneBeacon() {
    var scene = EngineScene()
    scene.hear(tag, at: 0, address: 0x4a_0000_0000_0a)
    scene.hear(tag, at: 1, address: 0x4b_0000_0000_0b)
    scene.hear(tag, at: 2, address: 0x4a_0000_0000_0a)
    scene.advance(to: 3)
    #expect(scene.comings.count == 1)
    #expect(scene.lists.last?.beacons.count == 1)
    #expect(scene.lists.last?.beacons.first?.beacon.address == DeviceAddress(0x4a_0000_0000_0a))
  }

  @Test func afterAnAbsenceABeaconComesBack() {
    var scene = EngineScene()
    for second in 0..<25 { scene.hear(tag, at: Double(second)) }
    for second in 600..<605 { scene.hear(tag, at: Double(second)) }
    scene.advance(to: 605)
    #expect(scene.comings.filter { $0.contains("enter") }.map { $0.prefix(7) } == ["0.000 e", "600.000"])
    #expect(scene.comings.filter { $0.contains("exit") }.count == 1)
  }

  @Test(arguments: [12.5, 31]) func aSlowBeaconDoesNotFlap(interval: Double) {
    var scene = EngineScene()
    for packet in 0..<400 { scene.hear(tag, at: Double(packet) * interval, rssi: -70) }
    #expect(scene.comings.map { $0.split(separator: " ")[1] } == ["enter"])
  }

  @Test func damagedReportsAndStrangersSayNothing() {
    var scene = EngineScene()
    for second in 0..<100 {
      scene.hear([0x02, 0x01, 0x1a, 0x0a, 0xff, 0x4c, 0x00, 0x10, 0x05, 1, 2, 3, 4, 5], at: Double(second))
    }
    scene.advance(to: 200)
    #expect(scene.events.events.count == 1)
  }

  @Test func theBeaconSilentForTheLongestGivesWayAndLeaves() {
    var settings = EngineSettings()
    settings.mostBeacons = 2
    var scene = EngineScene(settings)
    scene.hear(Advertisement.iBeacon(major: 1, minor: 1), at: 1)
    scene.hear(Advertisement.iBeacon(major: 1, minor: 2), at: 2)
    scene.hear(Advertisement.iBeacon(major: 1, minor: 1), at: 3)
    scene.hear(Advertisement.iBeacon(major: 1, minor: 3), at: 4)
    #expect(
      scene.comings.suffix(2) == [
        "4.000 exit beacon iBeacon/1/2 evicted after 2.000", "4.000 enter beacon iBeacon/1/3",
      ])
    scene.advance(to: 1000)
    #expect(scene.comings.filter { $0.contains("enter") }.count == 3)
    #expect(scene.comings.filter { $0.contains("exit") }.count == 3)
  }

  @Test func aStepOfTheWallClockMovesTheTimesAndNothingElse() {
    var scene = EngineScene()
    scene.hear(tag, at: 1)
    scene.engine.setUTC(UnixTime(nanoseconds: 1_209_602_000_000_000), at: EngineScene.instant(2), &scene.events)
    scene.advance(to: 182)
    // 180 s of silence after second 1, two weeks later by the wall clock.
    #expect(scene.comings.last == "1209781.000 exit beacon iBeacon/1/7 silence after 180.000")
    #expect(scene.comings.count == 2)
  }
}
