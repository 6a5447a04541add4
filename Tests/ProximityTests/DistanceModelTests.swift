import Proximity
import Testing

struct DistanceModelTests {
  private func distribution(
    _ mean: Double, variance: Double = 2, power: PowerAtOneMeter = PowerAtOneMeter(measured: -59),
    thresholds: ProximityThresholds = .standard
  ) -> DistanceDistribution {
    DistanceModel(thresholds: thresholds)
      .distribution(level: Level(mean: mean, variance: variance, probabilityOfMoving: 0.5), power: power)
  }

  @Test func fartherIsWeakerAllTheWay() {
    var last = 0.0
    for mean in stride(from: 0, through: -115, by: -0.25) {
      let now = distribution(mean)
      #expect(now.isSensible)
      #expect(now.estimate.distance >= last, "at \(mean) dBm")
      #expect(abs(Double.log10(now.estimate.distance) - now.estimate.log10Distance) < 1e-15)
      last = now.estimate.distance
    }
  }

  @Test func whatIsKnownWorseIsSaidMoreWidely() {
    func width(_ distribution: DistanceDistribution) -> Double {
      distribution.estimate.interval68.high / distribution.estimate.interval68.low
    }
    let calibrated = width(distribution(-70))
    let advertised = width(distribution(-70, power: PowerAtOneMeter(advertised: -59)))
    let unknown = width(distribution(-70, power: PowerAtOneMeter(advertised: nil)))
    #expect(calibrated < advertised)
    #expect(advertised < unknown)
    #expect(calibrated < width(distribution(-70, variance: 40)))
  }

  @Test func theProbabilitiesFollowTheThresholds() throws {
    let standard = distribution(-70)
    let wide = distribution(-70, thresholds: try #require(ProximityThresholds(immediate: 1.5, near: 10)))
    #expect(wide.estimate == standard.estimate)
    #expect(wide.probabilityImmediate > standard.probabilityImmediate)
    #expect(wide.probabilityFar < standard.probabilityFar)
    // At the median as a threshold each side has a half.
    let atMedian = try #require(ProximityThresholds(immediate: standard.estimate.distance, near: 80))
    let halved = distribution(-70, thresholds: atMedian)
    #expect(abs(halved.probabilityImmediate - 0.5) < 1e-9)
    // Off the grid nothing is left beyond.
    let off = distribution(-70, thresholds: try #require(ProximityThresholds(immediate: 1e-6, near: 1e6)))
    #expect(off.probabilityNear == 1)
  }

  @Test func extremesStayOnTheGrid() {
    for mean in [-1e300, -500, 500, 1e300] {
      for variance in [0, 1e-300, 1e12, 1e300] {
        #expect(distribution(mean, variance: variance).isSensible)
      }
    }
    #expect(distribution(500).estimate == distribution(-26.5).estimate)
  }
}
