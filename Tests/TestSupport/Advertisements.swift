/// Advertisements and HCI events as octets, for tests.
package enum Advertisement {
  package static let flags: [UInt8] = [0x02, 0x01, 0x06]

  /// An iBeacon of one well-known UUID.
  package static func iBeacon(major: UInt16, minor: UInt16, power: Int8 = -59) -> [UInt8] {
    let numbers = [UInt8(major >> 8), UInt8(major & 0xff), UInt8(minor >> 8), UInt8(minor & 0xff)]
    var octets = flags + [0x1a, 0xff, 0x4c, 0x00, 0x02, 0x15]
    octets += [UInt8](1...16)
    octets += numbers
    octets.append(UInt8(bitPattern: power))
    return octets
  }

  package static func altBeacon(unit: UInt8, power: Int8 = -59) -> [UInt8] {
    let start: [UInt8] = [0x1b, 0xff, 0x18, 0x01, 0xbe, 0xac]
    return start + [UInt8](1...19) + [unit, UInt8(bitPattern: power), 0]
  }

  /// An Eddystone frame behind the service list and the service UUID.
  package static func eddystone(_ frame: [UInt8]) -> [UInt8] {
    [0x03, 0x03, 0xaa, 0xfe, UInt8(frame.count + 3), 0x16, 0xaa, 0xfe] + frame
  }

  /// An Eddystone-UID; power is stated at 0 m.
  package static func eddystoneUID(instance: UInt8, power: Int8 = -18) -> [UInt8] {
    let start = [0x00, UInt8(bitPattern: power)]
    return eddystone(start + [UInt8](1...10) + [0, 0, 0, 0, 0, instance, 0, 0])
  }

  /// Telemetry: battery in millivolts, temperature in 1/256 °C.
  package static func eddystoneTLM(millivolts: UInt16, temperature: Int16) -> [UInt8] {
    let temperature = UInt16(bitPattern: temperature)
    return eddystone([
      0x20, 0x00, UInt8(millivolts >> 8), UInt8(millivolts & 0xff), UInt8(temperature >> 8),
      UInt8(temperature & 0xff), 0, 0, 0, 9, 0, 0, 0, 80,
    ])
  }

  /// An LE Advertising Report event without its H4 octet: one report of a random address.
  package static func legacyEvent(_ data: [UInt8], address: UInt64, rssi: Int8, type: UInt8 = 0x03) -> [UInt8] {
    var report: [UInt8] = [type, 0x01]
    for shift in stride(from: UInt64(0), to: 48, by: 8) { report.append(UInt8(truncatingIfNeeded: address >> shift)) }
    report.append(UInt8(data.count))
    report += data
    report.append(UInt8(bitPattern: rssi))
    return [0x3e, UInt8(report.count + 2), 0x02, 0x01] + report
  }
}
