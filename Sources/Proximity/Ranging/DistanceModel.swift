/// A range of distances, metres.
package struct DistanceInterval: Hashable, Sendable {
  /// Metres.
  package var low: Double
  /// Metres.
  package var high: Double

  /// The range from `low` to `high` metres.
  package init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }
}

/// How far away a beacon is, and how sure that is. Never to be shown without an interval.
package struct DistanceEstimate: Hashable, Sendable {
  /// Metres, the median: 0.047...84.
  package var distance: Double
  /// The decimal logarithm of `distance`; thresholds are compared with this.
  package var log10Distance: Double
  /// The beacon is in here with 68 % probability.
  package var interval68: DistanceInterval
  /// ... and in here with 95 %.
  package var interval95: DistanceInterval
  /// Of being nearer than the first threshold; the three probabilities sum to 1.
  package var probabilityImmediate: Double
  /// Of being between the thresholds.
  package var probabilityNear: Double
  /// Of being beyond the second threshold.
  package var probabilityFar: Double

  /// An estimate in the units of the properties.
  package init(
    distance: Double, log10Distance: Double, interval68: DistanceInterval, interval95: DistanceInterval,
    probabilityImmediate: Double, probabilityNear: Double, probabilityFar: Double
  ) {
    self.distance = distance
    self.log10Distance = log10Distance
    self.interval68 = interval68
    self.interval95 = interval95
    self.probabilityImmediate = probabilityImmediate
    self.probabilityNear = probabilityNear
    self.probabilityFar = probabilityFar
  }
}

/// From a level to a distance: the posterior over a grid of distances.
///
/// Make one and keep it: the grid's constants are computed in `init`, and `estimate` then allocates nothing. Any input
/// gives a distance on the grid. Method and constants: docs/ranging.md, section 3.
package struct DistanceModel: Sendable {
  private let grid: [GridCells]
  // Where the classes end.
  private let immediate: GridPosition
  private let near: GridPosition

  /// Computes the grid; thresholds beyond it are taken for its ends.
  package init(thresholds: ProximityThresholds = .standard) {
    grid = (0..<groupCount).map { GridCells(group: $0) }
    immediate = GridPosition(log10Distance: .log10(thresholds.immediate))
    near = GridPosition(log10Distance: .log10(thresholds.near))
  }

  /// The distance at which a beacon of this power would be heard at this level.
  package func estimate(level: Level, power: PowerAtOneMeter) -> DistanceEstimate {
    let attenuation = min(max(power.value - level.mean, leastAttenuation), mostAttenuation)
    let variance = placeVariance + power.uncertainty * power.uncertainty + level.variance
    // On the stack: the runtime turns to the heap above 1 KiB only.
    return withUnsafeTemporaryAllocation(of: SIMD4<Double>.self, capacity: groupCount) { weights in
      withUnsafeTemporaryAllocation(of: Double.self, capacity: groupCount + 1) { sums in
        fill(weights, sums, attenuation: attenuation, variance: variance)
        return read(Posterior(weights: UnsafeBufferPointer(weights), sums: UnsafeBufferPointer(sums)))
      }
    }
  }

  private func fill(
    _ weights: UnsafeMutableBufferPointer<SIMD4<Double>>, _ sums: UnsafeMutableBufferPointer<Double>,
    attenuation: Double, variance: Double
  ) {
    let scale = 1 / (degreesOfFreedom * variance)
    var sum = 0.0
    sums.initializeElement(at: 0, to: 0)
    for group in 0..<groupCount {
      let cells = grid[group]
      let miss = cells.loss - attenuation
      let tail = 1 + miss * miss * scale
      let weight = cells.prior / (tail * tail * tail)
      weights.initializeElement(at: group, to: weight)
      sum += (weight[0] + weight[1]) + (weight[2] + weight[3])
      sums.initializeElement(at: group + 1, to: sum)
    }
  }

  private func read(_ posterior: Posterior) -> DistanceEstimate {
    var group = 0
    let low95 = posterior.quantile(0.025, from: &group)
    let low68 = posterior.quantile(0.16, from: &group)
    let median = posterior.quantile(0.5, from: &group)
    let high68 = posterior.quantile(0.84, from: &group)
    let high95 = posterior.quantile(0.975, from: &group)
    let nearer = posterior.share(below: immediate)
    let notFar = posterior.share(below: near)
    return DistanceEstimate(
      distance: .exp10(median),
      log10Distance: median,
      interval68: DistanceInterval(low: .exp10(low68), high: .exp10(high68)),
      interval95: DistanceInterval(low: .exp10(low95), high: .exp10(high95)),
      probabilityImmediate: nearer,
      probabilityNear: notFar - nearer,
      probabilityFar: 1 - notFar)
  }
}

/// Four neighbouring cells of the grid; beyond the last cell the prior is 0.
private struct GridCells {
  var prior = SIMD4<Double>()
  var loss = SIMD4<Double>()

  init(group: Int) {
    for lane in 0..<4 where 4 * group + lane < cellCount {
      let x = Double(4 * group + lane - cellAtOneMeter) * cellWidth
      let z = (x - priorCenter) / priorWidth
      prior[lane] = .exp(-0.5 * z * z)
      loss[lane] = PathLoss.decibels(log10Distance: x)
    }
  }
}

/// A place on the grid: so far into a cell.
private struct GridPosition {
  let group: Int
  let lane: Int
  let fraction: Double

  init(log10Distance x: Double) {
    let cells = min(max((x - leftEdge) / cellWidth, 0), Double(cellCount))
    let cell = min(Int(cells), cellCount - 1)
    group = cell / 4
    lane = cell % 4
    fraction = cells - Double(cell)
  }
}

/// The weights of the cells, and their sums up to each group of four.
private struct Posterior {
  let weights: UnsafeBufferPointer<SIMD4<Double>>
  let sums: UnsafeBufferPointer<Double>

  /// The decimal logarithm of the distance below which the share `q` lies; `group` is one that it is not before.
  func quantile(_ q: Double, from group: inout Int) -> Double {
    let target = q * sums[groupCount]
    while group < groupCount - 1, sums[group + 1] <= target { group += 1 }
    let weight = weights[group]
    var below = sums[group]
    var lane = 0
    while lane < 3, weight[lane + 1] > 0, below + weight[lane] <= target {
      below += weight[lane]
      lane += 1
    }
    return leftEdge + (Double(4 * group + lane) + (target - below) / weight[lane]) * cellWidth
  }

  /// The share of the whole that lies below `position`.
  func share(below position: GridPosition) -> Double {
    let weight = weights[position.group]
    var sum = sums[position.group]
    for lane in 0..<position.lane { sum += weight[lane] }
    return (sum + position.fraction * weight[position.lane]) / sums[groupCount]
  }
}

// The grid, in decimal logarithms of metres: -1.3 to 1.9 in steps of 0.05, fine enough to interpolate linearly, and from
// nearer than a radio can tell to farther than beacons carry.
private let cellWidth = 0.05
private let cellCount = 65
private let cellAtOneMeter = 26
private let leftEdge = -1.325
/// Cells are worked on four at a time.
private let groupCount = (cellCount + 3) / 4

// Before anything is heard: 2.5 m give or take a factor of 3.5, as beacons are in rooms.
private let priorCenter = 0.40
private let priorWidth = 0.55

/// dB^2 by which places shift the level off the law (5.5 dB); more packets do not make it smaller.
private let placeVariance = 5.5 * 5.5
/// Of the t distribution: a place can be off by much more than usual. The weights' third power is half of 5 + 1.
private let degreesOfFreedom = 5.0
// dB, the law at the grid's ends: beyond them all cells fit badly alike, and the prior alone would draw a very strong
// beacon outward.
private let leastAttenuation = -32.5
private let mostAttenuation = 34.2
