import Linux
import Simulation
import TestSupport

/// A simulated day: what the engine says of who came and left, held against the simulation's truth.
struct DayBenchmark {
  private var isStressed = false
  private var hours = 24.0
  private var beacons = 350
  private var seed: UInt64?

  init(_ arguments: [String]) throws(BenchFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard let value = rest.popFirst() else { throw .usage }
      switch argument {
      case "--scene":
        guard value == "day" || value == "day-stress" else { throw .usage }
        isStressed = value == "day-stress"
      case "--seed":
        guard let number = UInt64(value) else { throw .usage }
        seed = number
      case "--hours":
        guard let number = Double(value), number >= 1, number <= 240 else { throw .usage }
        hours = number
      case "--beacons":
        guard let number = Int(value), (1...4000).contains(number) else { throw .usage }
        beacons = number
      default: throw .usage
      }
    }
  }

  func run() throws(BenchFailure) {
    let seed = seed ?? Scene.daySeed
    let scene: Scene =
      isStressed
      ? .dayOfStress(beacons: beacons, hours: hours, seed: seed)
      : .day(beacons: beacons, hours: hours, seed: seed)
    let counts = PresenceTally(playing: scene).counts
    let days = Double(beacons) * hours / 24
    let mean = Double(counts.allFalseExits) / days
    let open = zip(counts.falseExits, counts.hiddenExits).map { $0 - $1 }
    // Three a beacon and day; a part of a day has its part of them, but never less than one.
    let most = isStressed ? max(1, Int(3 * hours / 24)) : 0

    var output = OutputBuffer(FileDescriptor.standardOutput)
    output.put(string: "\(scene.name), seed \(seed): \(beacons) beacons, \(decimal(hours, places: 1)) h\n")
    output.put(row: "", ["enters", "exits"])
    output.put(row: "true", ["\(counts.trueEnters)", "\(counts.trueExits)"])
    output.put(row: "found", ["\(counts.enterDelays.count)", "\(counts.exitDelays.count)"])
    output.put(row: "missed", ["\(counts.missedEnters)", "\(counts.missedExits)"])
    output.put(row: "false", ["\(counts.falseEnters)", "\(counts.allFalseExits)"])
    output.put(row: "again after a false exit", ["\(counts.returns)", ""])
    for (name, share) in [("delay, median, s", 0.5), ("delay, 95 %, s", 0.95), ("delay, longest, s", 1)] {
      let delays = [counts.enterDelays, counts.exitDelays]
      output.put(row: name, delays.map { decimal(quantile($0, share), places: 1) })
    }
    output.put(
      string:
        "false exits: \(decimal(mean, places: 3)) a beacon and day; at most \(counts.falseExits.max() ?? 0) of one "
        + "beacon, \(open.max() ?? 0) but for those while somebody hid it\n")
    output.put(
      string: "             \(counts.hiddenExits.reduce(0, +)) while somebody hid the beacon, "
        + "\(counts.falseExits.count { $0 > 3 }) beacons with more than 3\n")
    output.flush()
    // A stay or an absence that is not found at all is wrong in either scene.
    guard open.allSatisfy({ $0 <= most }), mean <= Double(most), counts.falseEnters == 0, counts.missedEnters == 0,
      counts.missedExits == 0
    else { throw .failed("\(scene.name): a beacon with more than \(most) false exits, or a false or missed event") }
  }
}
