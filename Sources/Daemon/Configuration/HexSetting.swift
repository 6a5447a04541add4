import BluetoothLE
import Proximity

// Identities are hex digits, plain or quoted: they need not be told from numbers, since no number may stand there.

extension Setting {
  /// 8, 4, 4, 4 and 12 hex digits with dashes, or all 32 without.
  func uuid() -> UUID128? {
    let expected = "a UUID, as in 74278bda-b644-4520-8f0c-720eaf059935"
    guard let word else {
      mismatch(expected)
      return nil
    }
    let groups = word.split(separator: "-", omittingEmptySubsequences: false).map { $0.utf8.count }
    guard groups == [8, 4, 4, 4, 12] || groups == [32], let octets = hexOctets(word.filter { $0 != "-" }) else {
      mismatch(expected)
      return nil
    }
    return UUID128(high: bigEndian(octets[0..<8]), low: bigEndian(octets[8..<16]))
  }

  /// 16, 18 or 20 octets of an AltBeacon's id, with a dash or none between any two.
  func altBeaconID() -> BeaconPattern? {
    let expected = "an id of 32, 36 or 40 hex digits, with dashes between octets or without"
    guard let word else {
      mismatch(expected)
      return nil
    }
    let groups = word.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.allSatisfy({ !$0.isEmpty && $0.utf8.count % 2 == 0 }) else {
      mismatch(expected)
      return nil
    }
    return octets(of: groups.joined(), [16, 18, 20], as: expected).map { octets in
      let unit = octets.dropFirst(16)
      return .altBeacon(
        organization: UUID128(high: bigEndian(octets[0..<8]), low: bigEndian(octets[8..<16])),
        unit: UInt32(truncatingIfNeeded: bigEndian(unit) << UInt64(32 - unit.count * 8)), unitBits: unit.count * 8)
    }
  }

  /// So many octets.
  func octets(_ counts: [Int], as expected: String) -> [UInt8]? {
    octets(of: word ?? "", counts, as: expected)
  }

  private func octets(of digits: String, _ counts: [Int], as expected: String) -> [UInt8]? {
    guard let octets = hexOctets(digits), counts.contains(octets.count) else {
      let length = hexOctets(digits).map { $0.isEmpty ? "" : ", not \($0.count * 2)" } ?? ""
      mismatch(expected + length)
      return nil
    }
    return octets
  }
}
