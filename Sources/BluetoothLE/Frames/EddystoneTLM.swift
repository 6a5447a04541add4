/// Telemetry in the clear. Source: Eddystone-TLM, "Unencrypted TLM Frame Specification".
package struct EddystoneTLM: Hashable, Sendable {
  /// Battery in millivolts; 0 where the beacon has none or does not say.
  package let batteryMillivolts: UInt16
  /// Temperature in 1/256 °C; nil where the beacon does not say (0x8000).
  package let temperature256: Int16?
  /// Advertisements since power-up.
  package let advertisingCount: UInt32
  /// Time since power-up in units of 0.1 s.
  package let deciseconds: UInt32

  package init(batteryMillivolts: UInt16, temperature256: Int16?, advertisingCount: UInt32, deciseconds: UInt32) {
    self.batteryMillivolts = batteryMillivolts
    self.temperature256 = temperature256
    self.advertisingCount = advertisingCount
    self.deciseconds = deciseconds
  }

  init(_ frame: Octets) throws(DecodingFailure) {
    guard frame.count == 14 else {
      throw DecodingFailure(format: .eddystoneTLM, offset: 2, reason: .length(frame.count, expected: 14))
    }
    batteryMillivolts = frame.bigEndian(at: 2, as: UInt16.self)
    let temperature = frame.bigEndian(at: 4, as: Int16.self)
    temperature256 = temperature == .min ? nil : temperature
    advertisingCount = frame.bigEndian(at: 6, as: UInt32.self)
    deciseconds = frame.bigEndian(at: 10, as: UInt32.self)
  }

  /// Volt.
  package var battery: Double { Double(batteryMillivolts) / 1000 }
  /// Degrees Celsius.
  package var temperature: Double? { temperature256.map { Double($0) / 256 } }
  /// Seconds since power-up.
  package var uptime: Double { Double(deciseconds) / 10 }
}

/// Encrypted telemetry, as octets. Source: Eddystone-TLM, "Encrypted TLM Frame Specification".
package struct EddystoneETLM: Hashable, Sendable {
  /// The first 8 and the last 4 of the 12 encrypted octets.
  package let encryptedHigh: UInt64
  package let encryptedLow: UInt32
  package let salt: UInt16
  /// Message integrity check.
  package let mic: UInt16

  init(_ frame: Octets) throws(DecodingFailure) {
    guard frame.count == 18 else {
      throw DecodingFailure(format: .eddystoneETLM, offset: 2, reason: .length(frame.count, expected: 18))
    }
    encryptedHigh = frame.bigEndian(at: 2, as: UInt64.self)
    encryptedLow = frame.bigEndian(at: 10, as: UInt32.self)
    salt = frame.bigEndian(at: 14, as: UInt16.self)
    mic = frame.bigEndian(at: 16, as: UInt16.self)
  }
}
