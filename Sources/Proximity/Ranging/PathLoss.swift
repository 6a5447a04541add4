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
