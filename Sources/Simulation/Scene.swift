import BluetoothLE

/// Devices around a gateway for a while.
package struct Scene: Sendable {
  package let name: String
  /// One line for a list.
  package let summary: String
  /// UTC of second 0.
  package let start: UnixTime
  /// Seconds.
  package let duration: Double
  package let devices: [Device]

  package init(name: String, summary: String, start: UnixTime, duration: Double, devices: [Device]) {
    self.name = name
    self.summary = summary
    self.start = start
    self.duration = duration
    self.devices = devices
  }

  package static let all = [lobby]
}

extension Scene {
  /// A morning in a lobby: what stands there, a visitor, a courier, a beacon that dies, phones.
  package static let lobby = Scene(
    name: "lobby",
    summary: "a morning in a lobby: four fixed beacons, a visitor, a courier, one that dies, phones",
    // 2026-11-02T08:30:00Z.
    start: UnixTime(seconds: 1_793_608_200, fraction: 0),
    duration: 340,
    devices: [
      Device(
        "desk", address: DeviceAddress(0xc000_0000_0001),
        contents: [.payload(Payload.iBeacon(uuid: house, major: 1, minor: 1, power: -59))],
        interval: 1, power: -59, path: [.init(0, 1.5), .init(340, 1.5)]),
      Device(
        "exhibit", address: DeviceAddress(0xc000_0000_0002),
        contents: [.payload(Payload.altBeacon(manufacturer: 0x0118, id: house + [0, 3, 0, 1], power: -60))],
        interval: 1, power: -60, path: [.init(0, 7), .init(340, 7)]),
      Device(
        "sensor", address: DeviceAddress(0xc000_0000_0003),
        contents: Array(
          repeating: .payload(
            Payload.eddystoneUID(namespace: Array(house[..<10]), instance: [0, 0, 0, 0, 0, 3], power: -19)),
          count: 9) + [.telemetry(millivolts: 2900, temperature: 21 * 256 + 128)],
        interval: 1, power: -60, path: [.init(0, 3), .init(340, 3)]),
      Device(
        "poster", address: DeviceAddress(0xc000_0000_0004),
        contents: [
          // https://, example, .org/, visit
          .payload(
            Payload.eddystoneURL(encoded: [0x03] + Array("example".utf8) + [0x01] + Array("visit".utf8), power: -18))
        ],
        interval: 2, power: -59, path: [.init(0.4, 4), .init(340, 4)]),
      Device(
        "lamp", address: DeviceAddress(0xc000_0000_0005),
        contents: [.payload(Payload.iBeacon(uuid: house, major: 1, minor: 2, power: -59))],
        interval: 1, power: -59, path: [.init(0.2, 2.5), .init(120, 2.5)]),
      Device(
        "visitor", address: DeviceAddress(0xc000_0000_0006),
        contents: [.payload(Payload.iBeacon(uuid: house, major: 2, minor: 7, power: -61))],
        interval: 1, power: -61,
        path: [.init(40, 25), .init(70, 0.5), .init(170, 0.5), .init(200, 25)]),
      Device(
        "courier", address: DeviceAddress(0xc000_0000_0007),
        contents: [.payload(Payload.iBeacon(uuid: house, major: 3, minor: 9, power: -65))],
        interval: 1, power: -65, path: [.init(100, 20), .init(106, 9), .init(112, 20)]),
      phone(1, 3), phone(2, 5), phone(3, 8), phone(4, 12), phone(5, 15),
      Device(
        "headphones", address: DeviceAddress(0xc000_0000_0020),
        contents: [.payload(Payload.flags + Payload.structure(0x02, [0x0f, 0x18]))],
        scanResponse: Payload.structure(0x09, Array("Headphones".utf8)),
        interval: 3, power: -62, path: [.init(5, 6), .init(335, 6)]),
    ])

  /// The UUID that the house's beacons share, octet by octet.
  private static let house: [UInt8] = [
    0x8a, 0x4c, 0x1d, 0x52, 0x6f, 0x0b, 0x4e, 0x21, 0x9b, 0x6d, 0x30, 0xe7, 0x5a, 0x11, 0xc8, 0x02,
  ]

  private static func phone(_ number: UInt64, _ distance: Double) -> Device {
    Device(
      "phone \(number)", address: DeviceAddress(0x4000_0000_0000 + number), rotation: 150, contents: [.phone],
      interval: 2.5, power: -63, path: [.init(Double(number), distance), .init(330 + Double(number), distance)])
  }
}
