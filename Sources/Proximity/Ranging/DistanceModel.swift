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

/// How far away a beacon is, and how sure that is. Never to be shown without its interval.
package struct DistanceEstimate: Hashable, Sendable {
  /// Metres, the median: 0.047...84.
  package let distance: Double
  /// The decimal logarithm of `distance`; thresholds are compared with this.
  package let log10Distance: Double
  /// The beacon is in here with 68 % probability.
  package let interval68: DistanceInterval

  package init(distance: Double, log10Distance: Double, interval68: DistanceInterval) {
    self.distance = distance
    self.log10Distance = log10Distance
    self.interval68 = interval68
  }
}

/// All that is known of a distance: what is looked at when the estimates themselves are in question.
package struct DistanceDistribution: Hashable, Sendable {
  package let estimate: DistanceEstimate
  /// The beacon is in here with 95 % probability.
  package let interval95: DistanceInterval
  /// Of being nearer than the first threshold; the three probabilities sum to 1.
  package let probabilityImmediate: Double
  /// Of being between the thresholds.
  package let probabilityNear: Double
  /// Of being beyond the second threshold.
  package let probabilityFar: Double
}

/// From a level to a distance: the posterior over a grid of distances.
///
/// Make one and keep it: the grid's constants are computed in `init`, and an estimate then allocates nothing. Any input
/// gives a distance on the grid. Method and constants: docs/ranging.md, section 3.
package struct DistanceModel: Sendable {
  private let grid: [GridCells]
  /// Metres at the edges of the cells.
  private let edges: [Double]
  // Where the classes end.
  private let immediate: GridPosition
  private let near: GridPosition

  /// Computes the grid; thresholds beyond it are taken for its ends.
  package init(thresholds: ProximityThresholds = .standard) {
    grid = (0..<groupCount).map { GridCells(group: $0) }
    edges = (0..<cellCount).map { .exp10(leftEdge + Double($0) * cellWidth) }
    immediate = GridPosition(log10Distance: .log10(thresholds.immediate))
    near = GridPosition(log10Distance: .log10(thresholds.near))
  }

  /// The distance at which a beacon of this power would be heard at this level.
  package func estimate(level: Level, power: PowerAtOneMeter) -> DistanceEstimate {
    withPosterior(level, power) { estimate($0) }
  }

  /// ... and what else can be said of it.
  package func distribution(level: Level, power: PowerAtOneMeter) -> DistanceDistribution {
    withPosterior(level, power) { posterior in
      let nearer = posterior.share(below: immediate)
      let notFar = posterior.share(below: near)
      return DistanceDistribution(
        estimate: estimate(posterior), interval95: interval(posterior, 0.025, 0.975),
        probabilityImmediate: nearer, probabilityNear: notFar - nearer, probabilityFar: 1 - notFar)
    }
  }

  private func withPosterior<Result>(
    _ level: Level, _ power: PowerAtOneMeter, _ body: (Posterior) -> Result
  ) -> Result {
    let attenuation = min(max(power.value - level.mean, leastAttenuation), mostAttenuation)
    let variance = placeVariance + power.uncertainty * power.uncertainty + level.variance
    // On the stack: the runtime turns to the heap above 1 KiB only.
    return withUnsafeTemporaryAllocation(of: SIMD4<Double>.self, capacity: groupCount) { weights in
      withUnsafeTemporaryAllocation(of: Double.self, capacity: groupCount + 1) { sums in
        fill(weights, sums, attenuation: attenuation, variance: variance)
        return body(Posterior(weights: UnsafeBufferPointer(weights), sums: UnsafeBufferPointer(sums)))
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
    for (group, cells) in grid.enumerated() {
      let miss = cells.loss - attenuation
      let tail = 1 + miss * miss * scale
      let weight = cells.prior / (tail * tail * tail)
      weights.initializeElement(at: group, to: weight)
      sum += (weight[0] + weight[1]) + (weight[2] + weight[3])
      sums.initializeElement(at: group + 1, to: sum)
    }
  }

  private func estimate(_ posterior: Posterior) -> DistanceEstimate {
    let median = posterior.quantile(0.5)
    return DistanceEstimate(
      distance: meters(at: median), log10Distance: median.log10Distance, interval68: interval(posterior, 0.16, 0.84))
  }

  private func interval(_ posterior: Posterior, _ low: Double, _ high: Double) -> DistanceInterval {
    DistanceInterval(low: meters(at: posterior.quantile(low)), high: meters(at: posterior.quantile(high)))
  }

  /// 10 to the power of a position: that of its cell's edge, and e to the small rest.
  private func meters(at position: GridPosition) -> Double {
    edges[position.cell] * exponential(high: position.fraction * lnOfCellRatio, low: 0)
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
  let cell: Int
  /// 0...1.
  let fraction: Double

  var log10Distance: Double { leftEdge + (Double(cell) + fraction) * cellWidth }

  init(cell: Int, fraction: Double) {
    self.cell = cell
    self.fraction = fraction
  }

  init(log10Distance x: Double) {
    let cells = min(max((x - leftEdge) / cellWidth, 0), Double(cellCount))
    cell = min(Int(cells), cellCount - 1)
    fraction = cells - Double(cell)
  }
}

/// The weights of the cells, and their sums up to each group of four.
private struct Posterior {
  let weights: UnsafeBufferPointer<SIMD4<Double>>
  let sums: UnsafeBufferPointer<Double>

  /// Below which the share `q` lies.
  ///
  /// Cells are counted and not searched: where a quantile lies is nothing that a processor could foresee.
  func quantile(_ q: Double) -> GridPosition {
    let target = q * sums[groupCount]
    var group = 0
    for end in 1..<groupCount { group &+= sums[end] <= target ? 1 : 0 }
    let weight = weights[group]
    let first = sums[group]
    let second = first + weight[0]
    let third = second + weight[1]
    let fourth = third + weight[2]
    let lane = (second <= target ? 1 : 0) &+ (third <= target ? 1 : 0) &+ (fourth <= target ? 1 : 0)
    let below = SIMD4(first, second, third, fourth)[lane]
    return GridPosition(cell: 4 &* group &+ lane, fraction: (target - below) / weight[lane])
  }

  /// The share of the whole that lies below `position`.
  func share(below position: GridPosition) -> Double {
    let (group, lane) = position.cell.quotientAndRemainder(dividingBy: 4)
    let weight = weights[group]
    var sum = sums[group]
    for lane in 0..<lane { sum += weight[lane] }
    return (sum + position.fraction * weight[lane]) / sums[groupCount]
  }
}

// The grid, in decimal logarithms of metres: -1.3 to 1.9 in steps of 0.05, fine enough to interpolate linearly, and from
// nearer than a radio can tell to farther than beacons carry.
private let cellWidth = 0.05
private let cellCount = 65
private let cellAtOneMeter = 26
private let leftEdge = -1.325
/// A cell's far edge is farther than its near one by e to this.
private let lnOfCellRatio = 0.05 * 2.302585092994046
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
