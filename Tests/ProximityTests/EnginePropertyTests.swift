import BluetoothLE
import Proximity
import TestSupport
import Testing

/// Random sequences of inputs keep the engine's promises. A sequence that breaks one is made as short as it goes
/// before it is shown.
struct EnginePropertyTests {
  @Test(arguments: [true, false]) func randomSequencesKeepThePromises(isProven: Bool) {
    for seed in 0..<15 {
      let inputs = RandomInputs(seed: UInt64(seed) &* 7919 &+ (isProven ? 0 : 1)).make(300)
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
    var tries = 1000
    while piece >= 1, tries > 0 {
      var start = 0
      while start < inputs.count, tries > 0 {
        tries -= 1
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
  case fix(meters: Double, wait: Double)
  case heading(degrees: Double)
  case restart(pause: Double, other: Bool)
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
    case .fix(let meters, let wait): "fix(\(meters), \(wait))"
    case .heading(let degrees): "heading(\(degrees))"
    case .restart(let pause, let other): "restart(\(pause), \(other))"
    case .advance(let wait): "advance(\(wait))"
    }
  }

  var wait: Double {
    switch self {
    case .hear(_, _, _, let wait), .stranger(_, let wait), .scanner(_, _, let wait), .proof(_, let wait),
      .fix(_, let wait), .advance(let wait):
      wait
    case .restart(let pause, _): pause
    case .step, .add, .remove, .heading: 0
    }
  }

  var isRestart: Bool { if case .restart = self { true } else { false } }

  /// The adapter that the engine is told something of.
  var adapter: Int? {
    switch self {
    case .hear(_, let adapter, _, _), .stranger(let adapter, _), .scanner(let adapter, _, _), .proof(let adapter, _):
      adapter
    case .step, .add, .remove, .fix, .heading, .advance, .restart: nil
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
      case 94..<95: return .remove(region: Int(random.next() % 6))
      case 95: return .fix(meters: random.uniform(-30...30), wait: wait)
      case 93: return .restart(pause: wait * 10, other: random.next() % 4 == 0)
      case 96: return .heading(degrees: random.uniform(-20...20))
      default: return .advance(wait: wait * 4)
      }
    }
  }

  private static func wait(_ random: inout SplitMix) -> Double {
    switch random.next() % 20 {
    case 0: 0
    case 1: 60
    case 2: 20
    case 3..<8: random.uniform(0...0.05)
    default: random.uniform(0...3)
    }
  }
}

/// Runs inputs through an engine and checks what it says.
private enum Promises {
  private static let capacity = 8
  private static let regions = EnginePromises.regions

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
    var scene = EngineScene(settings(isProven))
    var random = SplitMix(seed: seed ?? 0)
    var time = 0.0
    var promises = EnginePromises(capacity: capacity)
    for input in inputs {
      let start = time
      time += input.wait
      // While nobody runs, time is not told.
      if seed != nil, !input.isRestart {
        for part in 1...3 where random.next() % 2 == 0 {
          scene.advance(to: start + (time - start) * 0.25 * Double(part))
        }
      }
      if let adapter = input.adapter { promises.note(adapter: adapter) }
      if input.isRestart { promises.noteRestart(from: scene.engine.state) }
      apply(input, isProven, to: &scene, at: time)
      if let broken = promises.broken(by: scene.events) { return (broken, []) }
    }
    if isProven {
      for adapter in 0..<3 { scene.scanner(.scanning, at: time, adapter: adapter) }
      scene.advance(to: time + 2000)
      if scene.engine.nextDeadline != nil { return ("with nobody there something is still to do", []) }
    }
    return (nil, scene.lines + scene.lists.map { "\($0.time) \($0.beacons.map { $0.estimate?.distance ?? -1 })" })
  }

  private static func settings(_ isProven: Bool) -> EngineSettings {
    var settings = EngineSettings()
    settings.regions = [regions[0], regions[1]]
    settings.mostBeacons = capacity
    settings.isProvenThroughout = isProven
    return settings
  }

  private static func apply(_ input: Input, _ isProven: Bool, to scene: inout EngineScene, at time: Double) {
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
    case .fix(let meters, _):
      // North of the equator, at the date line.
      let coordinate = Coordinate(latitude: meters / 111_195, longitude: 180)
      if let coordinate, let fix = Fix(coordinate, accuracy: 5, from: .gps) {
        scene.engine.take(fix, at: instant, &scene.events)
      }
    case .heading(let degrees):
      if let heading = Heading(trueHeading: degrees, accuracy: 3) {
        scene.engine.take(heading, at: instant, &scene.events)
      }
    case .remove(let region): scene.engine.remove(regions[region].id, at: instant, &scene.events)
    case .restart(let pause, let other):
      var settings = settings(isProven)
      if other { settings.regions = [regions[2], regions[1]] }
      scene.restart(at: time, after: pause, settings)
    case .advance: scene.advance(to: time)
    }
  }
}
