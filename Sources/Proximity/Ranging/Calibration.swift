/// One place where a person held a beacon for calibration.
package struct CalibrationPosition: Hashable, Sendable {
  /// Metres, 0.5...3, measured with a tape.
  package var distance: Double
  /// The mean of the accepted RSSI values heard there in `Calibration.secondsPerPosition`, dBm.
  package var meanRSSI: Double
  /// What the beacon advertises, dBm at 1 m; nil where it says nothing.
  package var advertisedPower: Int?

  /// A position in the units of the properties; checked when it is used.
  package init(distance: Double, meanRSSI: Double, advertisedPower: Int?) {
    self.distance = distance
    self.meanRSSI = meanRSSI
    self.advertisedPower = advertisedPower
  }
}

/// Why positions give no receive offset.
package enum CalibrationFailure: Error, Hashable, Sendable {
  /// How many there are, where `Calibration.leastPositions` are needed.
  case tooFewPositions(Int)
  /// The index of a position outside `Calibration.distances`.
  case distanceOutOfRange(position: Int)
  /// The index of a position whose mean is no RSSI.
  case meanOutOfRange(position: Int)
}

/// The receive offset of a gateway: what it hears more (or less) of a beacon than the beacon's advertised power says.
package enum Calibration {
  /// Metres: nearer, the antennas' shape counts, farther, the room does.
  package static let distances = 0.5...3.0
  /// A place shifts the level by 4 to 9 dB whatever one does: only several places average that out.
  package static let leastPositions = 6
  /// Seconds to listen at each position.
  package static let secondsPerPosition = 10.0

  /// dB^2 by which one position's mean is off the law (5.5 dB).
  private static let placeVariance = 5.5 * 5.5

  /// The receive offset in dB, from positions of one beacon, of several of one model, or of several models.
  ///
  /// It is the mean excess over the law, drawn towards 0 as the advertised power deserves. Where that stood in for any
  /// of the positions, the wider variance of the default holds. See docs/ranging.md, section 1.
  package static func receiveOffset(from positions: [CalibrationPosition]) throws(CalibrationFailure) -> Double {
    guard positions.count >= leastPositions else { throw .tooFewPositions(positions.count) }
    var excess = 0.0
    var uncertainty = PowerAtOneMeter.advertisedUncertainty
    for (index, position) in positions.enumerated() {
      guard distances.contains(position.distance) else { throw .distanceOutOfRange(position: index) }
      guard LevelFilter.accepts(dBm: position.meanRSSI) else { throw .meanOutOfRange(position: index) }
      let power = AdvertisedPower(position.advertisedPower)
      if power.isDefault { uncertainty = PowerAtOneMeter.defaultUncertainty }
      excess += position.meanRSSI + PathLoss.decibels(log10Distance: .log10(position.distance)) - power.value
    }
    return (excess / placeVariance) / (1 / (uncertainty * uncertainty) + Double(positions.count) / placeVariance)
  }
}
