import Proximity
import Testing

struct EnterRuleTests {
  /// Whether each of these packets lets the beacon in, after an exit by silence at `exit` if there was one.
  private func entries(
    _ packets: [(seconds: Double, rssi: Int8)], exit: Double? = nil, settings: PresenceSettings = PresenceSettings(),
    clock: SilenceClock = SilenceClock()
  ) -> [Bool] {
    var clock = clock
    var rule = EnterRule()
    if let exit { rule.exited(at: at(exit)) }
    return packets.map { packet in
      defer { clock.heard(rssi: packet.rssi, at: at(packet.seconds)) }
      return rule.heard(rssi: packet.rssi, at: at(packet.seconds), before: clock, settings)
    }
  }

  /// A beacon of 1 s heard up to and at 0 s.
  private var known: SilenceClock {
    var clock = SilenceClock()
    for i in -20...0 { clock.heard(rssi: -80, at: at(Double(i))) }
    return clock
  }

  @Test func twoPacketsCloseTogetherEnter() {
    #expect(entries([(0, -80), (40, -80)]) == [false, true])
    #expect(entries([(0, -80), (40.1, -80), (81, -80)]) == [false, false, false])
  }

  @Test func theWindowFollowsTheRhythm() {
    // The gap of 100 s counts as 12 s, so the mean is 1 + 11/21 s by then, and the window 7.62 s.
    #expect(entries([(100, -80), (107.6, -80)], clock: known) == [false, true])
    #expect(entries([(100, -80), (107.64, -80)], clock: known) == [false, false])
    var fast = SilenceClock()
    for i in 0..<50 { fast.heard(rssi: -80, at: at(Double(i) * 0.1)) }
    #expect(entries([(5, -80), (8, -80)], clock: fast) == [false, true])
    #expect(entries([(5, -80), (8.1, -80)], clock: fast) == [false, false])
  }

  @Test func oneStrongPacketEnters() {
    #expect(entries([(0, -73)]) == [true])
    #expect(entries([(0, -74)]) == [false])
    #expect(entries([(0, -83)], settings: PresenceSettings(sensitivity: -104)) == [true])
  }

  @Test(arguments: [127, 20, 60] as [Int8])
  func anImpossibleRSSIIsNotStrong(rssi: Int8) {
    #expect(entries([(0, rssi)]) == [false])
    // It was a packet all the same.
    #expect(entries([(0, rssi), (1, rssi)]) == [false, true])
  }

  @Test func afterAnExitBySilenceThreePacketsAreNeeded() {
    #expect(entries([(1, -80), (2, -80), (3, -80)], exit: 0) == [false, false, true])
    #expect(entries([(1, -40), (2, -40), (3, -40)], exit: 0) == [false, false, true])
    #expect(
      entries([(1, -80), (6, -80), (11.1, -80), (12, -80)], exit: 0, clock: known) == [false, false, false, true])
  }

  @Test func packetsBeforeTheExitDoNotCount() {
    var rule = EnterRule()
    let clock = known
    for seconds in [0.0, 1] { _ = rule.heard(rssi: -80, at: at(seconds), before: clock, PresenceSettings()) }
    rule.exited(at: at(6))
    let late = [7.0, 8, 9].map { rule.heard(rssi: -80, at: at($0), before: clock, PresenceSettings()) }
    #expect(late == [false, false, true])
  }

  @Test func aMinuteAfterTheExitAllIsAsBefore() {
    #expect(entries([(59.9, -40)], exit: 0) == [false])
    #expect(entries([(60, -40)], exit: 0) == [true])
    #expect(entries([(59, -80), (61, -80)], exit: 0) == [false, true])
  }

  @Test func aRegionMayAskForOnePacket() {
    let settings = PresenceSettings(entersOnFirstPacket: true)
    #expect(entries([(0, -100)], settings: settings) == [true])
    #expect(entries([(0, 127)], settings: settings) == [true])
    #expect(entries([(1, -100)], exit: 0, settings: settings) == [true])
  }

  @Test func anOlderStampCountsAsTheNewest() {
    #expect(entries([(100, -80), (0, -80)]) == [false, true])
  }
}
