import Glibc
import Linux
import Proximity
import Simulation

/// The two stages of ranging by themselves, in this process: a packet into the level filter, and a level to a distance.
struct StageBenchmark {
  private enum Stage: String, CaseIterable {
    case level, distance, distribution
  }

  private var stages = Stage.allCases
  private var calls = 1_000_000
  private var rounds = 7

  init(_ arguments: [String]) throws(BenchFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard let value = rest.popFirst() else { throw .usage }
      switch argument {
      case "--stage":
        guard let stage = Stage(rawValue: value) else { throw .usage }
        stages = [stage]
      case "--calls":
        guard let number = Int(value), number > 0 else { throw .usage }
        calls = number
      case "--rounds":
        guard let number = Int(value), number > 0 else { throw .usage }
        rounds = number
      default: throw .usage
      }
    }
  }

  func run() throws(BenchFailure) {
    var output = OutputBuffer(FileDescriptor.standardOutput)
    output.put(row: "", ["shortest ns", "median ns", "checksum"])
    for stage in stages {
      var room = StageRoom()
      var times: [Double] = []
      for _ in 0..<rounds {
        let start = nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID)
        switch stage {
        case .level: room.updateLevels(calls)
        case .distance: room.estimateDistances(calls)
        case .distribution: room.estimateDistributions(calls)
        }
        times.append((nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) - start) / Double(calls))
      }
      output.put(
        row: stage.rawValue,
        [
          decimal(times.min() ?? .nan, places: 1), decimal(quantile(times, 0.5), places: 1),
          decimal(room.sum, places: 3),
        ])
    }
    output.put(string: "\(calls) calls a round, \(rounds) rounds\n")
    output.flush()
  }
}

/// A room of beacons whose packets come in turn, each beacon's half a second apart or so and scattered as radio scatters.
private struct StageRoom {
  private static let beacons = 350

  private var filters: [LevelFilter]
  private let powers: [PowerAtOneMeter]
  private let model = DistanceModel()
  /// Scatter in dB, and nanoseconds to the next packet of the room; used in turn.
  private let scatter: [Int8]
  private let gaps: [Int64]
  private var turn = 0
  private var now: Int64 = 1_000_000_000_000
  /// Of what came out, so that the compiler leaves nothing out.
  private(set) var sum = 0.0

  init() {
    var random = SplitMix(seed: 1)
    filters = Array(repeating: LevelFilter(), count: Self.beacons)
    powers = (0..<Self.beacons).map { PowerAtOneMeter(advertised: -55 - $0 % 11) }
    // A number of its own that shares no factor with the beacons': each meets all of it.
    scatter = (0..<4099).map { _ in Int8.random(in: -9...9, using: &random) }
    let mean = 500_000_000 / Int64(Self.beacons)
    gaps = (0..<4099).map { _ in Int64.random(in: 0...2 * mean, using: &random) }
    // Past the first packets, which cost less.
    updateLevels(10 * Self.beacons)
  }

  /// Stage A: takes in `count` packets.
  mutating func updateLevels(_ count: Int) {
    for _ in 0..<count {
      turn += 1
      now += gaps[turn % gaps.count]
      let beacon = turn % Self.beacons
      let rssi = -70 + Int8(beacon % 24) + scatter[turn % scatter.count]
      filters[beacon].update(rssi: rssi, at: Instant(nanoseconds: now))
    }
    sum += filters[turn % Self.beacons].level(at: Instant(nanoseconds: now))?.mean ?? 0
  }

  /// Stage B: reads `count` levels, and makes a distance with its interval of each.
  mutating func estimateDistances(_ count: Int) {
    for _ in 0..<count {
      guard let (level, power) = nextLevel() else { continue }
      let estimate = model.estimate(level: level, power: power)
      sum += estimate.distance + estimate.interval68.low + estimate.interval68.high
    }
  }

  /// ... and all that is known of the distance.
  mutating func estimateDistributions(_ count: Int) {
    for _ in 0..<count {
      guard let (level, power) = nextLevel() else { continue }
      let distribution = model.distribution(level: level, power: power)
      sum += distribution.estimate.distance + distribution.interval95.high + distribution.probabilityNear
    }
  }

  /// The next beacon's level, scattered anew so that no call is like one before it.
  private mutating func nextLevel() -> (Level, PowerAtOneMeter)? {
    turn += 1
    let beacon = turn % Self.beacons
    guard var level = filters[beacon].level(at: Instant(nanoseconds: now)) else { return nil }
    level.mean += Double(scatter[turn % scatter.count])
    return (level, powers[beacon])
  }
}

/// What a clock of the C library reads, in nanoseconds; there is one for what a process or a thread has used.
func nanoseconds(of clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
