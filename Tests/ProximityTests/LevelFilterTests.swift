import Proximity
import TestSupport
import Testing

/// `seconds` after the clock's start.
func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 0).advanced(by: seconds) }

struct LevelFilterTests {
  @Test func nothingIsKnownBeforeTheFirstPacket() {
    var filter = LevelFilter()
    #expect(filter.level(at: at(0)) == nil)
    filter.update(rssi: 127, at: at(0))
    #expect(filter.level(at: at(1)) == nil)
    filter.update(rssi: -70, at: at(2))
    #expect(filter.level(at: at(2)) == Level(mean: -70, variance: 30, probabilityOfMoving: 0.5))
  }

  @Test(arguments: [127, 20, 100, -121, -128] as [Int8])
  func anImpossibleRSSIChangesNothing(rssi: Int8) {
    #expect(!LevelFilter.accepts(rssi: rssi))
    var filter = LevelFilter()
    for i in 0..<5 { filter.update(rssi: -70, at: at(Double(i))) }
    let before = filter.level(at: at(9))
    filter.update(rssi: rssi, at: at(7))
    #expect(filter.level(at: at(9)) == before)
  }

  @Test(arguments: [19, 0, -120] as [Int8])
  func aPossibleRSSICounts(rssi: Int8) throws {
    #expect(LevelFilter.accepts(rssi: rssi))
    var filter = LevelFilter()
    filter.update(rssi: rssi, at: at(0))
    #expect(try #require(filter.level(at: at(0))).mean == Double(rssi))
  }

  @Test func aStrayStrongPacketMovesTheEstimateLittle() throws {
    var filter = LevelFilter()
    let model = DistanceModel()
    let power = PowerAtOneMeter(advertised: -59)
    var distances: [Double] = []
    for (i, rssi) in ([-70, -65, -72, -31, 127] as [Int8]).enumerated() {
      filter.update(rssi: rssi, at: at(Double(i)))
      distances.append(model.estimate(level: try #require(filter.level(at: at(Double(i)))), power: power).distance)
    }
    // -31 alone would be 0.1 m, in the beacon's face.
    #expect(distances[2] > 2)
    #expect(distances[3] > 0.5 * distances[2])
    #expect(distances[4] > 0.5 * distances[2])
  }

  @Test func aWalkIsFollowedAndARestIsSmoothed() throws {
    var random = SplitMix(seed: 4)
    var filter = LevelFilter()
    for i in 0..<60 { filter.update(rssi: Int8(-60 + 3 * random.normal()), at: at(Double(i))) }
    let resting = try #require(filter.level(at: at(59)))
    #expect(resting.probabilityOfMoving < 0.15)
    #expect(abs(resting.mean + 60) < 2)
    for i in 60..<70 { filter.update(rssi: -85, at: at(Double(i))) }
    let moved = try #require(filter.level(at: at(69)))
    #expect(abs(moved.mean + 85) < 3)
  }

  @Test func theLevelGrowsUncertainInSilence() throws {
    var filter = LevelFilter()
    for i in 0..<5 { filter.update(rssi: -70, at: at(Double(i))) }
    let now = try #require(filter.level(at: at(4)))
    let later = try #require(filter.level(at: at(14)))
    #expect(later.mean == now.mean)
    #expect(later.variance > now.variance + 1)
  }

  /// Whatever the time stamps are, everything stays finite, and the level within what was heard.
  @Test func hostileInputIsHarmless() throws {
    var random = SplitMix(seed: 5)
    let model = DistanceModel()
    let edges: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for _ in 0..<200 {
      var filter = LevelFilter()
      for _ in 0..<50 {
        let wild = Int64(bitPattern: random.next())
        let nanoseconds = random.chance(0.5) ? wild : edges[Int(random.next() % 7)]
        filter.update(rssi: Int8(truncatingIfNeeded: random.next()), at: Instant(nanoseconds: nanoseconds))
        guard let level = filter.level(at: Instant(nanoseconds: Int64(bitPattern: random.next()))) else { continue }
        #expect(level.mean >= -120 && level.mean < 20)
        #expect(level.variance >= 0 && level.variance.isFinite)
        #expect(level.probabilityOfMoving >= 1e-4 && level.probabilityOfMoving <= 1 - 1e-4)
        let distribution = model.distribution(
          level: level, power: PowerAtOneMeter(advertised: Int(Int8(truncatingIfNeeded: random.next()))))
        #expect(distribution.isSensible)
      }
    }
  }
}

extension DistanceDistribution {
  /// In order, on the grid, and the probabilities are some.
  var isSensible: Bool {
    let (distance, interval68) = (estimate.distance, estimate.interval68)
    let ordered = [0.047, interval95.low, interval68.low, distance, interval68.high, interval95.high, 84.2]
    let probabilities = [probabilityImmediate, probabilityNear, probabilityFar]
    return zip(ordered, ordered.dropFirst()).allSatisfy { $0 <= $1 }
      && probabilities.allSatisfy { $0 >= 0 && $0 <= 1 }
      && abs(probabilities.reduce(0, +) - 1) < 1e-12
  }
}
