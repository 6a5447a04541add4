import BluetoothLE
import Proximity
import TestSupport
import Testing

/// Random sequences of inputs keep the engine's promises. A sequence that breaks one is made as short as it goes
/// before it is shown.
struct EnginePropertyTests {
  @Test(arguments: [true, false]) func randomSequencesKeepThePromises(isProven: Bool) {
    for seed in 0..<150 {
      let inputs = RandomInputs(seed: UInt64(seed) &* 7919 &+ (isProven ? 0 : 1)).make(400)
      guard Promises.broken(inputs, isProven) != nil else { continue }
      let short = Self.shrink(inputs) { Promises.broken($0, isProven) != nil }
      Issue.record("seed \(seed): \(Promises.broken(short, isProven) ?? "") after \(short)")
      return
    }
  }

  @Test func shrinkingFindsTheInputsThatMatter() {
    let inputs = RandomInputs(seed: 3).make(200)
    let short = Self.shrink(inputs) { inputs in
      inputs.filter { if case .step = $0 { true } else { false } }.count >= 2
    }
    #expect(short.count == 2)
  }

  /// Leaves out what can be left out, in ever smaller pieces.
  private static func shrink(_ inputs: [Input], while isBroken: ([Input]) -> Bool) -> [Input] {
    var inputs = inputs
    var piece = inputs.count / 2
    while piece >= 1 {
      var start = 0
      while start < inputs.count {
        var shorter = inputs
        shorter.removeSubrange(start..<min(start + piece, inputs.count))
        if isBroken(shorter) { inputs = shorter } else { start += piece }
      }
      piece /= 2
    }
    return inputs
  }
}

/// One input, `wait` seconds after the one before.
private enum Input: CustomStringConvertible {
  case hear(beacon: Int, adapter: Int, rssi: Int8, wait: Double)
  case stranger(adapter: Int, wait: Double)
  case scanner(adapter: Int, ScannerState, wait: Double)
  case proof(adapter: Int, wait: Double)
  case step(hours: Int)
  case add(region: Int)
  case remove(region: Int)
  case advance(wait: Double)

  var description: String {
    switch self {
    case .hear(let beacon, let adapter, let rssi, let wait): "hear(\(beacon), \(adapter), \(rssi), \(wait))"
    case .stranger(let adapter, let wait): "stranger(\(adapter), \(wait))"
    case .scanner(let adapter, let state, let wait): "scanner(\(adapter), \(state), \(wait))"
    case .proof(let adapter, let wait): "proof(\(adapter), \(wait))"
    case .step(let hours): "step(\(hours))"
    case .add(let region): "add(\(region))"
    case .remove(let region): "remove(\(region))"
    case .advance(let wait): "advance(\(wait))"
    }
  }

  var wait: Double {
    switch self {
    case .hear(_, _, _, let wait), .stranger(_, let wait), .scanner(_, _, let wait), .proof(_, let wait),
      .advance(let wait):
      wait
    case .step, .add, .remove: 0
    }
  }
}

private struct RandomInputs {
  var random: SplitMix

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
  }

  func make(_ count: Int) -> [Input] {
    var random = random
    return (0..<count).map { _ in
      let wait = Self.wait(&random)
      let adapter = Int(random.next() % 3)
      switch random.next() % 100 {
      case 0..<70:
        return .hear(
          beacon: Int(random.next() % 12), adapter: adapter, rssi: Int8(-45 - Int(random.next() % 55)), wait: wait)
      case 70..<78: return .stranger(adapter: adapter, wait: wait)
      case 78..<84:
        return .scanner(adapter: adapter, random.next() % 2 == 0 ? .stopped : .scanning, wait: wait)
      case 84..<88: return .proof(adapter: adapter, wait: wait)
      case 88..<90: return .step(hours: Int(random.next() % 700) - 350)
      case 90..<93: return .add(region: Int(random.next() % 6))
      case 93..<95: return .remove(region: Int(random.next() % 6))
      default: return .advance(wait: wait * 20)
      }
    }
  }

  private static func wait(_ random: inout SplitMix) -> Double {
    switch random.next() % 20 {
    case 0: 0
    case 1: 200
    case 2: 30
    case 3..<8: random.uniform(0...0.05)
    default: random.uniform(0...3)
    }
  }
}

/// Runs inputs through an engine and checks what it says.
private enum Promises {
  private static let capacity = 8
  private static let regions = [
    BeaconRegion.everything,
    BeaconRegion(id: "zone", patterns: [.any], each: true, isRanged: true, zone: ZoneLimit(meters: 3)),
    BeaconRegion(id: "quick", patterns: [.any], each: true, exitAfter: 4, entersOnFirstPacket: true),
    BeaconRegion(id: "assumed", patterns: [.any], assuming: .inside),
    BeaconRegion(id: "open", patterns: [.any], isRanged: true, assuming: .unknown),
    BeaconRegion(id: "devices", patterns: [.any], each: true, distinguishesAddresses: true),
  ]

  /// The promise that is broken, in words; nil if none is.
  static func broken(_ inputs: [Input], _ isProven: Bool) -> String? {
    let whole = run(inputs, isProven, cutting: nil)
    if let broken = whole.broken { return broken }
    let cut = run(inputs, isProven, cutting: 5)
    return cut.lines == whole.lines ? nil : "events depend on how time is cut up"
  }

  private static func run(
    _ inputs: [Input], _ isProven: Bool, cutting seed: UInt64?
  ) -> (broken: String?, lines: [String]) {
    var settings = EngineSettings()
    settings.regions = [regions[0], regions[1]]
    settings.mostBeacons = capacity
    settings.isProvenThroughout = isProven
    var scene = EngineScene(settings)
    var random = SplitMix(seed: seed ?? 0)
    var time = 0.0
    var checker = Checker()
    for input in inputs {
      let start = time
      time += input.wait
      if seed != nil {
        for part in 1...3 where random.next() % 2 == 0 {
          scene.advance(to: start + (time - start) * 0.25 * Double(part))
        }
      }
      apply(input, to: &scene, at: time)
      checker.note(input)
      if let broken = checker.check(scene.events) { return (broken, []) }
    }
    return (nil, scene.lines + scene.lists.map { "\($0.time) \($0.beacons.map { $0.estimate?.distance ?? -1 })" })
  }

  private static func apply(_ input: Input, to scene: inout EngineScene, at time: Double) {
    let instant = EngineScene.instant(time)
    switch input {
    case .hear(let beacon, let adapter, let rssi, _):
      // Beacons 10 and 11 are two devices of one identity.
      let data = Advertisement.iBeacon(major: 1, minor: UInt16(min(beacon, 10)))
      scene.hear(data, at: time, rssi: rssi, address: 0xc000_0000_0000 + UInt64(beacon), adapter: adapter)
    case .stranger(let adapter, _):
      scene.hear([0x02, 0x01, 0x06], at: time, address: 0x4000_0000_0001, adapter: adapter)
    case .scanner(let adapter, let state, _): scene.scanner(state, at: time, adapter: adapter)
    case .proof(let adapter, _): scene.proof(at: time, adapter: adapter)
    case .step(let hours):
      let utc = instant.nanoseconds + Int64(hours) * 3_600_000_000_000
      scene.engine.setUTC(UnixTime(nanoseconds: utc), at: instant, &scene.events)
    case .add(let region): scene.engine.add(regions[region], at: instant, &scene.events)
    case .remove(let region): scene.engine.remove(regions[region].id, at: instant, &scene.events)
    case .advance: scene.advance(to: time)
    }
  }

  /// What must hold of every event, in the light of those before.
  private struct Checker {
    private struct Key: Hashable {
      let region: String
      let beacon: BeaconIdentity?
    }

    private var inside: Set<Key> = []
    private var states: [Key: RegionState] = [:]
    private var checked = 0
    private var down: Set<Int> = []
    private var known: Set<Int> = []

    mutating func note(_ input: Input) {
      switch input {
      case .hear(_, let adapter, _, _), .stranger(let adapter, _), .proof(let adapter, _): known.insert(adapter)
      case .scanner(let adapter, _, _): known.insert(adapter)
      case .step, .add, .remove, .advance: break
      }
    }

    mutating func check(_ batch: EventBatch) -> String? {
      defer { checked = batch.events.count }
      for event in batch.events[checked...] {
        if let broken = check(event, batch) { return broken }
      }
      return nil
    }

    private mutating func check(_ event: Event, _ batch: EventBatch) -> String? {
      switch event.content {
      case .didStartMonitoring:
        states = states.filter { $0.key.region != event.region }
        if event.region == "assumed" { inside.insert(Key(region: event.region, beacon: nil)) }
        return inside.contains { $0.region == event.region && $0.beacon != nil } ? "starts with somebody inside" : nil
      case .didDetermineState(let subject, let state):
        let key = key(event, subject)
        defer { states[key] = state }
        return states[key] == state ? "a state is said twice: \(state)" : nil
      case .didEnter(let subject):
        let key = key(event, subject)
        if states[key] != .inside { return "entered without being determined inside" }
        return inside.insert(key).inserted ? nil : "entered twice: \(event.region)"
      case .didExit(let subject, _, let dwell, let cause):
        if inside.remove(key(event, subject)) == nil { return "left without having entered: \(event.region)" }
        if dwell < 0 { return "a negative dwell" }
        let isByTime = cause == .silence || cause == .unobserved
        return isByTime && !known.isEmpty && known.isSubset(of: down) ? "left while every adapter was down" : nil
      case .didRange(let range, _):
        return isSorted(batch.ranged[range]) ? nil : "a list is not sorted"
      case .scannerDidChange(let report):
        let adapter = Int(report.name.dropFirst(3)) ?? -1
        if report.state == .stopped { down.insert(adapter) } else { down.remove(adapter) }
        return nil
      case .monitoringDidFail, .didFailRanging:
        return nil
      }
    }

    private func key(_ event: Event, _ subject: Subject) -> Key {
      switch subject {
      case .region: Key(region: event.region, beacon: nil)
      case .beacon(let beacon): Key(region: event.region, beacon: beacon.identity)
      }
    }

    private func isSorted(_ list: ArraySlice<RangedBeacon>) -> Bool {
      zip(list, list.dropFirst()).allSatisfy { a, b in
        if a.proximity != b.proximity { return a.proximity < b.proximity }
        let (near, far) = (a.estimate?.distance ?? 0, b.estimate?.distance ?? 0)
        return near == far ? a.beacon.identity < b.beacon.identity : near < far
      }
    }
  }
}
