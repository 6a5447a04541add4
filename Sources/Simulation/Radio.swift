import Proximity

/// What a receiver hears of a transmission: path loss, slow shadowing, fading from packet to packet, loss when weak.
struct Radio: Sendable {
  /// dB: what people and things in the way add, over seconds.
  private static let shadowing = 2.5
  /// Seconds over which shadowing changes.
  private static let shadowingTime = 8.0
  /// dB: from packet to packet.
  private static let fading = 3.0
  /// dB by which the three advertising channels differ.
  private static let channels = [0.0, -1.5, 1.5]
  /// dBm at which half of the packets are lost, and how sharply that sets in.
  private static let sensitivity = -94.0
  private static let softness = 1.5
  /// Lost at any level: a scanner is between windows, or two transmissions collide.
  private static let loss = 0.1

  private var shadow: Double
  private var last = 0.0

  init(_ random: inout SplitMix) {
    shadow = Self.shadowing * random.normal()
  }

  /// The RSSI in dBm of a packet sent `distance` metres away; nil when it is lost.
  mutating func receive(
    power: Double, distance: Double, at time: Double, _ random: inout SplitMix
  ) -> Int8? {
    // An Ornstein-Uhlenbeck process: it forgets at the rate of its time constant and keeps its spread.
    let kept = Double.exp(-(time - last) / Self.shadowingTime)
    // sqrt(1 - kept^2), by the exponential of half a logarithm: no square root of the C library.
    let fresh = kept < 1 ? Double.exp(0.5 * .ln(1 - kept * kept)) : 0
    shadow = kept * shadow + fresh * Self.shadowing * random.normal()
    last = time
    let loss = PathLoss.decibels(log10Distance: .log10(max(distance, 0.05)))
    let channel = Self.channels[Int(random.next() % 3)]
    let level = power - loss + shadow + channel + Self.fading * random.normal()
    let chance = (1 - Self.loss) / (1 + Double.exp(-(level - Self.sensitivity) / Self.softness))
    guard random.uniform(0...1) < chance else { return nil }
    return Int8(min(max(level, -110), -20))
  }
}
