import Proximity
import Testing

struct DistanceModelTests {
  private func estimate(
    _ mean: Double, variance: Double = 2, power: PowerAtOneMeter = PowerAtOneMeter(measured: -59),
    thresholds: ProximityThresholds = .standard
  ) -> DistanceEstimate {
    DistanceModel(thresholds: thresholds)
      .estimate(level: Level(mean: mean, variance: variance, probabilityOfMoving: 0.5), power: power)
  }

  @Test func fartherIsWeakerAllTheWay() {
    var last = 0.0
    for mean in stride(from: 0, through: -115, by: -0.25) {
      let now = estimate(mean)
      #expect(now.isSensible)
      #expect(now.distance >= last, "at \(mean) dBm")
      last = now.distance
    }
  }

  @Test func whatIsKnownWorseIsSaidMoreWidely() {
    func width(_ estimate: DistanceEstimate) -> Double { estimate.interval68.high / estimate.interval68.low }
    let calibrated = width(estimate(-70))
    let advertised = width(estimate(-70, power: PowerAtOneMeter(advertised: -59)))
    let unknown = width(estimate(-70, power: PowerAtOneMeter(advertised: nil)))
    #expect(calibrated < advertised)
    #expect(advertised < unknown)
    #expect(calibrated < width(estimate(-70, variance: 40)))
  }

  @Test func theProbabilitiesFollowTheThresholds() throws {
    let standard = estimate(-70)
    let wide = estimate(-70, thresholds: try #require(ProximityThresholds(immediate: 1.5, near: 10)))
    #expect(wide.distance == standard.distance)
    #expect(wide.probabilityImmediate > standard.probabilityImmediate)
    #expect(wide.probabilityFar < standard.probabilityFar)
    // At the median as a threshold each side has a half.
    let halved = estimate(-70, thresholds: try #require(ProximityThresholds(immediate: standard.distance, near: 80)))
    #expect(abs(halved.probabilityImmediate - 0.5) < 1e-9)
    // Off the grid nothing is left beyond.
    let off = estimate(-70, thresholds: try #require(ProximityThresholds(immediate: 1e-6, near: 1e6)))
    #expect(off.probabilityNear == 1)
  }

  @Test func extremesStayOnTheGrid() {
    for mean in [-1e300, -500, 500, 1e300] {
      for variance in [0, 1e-300, 1e12, 1e300] {
        #expect(estimate(mean, variance: variance).isSensible)
      }
    }
    #expect(estimate(500).distance == estimate(-26.5).distance)
  }
}
