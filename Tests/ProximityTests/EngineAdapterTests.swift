import BluetoothLE
import Proximity
import TestSupport
import Testing

/// Several adapters, outages, and proof that a silence is the beacon's.
struct EngineAdapterTests {
  private let tag = Advertisement.iBeacon(major: 1, minor: 7)

  private func settings(isProven: Bool) -> EngineSettings {
    var settings = EngineSettings()
    settings.isProvenThroughout = isProven
    return settings
  }

  /// 25 packets a second apart from second 0 on: the time-out is 18.420 s, so the exit is due at 42.420.
  private func scene(isProven: Bool = true, adapter: Int = 0) -> EngineScene {
    var scene = EngineScene(settings(isProven: isProven))
    for second in 0..<25 { scene.hear(tag, at: Double(second), adapter: adapter) }
    return scene
  }

  @Test func whatAnAdapterHeardOfBeaconsIsCounted() {
    var scene = EngineScene()
    for second in 0..<7 { scene.hear(tag, at: Double(second), adapter: 3) }
    for second in 7..<9 { scene.hear(Advertisement.flags, at: Double(second), adapter: 3) }
    scene.hear(tag, at: 9, adapter: 1)
    #expect([3, 1, 0].map { scene.engine.sightings(of: $0) } == [7, 1, 0])
  }

  @Test func theLouderAdapterIsBelievedOnceItIsSixDecibelsLouder() throws {
    var scene = EngineScene()
    for packet in 0..<20 {
      scene.hear(tag, at: Double(packet) * 0.5, rssi: -70, adapter: 0)
      // Adapter 0 has been chosen by then.
      if packet > 3 { scene.hear(tag, at: Double(packet) * 0.5 + 0.001, rssi: -66, adapter: 1) }
    }
    scene.advance(to: 10)
    #expect(abs(try #require(scene.lists.last?.beacons.first?.level) + 70) < 1e-6)
    for packet in 20..<60 {
      scene.hear(tag, at: Double(packet) * 0.5, rssi: -70, adapter: 0)
      scene.hear(tag, at: Double(packet) * 0.5 + 0.001, rssi: -60, adapter: 1)
    }
    scene.advance(to: 30)
    #expect(try #require(scene.lists.last?.beacons.first?.level) > -61)
  }

  @Test(arguments: [0, 1])
  func theFirstChoiceIsTheLouderAdapterWhicheverHeardFirst(first: Int) throws {
    var scene = EngineScene()
    scene.hear(tag, at: 0.5, rssi: first == 0 ? -70 : -67, adapter: first)
    scene.hear(tag, at: 0.501, rssi: first == 0 ? -67 : -70, adapter: 1 - first)
    scene.advance(to: 1)
    #expect(try #require(scene.lists.last?.beacons.first?.level) == -67)
  }

  @Test func anAdapterThatFallsSilentIsBelievedNoMore() throws {
    var scene = EngineScene()
    for packet in 0..<40 {
      if packet < 10 { scene.hear(tag, at: Double(packet), rssi: -50, adapter: 0) }
      scene.hear(tag, at: Double(packet) + 0.5, rssi: -70, adapter: 1)
    }
    scene.advance(to: 40)
    #expect(try #require(scene.lists[8].beacons.first?.level) > -52)
    #expect(abs(try #require(scene.lists.last?.beacons.first?.level) + 70) < 0.5)
  }

  /// A packet a second: with 14 gaps its distance would be unknown after 8.9 s, with 19 after 8.3 s.
  @Test func anAdapterIsBelievedUntilTheBeaconsOwnTimeHasPassed() throws {
    var scene = EngineScene()
    for packet in 0..<20 {
      if packet < 10 { scene.hear(tag, at: Double(packet) + 0.5, rssi: -60, adapter: 0) }
      scene.hear(tag, at: Double(packet) + 0.51, rssi: -64, adapter: 1)
    }
    scene.advance(to: 20)
    // Adapter 0 was heard last at 9.5, so for 5.5 s it was not, and then for 10.5 s.
    #expect(abs(try #require(scene.lists[14].beacons.first?.level) + 60) < 1e-6)
    #expect(abs(try #require(scene.lists[19].beacons.first?.level) + 64) < 1e-6)
  }

  @Test func oneAdvertisementHeardByTwoAdaptersCountsOnce() {
    var scene = EngineScene()
    scene.hear(tag, at: 1, rssi: -85, adapter: 0)
    scene.hear(tag, at: 1.004, rssi: -85, adapter: 1)
    #expect(scene.comings.isEmpty)
    scene.hear(tag, at: 2, rssi: -85, adapter: 1)
    #expect(scene.comings == ["2.000 enter beacon iBeacon/1/7"])
  }

  @Test func thereIsNoExitWhileEveryAdapterIsDown() {
    var scene = scene()
    scene.scanner(.stopped, at: 30)
    scene.advance(to: 100_000)
    #expect(scene.comings.count == 1)
    #expect(
      scene.lines.suffix(5) == [
        "30.000 scanner hci0 stopped", "30.000 unknown region", "30.000 fail everything scannerDown",
        "30.000 fail ranging everything", "30.000 unknown beacon iBeacon/1/7",
      ])
    // Nothing is ranged, either.
    #expect(scene.lists.last?.time == 30)
  }

  @Test func theSilenceClockStandsStillDuringAnOutage() {
    var scene = scene()
    scene.scanner(.stopped, at: 30)
    scene.scanner(.scanning, at: 3630)
    scene.advance(to: 5000)
    // 12.420 s of the time-out were left when it went down. Whether it left while nobody listened is not known.
    #expect(scene.lines.contains("3642.420 exit beacon iBeacon/1/7 unobserved after 3642.420"))
    #expect(scene.lines.contains("3642.420 exit region iBeacon/1/7 unobserved after 3642.420"))
  }

  @Test func whoIsHeardAgainAfterAnOutageNeverLeft() {
    var scene = scene()
    scene.scanner(.stopped, at: 25)
    scene.scanner(.scanning, at: 3600)
    scene.hear(tag, at: 3605)
    #expect(scene.comings.count == 1)
    #expect(
      scene.lines.suffix(3) == [
        "3600.000 scanner hci0 scanning", "3605.000 inside region iBeacon/1/7", "3605.000 inside beacon iBeacon/1/7",
      ])
  }

  @Test func anotherAdapterThatHearsItKeepsTheClockRunning() {
    var scene = scene()
    scene.hear(tag, at: 24.5, adapter: 1)
    scene.scanner(.stopped, at: 25, adapter: 0)
    scene.advance(to: 100)
    #expect(scene.comings.last?.contains("exit") == true)
    #expect(!scene.lines.contains { $0.contains("fail everything") })
  }

  @Test func aRegionFailsWhenAllThatHeardItsBeaconsAreDown() {
    var scene = scene()
    scene.hear([0x02, 0x01, 0x06], at: 24.5, adapter: 1)
    scene.scanner(.stopped, at: 25, adapter: 0)
    scene.advance(to: 1000)
    #expect(scene.lines.contains("25.000 fail everything scannerDown"))
    #expect(!scene.lines.contains { $0.contains("fail ranging") })
    #expect(scene.comings.count == 1)
    #expect(scene.lists.last?.beacons.first?.proximity == .unknown)
  }

  @Test func anEmptyRegionIsOutsideAgainAfterThirtySecondsOfScanning() {
    var scene = EngineScene()
    scene.hear([0x02, 0x01, 0x06], at: 0.5)
    scene.scanner(.stopped, at: 10)
    scene.scanner(.scanning, at: 60)
    scene.advance(to: 200)
    #expect(
      scene.lines.dropFirst() == [
        "10.000 scanner hci0 stopped", "10.000 unknown region", "10.000 fail everything scannerDown",
        "10.000 fail ranging everything", "60.000 scanner hci0 scanning", "90.000 outside region",
      ])
  }

  @Test(arguments: [BeaconRegion.Assumption.inside, .unknown, .outside])
  func aRegionThatIsAddedInAnOutageIsUnknownUntilItEnds(assuming: BeaconRegion.Assumption) {
    var scene = EngineScene()
    scene.hear([0x02, 0x01, 0x06], at: 0.5)
    scene.scanner(.stopped, at: 10)
    let region = BeaconRegion(id: "late", patterns: [.any], isRanged: true, assuming: assuming, exitAfter: 2)
    scene.engine.add(region, at: EngineScene.instant(20), &scene.events)
    scene.advance(to: 1000)
    let isSaid = assuming == .unknown ? [] : ["20.000 unknown region"]
    #expect(
      scene.lines.suffix(3 + isSaid.count)
        == ["20.000 monitor late"] + isSaid + ["20.000 fail late scannerDown", "20.000 fail ranging late"])
    scene.scanner(.scanning, at: 1000)
    scene.advance(to: 2000)
    // 2 s of silence are enough to leave; to be outside takes 30 s of listening.
    let late = scene.lines.filter { $0.hasPrefix("1002") }
    #expect(
      late == (assuming == .inside ? ["1002.000 outside region", "1002.000 exit region unobserved after 982.000"] : []))
    #expect(scene.lines.filter { $0 == "1030.000 outside region" }.count == (assuming == .inside ? 1 : 2))
  }

  // MARK: Proof

  @Test func aReportOfAnybodyProvesASilence() {
    var scene = scene(isProven: false)
    for packet in 0..<100 { scene.hear([0x02, 0x01, 0x06], at: 24.2 + Double(packet), address: 0x4000_0000_0001) }
    #expect(scene.comings.last == "42.420 exit beacon iBeacon/1/7 silence after 42.420")
    #expect(scene.events.proofRequests.isEmpty)
  }

  @Test func anUnprovenSilenceAsksAndLeavesAfterTheAnswer() {
    var scene = scene(isProven: false)
    scene.advance(to: 43)
    #expect(scene.comings.count == 1)
    #expect(scene.events.proofRequests == [0])
    scene.proof(at: 43.5)
    // The mean gap is 1 s: 3 s more of silence.
    scene.advance(to: 46.499)
    #expect(scene.comings.count == 1)
    scene.advance(to: 46.5)
    #expect(scene.comings.last == "46.500 exit beacon iBeacon/1/7 silence after 46.500")
  }

  /// Asked at 13, answered, heard again until 15: that answer says nothing of the silence after it.
  @Test func anAnswerFromBeforeASilenceProvesNothingOfIt() {
    var settings = settings(isProven: false)
    settings.regions[0].exitAfter = 3
    var scene = EngineScene(settings)
    for packet in 0...100 { scene.hear(tag, at: Double(packet) / 10) }
    scene.advance(to: 13)
    #expect(scene.events.proofRequests == [0])
    scene.proof(at: 13.1)
    for packet in 0...10 { scene.hear(tag, at: 14 + Double(packet) / 10) }
    scene.advance(to: 22.9)
    #expect(scene.comings.count == 1)
    // It may be asked again ten seconds after the first time.
    scene.advance(to: 24)
    #expect(scene.events.proofRequests == [0, 0])
    #expect(scene.comings.count == 1)
    scene.proof(at: 24)
    scene.advance(to: 27)
    #expect(scene.comings.count == 2 && scene.comings.last?.contains("exit beacon iBeacon/1/7 silence") == true)
  }

  @Test func withoutAnAnswerItIsAskedAgainEveryTenSecondsAndNobodyLeaves() {
    var scene = scene(isProven: false)
    scene.advance(to: 42.42 + 35)
    #expect(scene.events.proofRequests.count == 4)
    #expect(scene.comings.count == 1)
  }

  @Test func aFailedRequestMeansThatTheOutageBeganAtTheNewestProof() {
    var scene = scene(isProven: false)
    scene.hear([0x02, 0x01, 0x06], at: 30, address: 0x4000_0000_0001)
    scene.advance(to: 45)
    scene.scanner(.stopped, at: 45)
    scene.scanner(.scanning, at: 145)
    scene.hear([0x02, 0x01, 0x06], at: 157, address: 0x4000_0000_0001)
    // Of 18.420 s six had passed by the proof at 30 s; the clock ran on at 145 s. But until 157 s nobody was heard: from
    // then on the beacon has three gaps to be heard in.
    scene.advance(to: 159.999)
    #expect(scene.comings.count == 1)
    scene.advance(to: 160)
    #expect(scene.comings.last == "160.000 exit beacon iBeacon/1/7 unobserved after 160.000")
  }

  /// A stall from 24 s on; what ends it is another beacon's request for proof, and who is heard first is somebody else.
  @Test func whoIsHeardFirstAfterAStallDoesNotMakeTheOthersLeave() {
    var scene = scene(isProven: false)
    scene.hear([0x02, 0x01, 0x06], at: 42.4, address: 0x4000_0000_0001)
    scene.advance(to: 42.9)
    #expect(scene.comings.count == 1)
    scene.hear(tag, at: 43)
    scene.advance(to: 60)
    #expect(scene.comings.count == 1)
    #expect(scene.events.proofRequests.isEmpty)
  }

  /// In a quiet place the others are heard now and then: the first of them counts, and no later one puts the exit off.
  @Test func pausesOfOthersPutAnExitOffOnce() {
    var scene = scene(isProven: false)
    for packet in 0..<20 { scene.hear([0x02, 0x01, 0x06], at: 25.4 + 2.5 * Double(packet), address: 0x4000_0000_0001) }
    // The time-out is over at 42.42 s, the last one before was heard at 40.4 s after a pause.
    #expect(scene.comings.last == "43.400 exit beacon iBeacon/1/7 silence after 43.400")
  }

  /// Of two adapters one that has had no pause is proof enough.
  @Test func anotherAdapterWithoutAPauseProvesASilence() {
    var scene = EngineScene(settings(isProven: false))
    for second in 0..<25 {
      for adapter in 0...1 { scene.hear(tag, at: Double(second), adapter: adapter) }
    }
    scene.hear([0x02, 0x01, 0x06], at: 42, address: 0x4000_0000_0001, adapter: 0)
    for second in 25..<50 {
      scene.hear([0x02, 0x01, 0x06], at: Double(second) + 0.2, address: 0x4000_0000_0001, adapter: 1)
    }
    #expect(scene.comings.last?.hasPrefix("42.420 exit") == true)
  }
}
