import BluetoothLE
import Foundation
import Proximity
import TestSupport
import Testing

/// Who is there, in the field: slow beacons, lossy ones, silence, changing addresses, crowds, clocks that jump.
struct FieldPresenceTests {
  private let tag = Advertisement.iBeacon(major: 1, minor: 7)

  private func kinds(_ lines: [String]) -> [Substring] { lines.map { $0.split(separator: " ")[1] } }

  // MARK: Slow beacons

  /// Others flap with a fixed 10 or 30 s; these are slower than either by a little or by much.
  @Test(arguments: [10.1, 12.5, 20, 30.1, 31], [-60, -85] as [Int8])
  func aSlowBeaconDoesNotFlapForHoursAndComesBackAfterAnAbsence(interval: Double, rssi: Int8) throws {
    var random = SplitMix(seed: 21)
    var settings = EngineSettings()
    settings.rangingInterval = 600
    var scene = EngineScene(settings)
    func hear(from start: Double, to end: Double) {
      var now = start
      while now < end {
        scene.hear(tag, at: now, rssi: Int8(Double(rssi) + 3 * random.normal()))
        now += interval + random.uniform(0...0.01)
      }
    }
    hear(from: 0, to: 6 * 3600)
    #expect(kinds(scene.comings) == ["enter"])
    for absence in 1...3 {
      let back = Double(absence) * 8 * 3600
      scene.advance(to: back)
      #expect(kinds(scene.comings) == [Substring](repeating: "enter", count: absence).flatMap { [$0, "exit"] })
      hear(from: back, to: back + 6 * 3600)
      #expect(kinds(scene.comings).suffix(1) == ["enter"] && scene.comings.count == 2 * absence + 1)
      // Its second packet at the latest.
      let seconds = try #require(scene.comings.last?.split(separator: " ").first.flatMap { Double($0) })
      #expect(seconds <= back + interval + 0.02)
    }
    // The region as a whole came and went with it.
    let region = scene.lines.filter { $0.contains(" enter region ") || $0.contains(" exit region ") }
    #expect(kinds(region) == kinds(scene.comings))
  }

  // MARK: Loss

  /// 5 m away, a packet a second, most of them lost at random: a day.
  @Test(arguments: [(0.6, 24), (0.65, 25), (0.7, 26)] as [(Double, UInt64)])
  func aRegionDoesNotFlapInADayOfHeavyLoss(loss: Double, seed: UInt64) {
    var random = SplitMix(seed: seed)
    var settings = EngineSettings()
    // Nobody looks at the lists here.
    settings.rangingInterval = 600
    var scene = EngineScene(settings)
    var now = 0.0
    while now < 86_400 {
      // 5 m away: -59 dBm at 1 m, less 18 log10 5.
      if !random.chance(loss) { scene.hear(tag, at: now, rssi: Int8(-71.6 + 5.5 * random.normal())) }
      now += 1 + random.uniform(0...0.01)
    }
    let entersAndExits = scene.lines.filter { $0.contains("enter") || $0.contains("exit") }
    #expect(kinds(entersAndExits) == ["enter", "enter"])
    // It leaves at all, and within the time that two of three lost packets ask for.
    scene.advance(to: 86_400 + 120)
    #expect(kinds(scene.comings) == ["enter", "exit"])
  }

  // MARK: Silence

  /// The time-out of a beacon at -60 dBm, which is strong enough to get no more for weakness, after 24 gaps and more.
  private func timeOut(_ interval: Double) -> Double {
    let probability = 0.1 * interval / 86_400
    return min(max(24 * interval * (pow(probability, -1.0 / 24) - 1), 5), 900)
  }

  /// Goes on in silence, answers each request for proof after so many seconds, and gives the times of the exits.
  private func exits(
    _ scene: inout EngineScene, from start: Double, to end: Double, answerAfter latency: Double = 0
  ) -> [Double] {
    scene.events.removeAll()
    var answers: [Double] = []
    var asked = 0
    for step in 1...Int((end - start) / 0.05) {
      let now = start + Double(step) * 0.05
      while let due = answers.first, due <= now {
        scene.proof(at: due)
        answers.removeFirst()
      }
      scene.advance(to: now)
      for _ in asked..<scene.events.proofRequests.count { answers.append(now + latency) }
      asked = scene.events.proofRequests.count
    }
    return scene.events.events.compactMap { event in
      guard case .didExit(.beacon, _, _, .silence) = event.content else { return nil }
      return Double(event.time.nanoseconds) / 1e9
    }
  }

  private var live: EngineSettings {
    var settings = EngineSettings()
    settings.isProvenThroughout = false
    return settings
  }

  @Test(arguments: [0.1, 0.5, 1, 2, 5, 12.5, 31], [0, 0.3])
  func inAnEmptyRoomTheExitComesFromTheClockAndAtMostFifteenSecondsLate(interval: Double, latency: Double) throws {
    var scene = EngineScene(live)
    for packet in 0..<200 { scene.hear(tag, at: Double(packet) * interval) }
    let last = 199 * interval
    let due = last + timeOut(interval)
    let times = exits(&scene, from: last, to: due + 60, answerAfter: latency)
    try #require(times.count == 1)
    // Steps of 0.05 s, of which a request and an answer may cost one each.
    #expect(times[0] >= due - 0.01 && times[0] <= due + 15 + latency + 0.11, "\(times[0]), due at \(due)")
  }

  @Test(arguments: [0.1, 0.5, 1, 2, 5, 12.5, 31])
  func amongOthersTheExitComesFromTheClockInTime(interval: Double) throws {
    var scene = EngineScene(live)
    for packet in 0..<200 { scene.hear(tag, at: Double(packet) * interval) }
    let last = 199 * interval
    for packet in 0..<1000 {
      scene.hear([0x02, 0x01, 0x06], at: last + 0.5 + Double(packet), address: 0x4000_0000_0001)
    }
    let exit = try #require(scene.comings.last)
    #expect(exit.contains(" exit ") && scene.events.proofRequests.isEmpty)
    let seconds = try #require(exit.split(separator: " ").first.flatMap { Double($0) })
    #expect(abs(seconds - last - timeOut(interval)) < 0.01)
  }

  /// The adapter is asked once in 10 s at most; who falls due in between is served by the answer that came.
  @Test(arguments: [1, 5], [0.5, 3, 7, 9.5])
  func ofTwoThatFallSilentOneAfterTheOtherNeitherIsLate(interval: Double, later: Double) throws {
    var scene = EngineScene(live)
    let other = Advertisement.iBeacon(major: 1, minor: 8)
    for packet in 0..<200 {
      scene.hear(tag, at: Double(packet) * interval)
      scene.hear(other, at: Double(packet) * interval + min(later, interval * 0.9))
    }
    // The other one goes on for a while, at its own rhythm.
    let last = 199 * interval
    var silent = last + min(later, interval * 0.9)
    while silent + interval <= last + later + 0.01 {
      silent += interval
      scene.hear(other, at: silent)
    }
    let times = exits(&scene, from: silent, to: silent + 200)
    try #require(times.count == 2)
    let due = [last, silent].map { $0 + timeOut(interval) }
    for (exit, due) in zip(times, due) { #expect(exit >= due - 0.1 && exit <= due + 15.1, "\(exit), due at \(due)") }
  }
}
