/// How a signal fares between a device and an adapter, in dB.
///
/// The mean follows the law of docs/ranging.md. What comes on top is normally distributed in dB: the place, which shifts
/// the level for as long as nothing moves; fading, as people walk about; each packet's own scatter; and the three
/// advertising channels, which antennas treat differently.
package struct RadioChannel: Hashable, Sendable {
  /// dB per decade of distance from 1 m on.
  package var slope = 18.0
  /// dB per decade below 1 m.
  package var slopeBelowOneMeter = 25.0
  /// dB by which places shift the level, and the metres over which that is alike.
  package var placeDeviation = 3.5
  package var placeLength = 1.5
  /// dB by which the level fades, and the seconds over which that is alike.
  package var fadingDeviation = 2.5
  package var fadingTime = 0.8
  /// dB of each packet's own.
  package var packetDeviation = 1.5
  /// dB on channels 37, 38 and 39.
  package var channelOffsets = SIMD3(1.0, -2.0, 1.0)
  /// Antennas touch before they come nearer than this, in metres.
  package var shortestDistance = 0.05

  /// A lobby: people, glass, few walls.
  package init() {}

  /// dB lost on average between 1 m and a distance in metres; negative below 1 m.
  package func loss(distance: Double) -> Double {
    let decades = log10(distance > shortestDistance ? distance : shortestDistance)
    return decades < 0 ? slopeBelowOneMeter * decades : slope * decades
  }
}
