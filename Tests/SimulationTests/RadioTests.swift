import Foundation
import Simulation
import Testing

/// Movement, noise and the radio channel.
struct RadioTests {
  @Test func aTrackGoesStraightFromWaypointToWaypointAndWaitsAtBothEnds() {
    let track = Track(
      from: .init(10, Place(0, 0), obstruction: 4),
      [.init(30, Place(8, 0)), .init(20, Place(4, 8), obstruction: 2)])
    #expect(track.waypoint(at: 0).place == Place(0, 0))
    #expect(track.waypoint(at: 15).place == Place(2, 4) && track.waypoint(at: 15).obstruction == 3)
    #expect(track.waypoint(at: 20).place == Place(4, 8))
    #expect(track.waypoint(at: 25).place == Place(6, 4) && track.waypoint(at: 25).obstruction == 1)
    #expect(track.waypoint(at: 1000).place == Place(8, 0))
    #expect(Track(at: Place(3, 4)).waypoint(at: 7).place.distance(to: Place(0, 0)) == 5)
  }

  @Test func theLossFollowsTheLawOfDistance() {
    let channel = RadioChannel()
    for step in 0...400 {
      let distance = 0.05 * pow(10, Double(step) / 100)
      let decades = log10(distance)
      let expected = decades < 0 ? 25 * decades : 18 * decades
      #expect(abs(channel.loss(distance: distance) - expected) < 1e-12)
    }
    #expect(channel.loss(distance: 0) == channel.loss(distance: 0.05))
  }

  @Test func receptionFallsFromAllToNothingAboutTheSensitivity() {
    var adapter = Adapter(.legacy, address: .init(1), at: Place(0, 0))
    adapter.share = 0.8
    #expect(adapter.reception(of: -60) == 0.8)
    #expect(abs(adapter.reception(of: adapter.sensitivity) - 0.4) < 1e-12)
    #expect(adapter.reception(of: adapter.sensitivity - adapter.sensitivityMargin) == 0)
    let levels = stride(from: -110.0, through: -60, by: 0.5).map { adapter.reception(of: $0) }
    #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test func noiseIsNormallySpreadAndSmoothAndIndependentAfterTwoUnits() {
    let noise = SmoothNoise(seed: 5)
    let values = (0..<4000).map { noise.value(at: Double($0) * 0.77) }
    expectStandard(values)
    expectStandard((0..<4000).map { noise.value(at: Double($0) * 0.77, Double($0 % 63) * 1.31) })
    // Twelve uniform values reach at most 6, and a step is never large.
    let fine = (0..<20_000).map { noise.value(at: -50 + Double($0) * 0.01) }
    #expect(zip(fine, fine.dropFirst()).allSatisfy { abs($0 - $1) < 0.15 })
    let lagged = (0..<4000).map { noise.value(at: Double($0) * 0.77 + 2) }
    let correlation = zip(values, lagged).reduce(0) { $0 + $1.0 * $1.1 } / 4000
    #expect(abs(correlation) < 0.06)
  }

  private func expectStandard(_ values: [Double]) {
    let mean = values.reduce(0, +) / Double(values.count)
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
    #expect(abs(mean) < 0.06)
    #expect(abs(variance - 1) < 0.1, "\(variance)")
  }
}
