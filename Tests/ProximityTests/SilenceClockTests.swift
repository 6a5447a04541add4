import Proximity
import TestSupport
import Testing

/// One region with one beacon, as an engine runs it: the exit comes from the clock, between packets.
struct Presence {
  var clock = SilenceClock()
  var rule = EnterRule()
  var settings = PresenceSettings()
  var enters: [Double] = []
  var exits: [Double] = []
  var isInside: Bool { enters.count > exits.count }

  mutating func advance(to seconds: Double) {
    guard isInside, let last = clock.lastHeard else { return }
    let due = last.seconds(since: at(0)) + clock.timeOuts(settings).exit
    guard due < seconds else { return }
    exits.append(due)
    rule.exited(at: at(due))
  }

  mutating func hear(_ rssi: Int8, _ seconds: Double) {
    advance(to: seconds)
    let isThere = rule.heard(rssi: rssi, at: at(seconds), before: clock, settings)
    if isThere && !isInside { enters.append(seconds) }
    clock.heard(rssi: rssi, at: at(seconds))
  }

  /// A beacon heard every `interval` seconds (and the up to 10 ms that a beacon adds), but for the share that is lost.
  mutating func hear(
    every interval: Double, from start: Double, to end: Double, level: Double, loss: Double, _ random: inout SplitMix
  ) {
    var now = start
    while now < end {
      if !random.chance(loss) { hear(Int8(max(min(level + 5.5 * random.normal(), 0), -110)), now) }
      now += interval + random.uniform(0...0.01)
    }
  }
}

struct SilenceClockTests {
  @Test func aStrangerGetsThreeMinutes() {
    var clock = SilenceClock()
    for i in 0..<4 {
      clock.heard(rssi: -70, at: at(Double(i)))
      #expect(clock.timeOuts(PresenceSettings()) == timeOuts(exit: 180, unknown: 15))
      #expect(clock.timeOuts(PresenceSettings(exitAfter: 10)) == timeOuts(exit: 10, unknown: 10))
    }
    clock.heard(rssi: -70, at: at(4))
    #expect(clock.timeOuts(PresenceSettings()).exit < 180)
  }

  private func timeOuts(exit: Double, unknown: Double) -> SilenceTimeOuts {
    SilenceTimeOuts(unknown: unknown, exit: exit)
  }

  @Test(arguments: [0, 0.02, 0.1, 1, 5, 12.5, 60, 600, 1e6])
  func theExitIsBounded(interval: Double) {
    var clock = SilenceClock()
    for i in 0..<200 {
      clock.heard(rssi: -70, at: at(Double(i) * interval))
      let learned = clock.timeOuts(PresenceSettings())
      #expect(learned.exit >= 5 && learned.exit <= 900)
      #expect(learned.unknown >= 3 && learned.unknown <= learned.exit)
      let set = clock.timeOuts(PresenceSettings(exitAfter: 30))
      #expect(set.exit == 30 && set.unknown <= 30)
    }
  }

  @Test func aWeakBeaconGetsMoreTime() {
    func exit(rssi: Int8, sensitivity: Double = -94) -> Double {
      var clock = SilenceClock()
      for i in 0..<100 { clock.heard(rssi: rssi, at: at(Double(i) * 0.1)) }
      return clock.timeOuts(PresenceSettings(sensitivity: sensitivity)).exit
    }
    #expect(exit(rssi: -60) == 5)
    #expect(abs(exit(rssi: -81) - (5 + 60 * 12.0 / 25)) < 1e-9)
    #expect(exit(rssi: -100) == 65)
    #expect(exit(rssi: -81, sensitivity: -106) == 5)
  }

  @Test func anAbsenceIsNotTakenForTheRhythm() {
    var clock = SilenceClock()
    for i in 0..<100 { clock.heard(rssi: -70, at: at(Double(i))) }
    clock.heard(rssi: -70, at: at(100_000))
    #expect(clock.meanGap < 1.2)
    #expect(clock.lastHeard == at(100_000))
  }

  @Test func aPacketWithoutRSSICountsForTheRhythmAlone() {
    var clock = SilenceClock()
    clock.heard(rssi: 127, at: at(0))
    #expect(clock.longTermLevel == -94)
    clock.heard(rssi: -70, at: at(2))
    #expect(clock.longTermLevel == -70)
    clock.heard(rssi: 127, at: at(4))
    #expect(clock.longTermLevel == -70)
    #expect(clock.meanGap == 2)
    #expect(clock.gaps == 2)
  }

  @Test func levelsFadeFromMemory() {
    var clock = SilenceClock()
    clock.heard(rssi: -70, at: at(0))
    clock.heard(rssi: -80, at: at(120))
    #expect(abs(clock.longTermLevel - (-70 - 10 / (1 + Double.exp(-1)))) < 1e-9)
  }

  @Test func hostileInputIsHarmless() {
    var random = SplitMix(seed: 6)
    let edges: [Int64] = [.min, -1, 0, 1, .max]
    for _ in 0..<200 {
      var clock = SilenceClock()
      var rule = EnterRule()
      for _ in 0..<100 {
        let wild = Int64(bitPattern: random.next())
        let now = Instant(nanoseconds: random.chance(0.5) ? wild : edges[Int(random.next() % 5)])
        let rssi = Int8(truncatingIfNeeded: random.next())
        _ = rule.heard(rssi: rssi, at: now, before: clock, PresenceSettings())
        if random.chance(0.1) { rule.exited(at: now) }
        clock.heard(rssi: rssi, at: now)
        let timeOuts = clock.timeOuts(PresenceSettings())
        #expect(
          timeOuts.exit >= 5 && timeOuts.exit <= 900 && timeOuts.unknown >= 0 && timeOuts.unknown <= timeOuts.exit)
        #expect(clock.longTermLevel >= -120 && clock.longTermLevel < 20)
      }
    }
  }

  /// Others flap with a fixed 10 or 30 s.
  @Test(arguments: [12.5, 31], [0, 0.3])
  func slowBeaconsDoNotFlapAndComeBack(interval: Double, loss: Double) {
    var random = SplitMix(seed: 7)
    var presence = Presence()
    presence.hear(every: interval, from: 0, to: 43_200, level: -80, loss: loss, &random)
    #expect(presence.enters.count == 1 && presence.exits.isEmpty)
    // Away for an hour.
    presence.hear(every: interval, from: 46_800, to: 90_000, level: -80, loss: loss, &random)
    #expect(presence.exits.count == 1 && presence.enters.count == 2)
    #expect(presence.exits.allSatisfy { $0 < 43_200 + 900 })
    #expect(presence.enters.allSatisfy { $0 < 400 || $0 >= 46_800 && $0 < 47_200 }, "\(presence.enters)")
  }

  @Test(arguments: [0.6, 0.65, 0.7], [1, 2, 3] as [UInt64])
  func aDayOfHeavyLossDoesNotFlap(loss: Double, seed: UInt64) {
    var random = SplitMix(seed: seed)
    var presence = Presence()
    // 5 m away: -59 dBm at 1 m, less 18 log10 5.
    presence.hear(every: 1, from: 0, to: 86_400, level: -71.6, loss: loss, &random)
    #expect(presence.enters.count == 1 && presence.exits.isEmpty)
    presence.advance(to: 90_000)
    #expect(presence.exits.count == 1 && presence.exits.allSatisfy { $0 < 86_400 + 90 })
  }
}
