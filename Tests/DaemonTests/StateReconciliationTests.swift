import BluetoothLE
import Daemon
import EventLog
import Linux
import Proximity
import Simulation
import TestSupport
import Testing

/// A state that is brought up to the end of the log.
struct StateReconciliationTests {
  private static let regions = """
    regions:
      - {id: all, match: [any], each: true, range: true}
      - {id: house, match: [any], range: true, exit-after: 20 s}
      - {id: near, match: [any], each: true, within: 3 m}
      - {id: desk, match: [any], within: 5 m}
    """

  /// A gateway on a scene, its log so far, and a state that it once saved.
  private struct Run {
    let configuration: Configuration
    var gateway: Gateway
    var json = EventJSON(gateway: "g")
    var lines: [String] = []
    var saved: SavedState?
    var now = Instant(nanoseconds: 0)

    init(_ scene: Scene, _ text: String) throws {
      configuration = try Configuration(text)
      let moment = Moment(utc: scene.start, boot: "6d0f1a2b", sinceBoot: 0)
      gateway = Gateway(configuration, restoring: nil, isProven: true, at: moment)
      keep()
    }

    mutating func take(_ event: SimulatedEvent, since start: UnixTime, _ decoder: inout ReportDecoder) {
      now = Instant(nanoseconds: event.time.nanoseconds - start.nanoseconds)
      event.octets.withUnsafeBytes { octets in
        let packet = CapturedPacket(
          record: 1, time: event.time, adapter: UInt16(event.adapter), content: .hci(.event), octets: Octets(octets),
          isCut: false)
        _ = decoder.decode(packet) { gateway.take($0, from: 0, at: now) }
      }
      keep()
    }

    private mutating func keep() {
      let text = written { output in gateway.takeEvents { json.put($0, into: &output) } }
      lines += text.split(separator: "\n").map(String.init)
    }

    /// The last lines did not reach the disk.
    mutating func lose(_ count: Int) {
      lines.removeLast(min(count, lines.count))
      json = EventJSON(gateway: "g", from: UInt64(lines.count) + 1)
    }

    var state: SavedState { gateway.saved(at: now, after: UInt64(lines.count), isFinal: false) }

    /// What a start would go on from: the lines behind a state, or all.
    func reconciled(_ saved: SavedState?) -> SavedState? {
      var reconciliation = StateReconciliation(saved, watching: configuration.regions)
      for line in lines[Int(saved?.sequence ?? 0)...] {
        withMemory(Array(line.utf8)) { octets in
          if let line = LogLine(octets) { reconciliation.take(line) }
        }
      }
      return reconciliation.finish()
    }
  }

  /// Who is inside what, and what was said of it; and since when, which the log has to the millisecond. It says nothing of
  /// those in a region that keeps no side for each.
  private func sides(_ state: EngineState) -> [String: (state: RegionState, age: Int64?)] {
    var sides: [String: (state: RegionState, age: Int64?)] = [:]
    for region in state.regions { sides[region.id] = (region.state, region.inside) }
    for beacon in state.beacons {
      for (id, part) in beacon.memberships where part.inside != nil && (id == "all" || id == "near") {
        sides["\(id) \(beacon.identity)"] = (part.state, part.inside)
      }
    }
    return sides
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func atAnyMomentTheLogTellsWhoIsInside(seed: UInt64) throws {
    let scene = Scene.day(beacons: 12, hours: 0.2, seed: seed)
    var simulator = Simulator(scene)
    var run = try Run(scene, Self.regions)
    var decoder = ReportDecoder(joiningFragments: false)
    var random = SplitMix(seed: seed)
    var compared = 0
    while simulator.step({ run.take($0, since: scene.start, &decoder) }) {
      if random.next() % 400 == 0 { run.saved = run.state }
      guard random.next() % 200 == 0 else { continue }
      let expected = run.state
      for saved in [nil, run.saved] {
        let state = try #require(run.reconciled(saved))
        #expect(state.sequence == expected.sequence && !state.isFinal)
        let found = sides(state.engine)
        // A region of which nothing was said yet is not in the log either.
        let wanted = sides(expected.engine).filter { found[$0.key] != nil || $0.value.age != nil }
        #expect(Set(found.keys) == Set(wanted.keys))
        // The state ends with its newest event, and what it has saved before was never newer.
        let pause = expected.moment.nanoseconds(since: state.moment)
        #expect(pause >= 0)
        for (subject, side) in wanted {
          #expect(found[subject]?.state == side.state, "\(subject)")
          let difference = found[subject]?.age.flatMap { age in side.age.map { $0 - age - pause } }
          #expect(found[subject]?.age == nil ? side.age == nil : abs(difference ?? .max) <= 2_000_000, "\(subject)")
        }
        #expect(state.engine.beacons.allSatisfy { $0.silence == 0 })
        compared += wanted.count
      }
    }
    #expect(compared > 1000 && run.lines.count > 500)
  }

  @Test func aGatewayThatGoesOnFromTheLogLetsNobodyEnterTwice() throws {
    // Cut anywhere, with the lines before the cut but for a few that had not reached the disk; and on with the rest of the
    // scene.
    let scene = Scene.day(beacons: 12, hours: 0.1, seed: 7)
    var random = SplitMix(seed: 7)
    for _ in 0..<12 {
      var simulator = Simulator(scene)
      var run = try Run(scene, Self.regions)
      var decoder = ReportDecoder(joiningFragments: false)
      let end = Int64(random.next() % 340) * 1_000_000_000
      var isRestarted = false
      while simulator.step({ run.take($0, since: scene.start, &decoder) }) {
        guard !isRestarted, run.now.nanoseconds > end else { continue }
        isRestarted = true
        run.lose(Int(random.next() % 4))
        let moment = run.state.moment
        run.gateway = Gateway(run.configuration, restoring: run.reconciled(nil), isProven: true, at: moment)
      }
      #expect(isRestarted)
      var inside: Set<String> = []
      for line in run.lines {
        withMemory(Array(line.utf8)) { octets in
          guard let line = LogLine(octets), line.event == .didEnter || line.event == .didExit, let json = line.json
          else { return }
          var subject = line.region ?? ""
          if json["scope"]?.string == "beacon" {
            subject += " \(json["beacon"].flatMap { BeaconIdentity($0) }.map { "\($0)" } ?? "")"
          }
          if line.event == .didEnter {
            #expect(inside.insert(subject).inserted, "\(subject) entered twice")
          } else {
            #expect(inside.remove(subject) != nil, "\(subject) left twice")
          }
        }
      }
    }
  }

  @Test func whoEnteredInEventsThatWereRemovedIsFoundByTheStateThatWasSaidSince() throws {
    let scene = Scene.day(beacons: 12, hours: 0.1, seed: 8)
    var simulator = Simulator(scene)
    var run = try Run(scene, Self.regions)
    var decoder = ReportDecoder(joiningFragments: false)
    var firstLine = 0
    while simulator.step({ run.take($0, since: scene.start, &decoder) }) {
      guard firstLine == 0, run.now.nanoseconds > 120_000_000_000 else { continue }
      firstLine = run.lines.count
      run.gateway = Gateway(run.configuration, restoring: run.state, isProven: true, at: run.state.moment)
    }
    let expected = sides(run.state.engine)
    run.lines.removeFirst(firstLine)
    let found = try #require(run.reconciled(nil))
    let inside = sides(found.engine).filter { $0.value.age != nil }.keys
    #expect(Set(inside) == Set(expected.filter { $0.value.age != nil }.keys))
    #expect(inside.count > 10)
  }

  @Test func aFinalStateWithNothingBehindItIsAsItWas() throws {
    var state = SavedState(EngineState(), at: Moment(utc: UnixTime(nanoseconds: 1)), after: 7, isFinal: true)
    var beacon = SavedBeacon(BeaconIdentity(eddystoneEID: 7), age: 5, silence: 3)
    beacon.memberships["a"] = SavedMembership(inside: 9, state: .inside, isPresent: true)
    state.engine.beacons = [beacon]
    var reconciliation = StateReconciliation(state, watching: [])
    let same = reconciliation.finish()
    #expect(same == state)
    var nothing = StateReconciliation(nil, watching: [])
    #expect(nothing.finish() == nil)
  }

  /// A line with the common keys; `rest` is what follows the region.
  private func line(_ event: String, _ rest: String) -> String {
    #"{"seq":8,"time":"2026-12-01T08:30:00.000Z","event":"\#(event)","gateway":"g","region":"a"\#(rest)}"#
  }

  @Test func hostileLinesChangeNothingThatTheyDoNotSay() throws {
    let beacon = #","scope":"beacon","beacon":{"kind":"eddystone-eid","eid":"0000000000000007"}"#
    let hostile = [
      line("didEnter", ""), line("didExit", ""), line("didDetermineState", #","state":"asleep""#),
      line("didEnter", #","scope":"beacon","beacon":{"kind":"unicorn"}"#), line("didEnter", #","scope":7,"beacon":[]"#),
      line("didExit", beacon + #","cause":"boredom","lastSeen":"yesterday""#),
      line("didRange", #","beacons":{"beacon":1}"#), line("didRange", #","beacons":[1,{"beacon":null}]"#), "{",
    ]
    for text in hostile {
      var reconciliation = StateReconciliation(nil, watching: [])
      withMemory(Array(text.utf8)) { octets in
        if let line = LogLine(octets) { reconciliation.take(line) }
      }
      #expect(reconciliation.finish()?.engine.beacons.isEmpty ?? true, "\(text)")
    }
  }
}
