import Proximity
import Testing

struct ProximityClassifierTests {
  @Test(arguments: [
    (ProximityClass.unknown, -0.302, ProximityClass.immediate), (.unknown, -0.300, .near), (.unknown, 0.601, .near),
    (.unknown, 0.603, .far),
    (.immediate, -0.232, .immediate), (.immediate, -0.230, .near), (.immediate, 0.671, .near),
    (.immediate, 0.673, .far),
    (.near, -0.370, .near), (.near, -0.372, .immediate), (.near, 0.671, .near), (.near, 0.673, .far),
    (.far, 0.533, .far), (.far, 0.531, .near), (.far, -0.370, .near), (.far, -0.372, .immediate),
  ])
  func aThresholdIsCrossedOnlyWithAMargin(previous: ProximityClass, log10Distance: Double, expected: ProximityClass) {
    #expect(ProximityClassifier().classify(log10Distance: log10Distance, after: previous) == expected)
  }

  @Test(arguments: ProximityClass.allCases)
  func noDistanceIsUnknown(previous: ProximityClass) {
    #expect(ProximityClassifier().classify(log10Distance: nil, after: previous) == .unknown)
  }

  @Test func theThresholdsAreSettings() throws {
    let classifier = ProximityClassifier(thresholds: try #require(ProximityThresholds(immediate: 1, near: 10)))
    #expect(classifier.classify(log10Distance: -0.01, after: .unknown) == .immediate)
    #expect(classifier.classify(log10Distance: 0.99, after: .unknown) == .near)
    #expect(classifier.classify(log10Distance: 1.01, after: .unknown) == .far)
    for (immediate, near) in [(0, 4), (-1, 4), (4, 4), (5, 4), (0.5, .infinity), (.nan, 4), (0.5, .nan)] {
      #expect(ProximityThresholds(immediate: immediate, near: near) == nil)
    }
  }

  @Test func theNearestComeFirst() {
    #expect(ProximityClass.allCases.reversed().sorted() == [.immediate, .near, .far, .unknown])
  }
}

struct ZoneSideTests {
  private let limit = ZoneLimit(meters: 3)
  private let inside = Double.log10(2)
  private let outside = Double.log10(4)
  private let between = Double.log10(3.3)

  private func sides(from start: Bool, _ distances: [Double]) throws -> [Bool] {
    let limit = try #require(limit)
    var side = ZoneSide(isInside: start)
    return distances.map { distance in
      let before = side.isInside
      let hasChanged = side.update(log10Distance: distance, limit: limit)
      #expect(hasChanged == (side.isInside != before))
      return side.isInside
    }
  }

  @Test func aSideIsChangedByTwoPacketsRunning() throws {
    #expect(try sides(from: false, [inside, inside, inside]) == [false, true, true])
    #expect(try sides(from: true, [outside, outside, outside]) == [true, false, false])
  }

  @Test func oneStrayPacketMovesNobody() throws {
    #expect(
      try sides(from: false, [outside, inside, outside, inside, outside]) == [false, false, false, false, false])
    #expect(try sides(from: true, [inside, outside, inside, outside, inside]) == [true, true, true, true, true])
  }

  @Test func betweenTheEdgesNothingChanges() throws {
    #expect(try sides(from: false, [between, between, between]) == [false, false, false])
    #expect(try sides(from: true, [between, between, between]) == [true, true, true])
    #expect(try sides(from: false, [inside, between, inside, inside]) == [false, false, false, true])
  }

  @Test func aStrayReportOfAWeakBeaconDoesNotEnter() throws {
    let limit = try #require(limit)
    let model = DistanceModel()
    let power = PowerAtOneMeter(advertised: -59)
    var filter = LevelFilter()
    var side = ZoneSide()
    for (i, rssi) in ([-88, -90, -87, -89, -35, -90, -88, -91] as [Int8]).enumerated() {
      filter.update(rssi: rssi, at: at(Double(i)))
      let level = try #require(filter.level(at: at(Double(i))))
      let hasChanged = side.update(
        log10Distance: model.estimate(level: level, power: power).log10Distance, limit: limit)
      #expect(!hasChanged)
    }
  }

  @Test(arguments: [0, -1, .infinity, .nan])
  func aZoneHasAPositiveRadius(meters: Double) {
    #expect(ZoneLimit(meters: meters) == nil)
  }
}
