import Proximity
import Testing

struct PowerAtOneMeterTests {
  @Test(arguments: [-100, -59, -20])
  func aPossiblePowerIsBelieved(power: Int) {
    let result = PowerAtOneMeter(advertised: power)
    #expect(result.value == Double(power))
    #expect(result.uncertainty == 5)
    #expect(result.source == .advertised)
  }

  @Test(arguments: [nil, -101, -19, 0, 30, -3, .max, .min])
  func anImpossibleOneIsReplaced(power: Int?) {
    let result = PowerAtOneMeter(advertised: power)
    #expect(result.value == -59)
    #expect(result.uncertainty == 8)
    #expect(result.source == .default)
  }

  @Test func powerStatedAtNoDistanceRangesAlike() {
    #expect(PowerAtOneMeter(advertised: -18 - AdvertisedPower.lossToOneMeter) == PowerAtOneMeter(advertised: -59))
  }

  @Test func calibrationShiftsWhatTheBeaconSays() {
    let result = PowerAtOneMeter(advertised: -61, receiveOffset: 2.5)
    #expect(result.value == -58.5)
    #expect(result.uncertainty == 3)
    #expect(result.source == .calibrated)
    #expect(PowerAtOneMeter(advertised: nil, receiveOffset: -1).value == -60)
    #expect(PowerAtOneMeter(advertised: nil, receiveOffset: .nan).source == .default)
    #expect(PowerAtOneMeter(measured: -58.5) == result)
  }
}

struct CalibrationTests {
  /// Positions at which a gateway hears `offset` dB more than the law says.
  private func positions(_ distances: [Double], advertised: Int?, offset: Double) -> [CalibrationPosition] {
    distances.map {
      let loss = PathLoss.decibels(log10Distance: .log10($0))
      return CalibrationPosition(
        distance: $0, meanRSSI: Double(advertised ?? -59) - loss + offset, advertisedPower: advertised)
    }
  }

  private let six = [0.5, 0.8, 1, 1.5, 2, 3]

  @Test func theOffsetIsTheMeanExcessDrawnTowardsNone() throws {
    let measured = 6 / 30.25
    let offset = try Calibration.receiveOffset(from: positions(six, advertised: -65, offset: -6))
    let expected: Double = -6 * measured / (1 / 25 + measured)
    #expect(abs(offset - expected) < 1e-12)
    let unknown = try Calibration.receiveOffset(from: positions(six, advertised: nil, offset: -6))
    let expectedUnknown: Double = -6 * measured / (1 / 64 + measured)
    #expect(abs(unknown - expectedUnknown) < 1e-12)
  }

  @Test func positionsOutsideTheirBoundsAreNamed() {
    #expect(throws: CalibrationFailure.tooFewPositions(5)) {
      try Calibration.receiveOffset(from: positions([0.5, 0.8, 1, 1.5, 2], advertised: -65, offset: 0))
    }
    for distance in [0.49, 3.01, .nan, -1, 0] {
      var some = positions(six, advertised: -65, offset: 0)
      some[3].distance = distance
      #expect(throws: CalibrationFailure.distanceOutOfRange(position: 3)) { try Calibration.receiveOffset(from: some) }
    }
    for mean in [127, 20, -120.1, .nan] {
      var some = positions(six, advertised: -65, offset: 0)
      some[1].meanRSSI = mean
      #expect(throws: CalibrationFailure.meanOutOfRange(position: 1)) { try Calibration.receiveOffset(from: some) }
    }
  }
}
