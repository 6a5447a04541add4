/// The RSSI that this gateway would show for a beacon 1 m away, and how well that is known.
package struct PowerAtOneMeter: Hashable, Sendable {
  /// Where the value comes from.
  package enum Source: CaseIterable, Hashable, Sendable {
    /// A receive offset measured for this beacon or its model is in it.
    case calibrated
    /// As the beacon says.
    case advertised
    /// The beacon says nothing, or something that cannot be.
    case `default`
  }

  /// dB: what six positions leave open.
  package static let calibratedUncertainty = 3.0
  /// dB: beacons of one type, and the receivers that hear them, differ by so much.
  package static let advertisedUncertainty = 5.0
  /// dB: as beacons of all types differ.
  package static let defaultUncertainty = 8.0

  /// dBm.
  package let value: Double
  /// Standard deviation of `value`, dB.
  package let uncertainty: Double
  /// What the value rests on.
  package let source: Source

  /// A power that somebody measured or set, dBm, with its standard deviation in dB.
  package init(measured value: Double, uncertainty: Double = Self.calibratedUncertainty) {
    self.value = value
    self.uncertainty = uncertainty
    source = .calibrated
  }

  /// What was found before, dBm, as far as its source tells how well it is known.
  package init(_ value: Double, from source: Source) {
    self.value = value
    self.source = source
    uncertainty =
      switch source {
      case .calibrated: Self.calibratedUncertainty
      case .advertised: Self.advertisedUncertainty
      case .default: Self.defaultUncertainty
      }
  }

  /// The power a beacon advertises, tested, with what is known about its reception here.
  ///
  /// `advertised` is in dBm at 1 m, nil where the beacon says nothing; a frame that states the power at
  /// 0 m has had `AdvertisedPower.lossToOneMeter` taken off. It is not believed outside `AdvertisedPower.plausible`.
  /// `receiveOffset` is this gateway's calibration for the beacon in dB, nil where there is none.
  package init(advertised: Int?, receiveOffset: Double? = nil) {
    let believed = AdvertisedPower(advertised)
    if let receiveOffset, receiveOffset.isFinite {
      value = believed.value + receiveOffset
      uncertainty = Self.calibratedUncertainty
      source = .calibrated
    } else {
      value = believed.value
      uncertainty = believed.isDefault ? Self.defaultUncertainty : Self.advertisedUncertainty
      source = believed.isDefault ? .default : .advertised
    }
  }
}

/// The power a beacon advertises, put to the test: the value to go on with.
package struct AdvertisedPower: Hashable, Sendable {
  /// dBm at 1 m; anything else is a broken field: no beacon is that strong, or could be heard at all.
  package static let plausible = -100 ... -20
  /// dBm: what most beacons advertise.
  package static let commonest = -59.0
  /// dB between 0 m and 1 m, for frames that state the power at 0 m. Source: Eddystone-UID specification, Tx Power.
  package static let lossToOneMeter = 41

  /// dBm at 1 m.
  package let value: Double
  /// Whether the value is the one most beacons advertise, standing in for this beacon's.
  package let isDefault: Bool

  /// The advertised power (dBm at 1 m, nil where the beacon says nothing), or the default.
  package init(_ advertised: Int?) {
    if let advertised, Self.plausible.contains(advertised) {
      value = Double(advertised)
      isDefault = false
    } else {
      value = Self.commonest
      isDefault = true
    }
  }
}

/// How much weaker a signal is at a distance than at 1 m.
package enum PathLoss {
  /// dB per decade of distance from 1 m on: the slope indoors and out. Fitting it per place did not help on any data set.
  private static let slope = 18.0
  /// dB per decade below 1 m, where the direct path rules; steeper, since antennas and bodies couple.
  private static let slopeBelowOneMeter = 25.0

  /// dB lost between 1 m and the distance with this decimal logarithm (of metres); negative below 1 m.
  package static func decibels(log10Distance x: Double) -> Double {
    x < 0 ? slopeBelowOneMeter * x : slope * x
  }
}
