import BluetoothLE
import TestSupport
import Testing

@testable import Proximity

struct PatternIndexTests {
  /// Few UUIDs and small numbers, so that much matches.
  private static func identity(using random: inout SplitMix) -> BeaconIdentity? {
    var data: [UInt8]
    if Bool.random(using: &random) {
      data = Advertisement.iBeacon(major: .random(in: 0..<3, using: &random), minor: .random(in: 0..<3, using: &random))
      data[9] = .random(in: 0..<3, using: &random)
    } else {
      data = Advertisement.altBeacon(unit: .random(in: 0..<3, using: &random))
      data[6] = .random(in: 0..<3, using: &random)
      data[23] = .random(in: 0..<3, using: &random)
    }
    return withMemory(data) { octets in Array(Frames(octets)).first.flatMap { BeaconIdentity($0) } }
  }

  /// A pattern that `identity` matches, whole or with parts left open.
  private static func pattern(of identity: BeaconIdentity, using random: inout SplitMix) -> BeaconPattern {
    if Int.random(in: 0..<20, using: &random) == 0 { return .any }
    guard identity.kind == .iBeacon else {
      let bits = [0, 16, 32].randomElement(using: &random) ?? 0
      return .altBeacon(organization: identity.uuid, unit: identity.unit, unitBits: bits)
    }
    let major = Bool.random(using: &random) ? identity.major : nil
    let minor = Bool.random(using: &random) ? identity.minor : nil
    return .iBeacon(uuid: identity.uuid, major: major, minor: minor)
  }

  @Test(arguments: 0..<50)
  func findsWhatAskingEachPatternFinds(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    var index = PatternIndex()
    var patterns: [BeaconPattern] = []
    for number in 0..<Int.random(in: 0..<12, using: &random) {
      guard let identity = Self.identity(using: &random) else { continue }
      let pattern = Self.pattern(of: identity, using: &random)
      index.add(pattern, number)
      patterns.append(pattern)
    }
    var found = 0
    for _ in 0..<200 {
      guard let identity = Self.identity(using: &random) else { continue }
      let expected = patterns.indices.filter { patterns[$0].matches(identity) }
      #expect(index.numbers(matching: identity) == expected)
      found += expected.count
    }
    #expect(patterns.isEmpty || found > 0)
  }
}
