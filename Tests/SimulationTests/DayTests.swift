import Simulation
import TestSupport
import Testing

/// An hour of the simulated day; `beacond-bench day` plays the whole of it.
struct DayTests {
  @Test func whoIsHeardWellComesAndGoesAsTheTruthSays() {
    let scene = Scene.day(beacons: 40, hours: 1)
    let counts = PresenceTally(playing: scene).counts
    // Of 20 beacons three come and go and two die; all are there at some time.
    #expect(counts.trueEnters == 40 && counts.trueExits == 10)
    #expect(counts.missedEnters == 0 && counts.missedExits == 0)
    #expect(counts.falseEnters == 0 && counts.allFalseExits == 0 && counts.returns == 0)
    #expect(counts.enterDelays.count == 40 && counts.exitDelays.count == 10)
    // Nobody waits longer than the longest time-out.
    #expect(counts.exitDelays.allSatisfy { $0 > 0 && $0 <= 900 })
  }

  @Test func underStressHardlyAnybodyLeavesFalsely() {
    let counts = PresenceTally(playing: .dayOfStress(beacons: 40, hours: 1)).counts
    #expect(counts.missedEnters == 0 && counts.missedExits == 0 && counts.falseEnters == 0)
    // Three a beacon and day would be five in all; a day's interference and people come in an hour to few.
    #expect(counts.allFalseExits <= 5)
    #expect(counts.falseExits.allSatisfy { $0 <= 1 })
  }

  @Test func theDayHasAllKindsAndIntervalsAndWhoComesAndGoesDoesSoForLong() {
    let scene = Scene.day()
    let kinds = scene.devices.reduce(into: [Substring: Int]()) {
      $0[$1.name.split(separator: " ")[0], default: 0] += 1
    }
    #expect(kinds.keys.sorted() == ["AltBeacon", "EID", "UID", "URL", "iBeacon"])
    #expect(kinds.values.allSatisfy { $0 >= 30 })
    #expect(Set(scene.devices.map { $0.interval }).isSuperset(of: [0.1, 5, 10, 12.5, 31]))
    let stays = scene.devices.indices.map { scene.presence(device: $0) }
    #expect(stays.count { $0 == [0..<scene.duration] } == 262)
    #expect(stays.count { $0.count > 1 } > 30)
    for (index, spans) in stays.enumerated() where spans.count > 1 {
      #expect(zip(spans, spans.dropFirst()).allSatisfy { $1.lowerBound - $0.upperBound > 1800 })
      // What is far away is out of reach by more than scatter makes good.
      #expect(scene.meanLevel(device: index, adapter: 0, at: 0) < -110)
    }
    for (index, device) in scene.devices.enumerated() where device.track.waypoints.count == 1 {
      #expect((0.5...20).contains(scene.distance(device: index, adapter: 0, at: 0)))
      // 5 dB over the sensitivity at least, but for the place.
      #expect(scene.meanLevel(device: index, adapter: 0, at: 0) > -89)
    }
  }

  @Test func theDayOfStressIsTheSameDay() {
    let day = Scene.day()
    let stressed = Scene.dayOfStress()
    for index in day.devices.indices where day.devices[index].track.waypoints.count > 1 {
      #expect(day.presence(device: index) == stressed.presence(device: index))
    }
    let weak = stressed.devices.indices.filter { stressed.meanLevel(device: $0, adapter: 0, at: 0) < -86 }
      .filter { stressed.devices[$0].track.waypoints.count == 1 }
    #expect(weak.count > 10)
    #expect(weak.allSatisfy { stressed.meanLevel(device: $0, adapter: 0, at: 0) >= -94 })
  }

  @Test func theTallyTellsFoundFromFalseFromMissed() throws {
    var scene = Scene.day(beacons: 4, hours: 1)
    let visitor = 3
    let spans = scene.presence(device: visitor)
    try #require(spans.count == 1 && spans[0].upperBound < scene.duration)
    var tally = PresenceTally(scene)
    for seconds in [5.0, 7] { tally.note(device: 0, isEnter: seconds == 5, at: seconds) }
    tally.note(device: 0, isEnter: true, at: 8)
    tally.note(device: 1, isEnter: true, at: 3000)
    tally.note(device: visitor, isEnter: true, at: spans[0].lowerBound - 40)
    tally.note(device: visitor, isEnter: false, at: spans[0].lowerBound - 35)
    tally.note(device: visitor, isEnter: true, at: spans[0].lowerBound - 2)
    tally.note(device: visitor, isEnter: false, at: spans[0].upperBound + 20)
    tally.note(device: visitor, isEnter: true, at: spans[0].upperBound + 21)
    let counts = tally.counts
    #expect(counts.trueEnters == 4 && counts.trueExits == 1)
    #expect(counts.missedEnters == 1 && counts.missedExits == 0)
    #expect(counts.falseEnters == 2 && counts.returns == 1)
    #expect(counts.falseExits == [1, 0, 0, 0])
    #expect(counts.enterDelays == [-2, 5, 3000] && counts.exitDelays == [20])
    scene.duration = spans[0].lowerBound + 100
    #expect(PresenceTally(scene).counts.trueExits == 0)
  }
}
