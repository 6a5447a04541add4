import BluetoothLE

extension Scene {
  /// A morning in a lobby; docs/demo.md tells it minute by minute.
  ///
  /// The gateway stands at the origin; the front is a glass wall at y = 12 with a door at x = 0. What is outside is heard
  /// through glass, and beyond the street not at all.
  package static var lobby: Scene {
    var scene = Scene(
      "lobby", "A morning in a lobby: three kinds of beacons, a visitor, a courier, a beacon that dies, phones.",
      // 2026-11-02T08:30:00Z
      start: UnixTime(seconds: 1_793_608_200, fraction: 0), duration: 345, seed: 20_261_102,
      adapters: [.builtIn, .dongle], devices: [])
    scene.devices += [informationDesk, exhibit, plantRoom, poster, visitor, courier, cloakroom]
    scene.devices += phones
    return scene
  }

  // MARK: Beacons that stay

  private static let house = UUID128(high: 0x6c0b_a5e2_1f3d_4a86, low: 0x9d27_51c4_e80b_73fa)

  private static var informationDesk: Device {
    Device(
      "information desk", address: .random(0xe41c_0a35_7b01),
      contents: [.fixed(BeaconFrame.iBeacon(uuid: house, major: 1, minor: 1, power: -59).advertisement)],
      interval: 1, power: -60, track: Track(at: Place(1.2, 0.9)))
  }

  private static var exhibit: Device {
    let frame = BeaconFrame.altBeacon(
      manufacturer: 0x0118, organization: UUID128(high: 0x2f5e_83d1_90a4_4bc7, low: 0xb613_7e0c_d248_59af),
      unit: 0x0001_0003, power: -61)
    return Device(
      "exhibit", address: .random(0xd270_58c6_1e03), contents: [.fixed(frame.advertisement)], interval: 1.28,
      power: -61, track: Track(at: Place(-8, 5)))
  }

  private static var plantRoom: Device {
    let frame = BeaconFrame.eddystoneUID(
      UUID128(high: 0x8b0c_a750_e754_4014, low: 0x9a3e_0000_0000_0021), power: -18)
    let telemetry = Device.Content.telemetry(millivolts: 2900, temperature256: 5504, upFor: 1_036_800)
    return Device(
      "plant room", address: .random(0xc963_f2b4_0a21),
      contents: [Device.Content](repeating: .fixed(frame.advertisement), count: 4) + [telemetry], interval: 1,
      power: -59, track: Track(at: Place(-2.4, -1.8)))
  }

  private static var poster: Device {
    let frame = BeaconFrame.eddystoneURL(EddystoneURL.encoded("https://example.org/lobby") ?? [], power: -20)
    return Device(
      "poster", address: .random(0xf58a_21d7_3c05), pdu: .connectable, contents: [.fixed(frame.advertisement)],
      scanResponse: name("Lobby poster"), interval: 1.5, power: -62, track: Track(at: Place(3, 4)))
  }

  /// Its battery gives out after two minutes.
  private static var cloakroom: Device {
    Device(
      "cloakroom", address: .random(0xcb1f_7720_9e44),
      contents: [.fixed(BeaconFrame.eddystoneEID(0x3d5f_90c1_7ae2_46b8, power: -19).advertisement)],
      interval: 1, power: -60, track: Track(at: Place(5, -3)), onAir: [0..<120])
  }

  // MARK: Beacons that come and go

  /// dB that the glass front and the street take.
  private static let outside = 18.0

  /// Comes in at 08:31:08, stands at the desk from 08:31:20 to 08:32:50, goes out at 08:33:02.
  private static var visitor: Device {
    Device(
      "visitor", address: .random(0xe9d4_4f08_6b72),
      contents: [.fixed(BeaconFrame.iBeacon(uuid: house, major: 2, minor: 7, power: -62).advertisement)],
      interval: 0.5, power: -62,
      track: Track(
        from: Track.Waypoint(48, Place(12, 40), obstruction: outside),
        [
          Track.Waypoint(68, Place(0, 12.5), obstruction: outside),
          Track.Waypoint(69.5, Place(0, 11.5)),
          Track.Waypoint(80, Place(0.3, 0.4)),
          Track.Waypoint(170, Place(0.3, 0.4)),
          Track.Waypoint(180.5, Place(0, 11.5)),
          Track.Waypoint(182, Place(0, 12.5), obstruction: outside),
          Track.Waypoint(202, Place(-12, 40), obstruction: outside),
        ]))
  }

  /// Passes the glass front for ten seconds and does not come in.
  private static var courier: Device {
    Device(
      "courier", address: .random(0xd70e_b391_5f18),
      contents: [.fixed(BeaconFrame.iBeacon(uuid: house, major: 3, minor: 18, power: -60).advertisement)],
      interval: 0.7, power: -60,
      track: Track(
        from: Track.Waypoint(95, Place(30, 16), obstruction: 26),
        [
          Track.Waypoint(105, Place(8, 14), obstruction: 12),
          Track.Waypoint(115, Place(-8, 14), obstruction: 12),
          Track.Waypoint(125, Place(-30, 16), obstruction: 26),
        ]))
  }

  // MARK: Noise

  private static var phones: [Device] {
    let flags: [UInt8] = [0x02, 0x01, 0x1a]
    // Manufacturer data of one company's phones and headphones, with a tail that changes with the address.
    let nearby = Device.Content.drawn(flags + [0x02, 0x0a, 0x0c, 0x0a, 0xff, 0x4c, 0x00, 0x10, 0x05], count: 5)
    let finder = Device.Content.drawn([0x1e, 0xff, 0x4c, 0x00, 0x12, 0x19], count: 25)
    let desktop = Device.Content.drawn([0x1e, 0xff, 0x06, 0x00, 0x01, 0x09, 0x20, 0x02], count: 23)
    let pairing = Device.Content.drawn(flags + [0x06, 0x16, 0x2c, 0xfe], count: 3)
    let walk = Track(
      from: Track.Waypoint(0, Place(-6, 11)), [Track.Waypoint(180, Place(4, 2)), Track.Waypoint(345, Place(6, 11))])
    return [
      phone("phone of the receptionist", nearby, .connectable, every: 2.1, Track(at: Place(0.8, 1.4))),
      phone("phone of a guest", nearby, .connectable, every: 2.6, walk),
      phone("lost key ring", finder, .nonConnectable, every: 2, Track(at: Place(-4, 6))),
      phone("laptop", desktop, .nonConnectable, every: 3, Track(at: Place(4, 7))),
      phone(
        "earphones", pairing, .connectable, every: 2.4, Track(at: Place(-3, 3)), answering: name("Earphones 3F")),
      phone("phone in a taxi", nearby, .connectable, every: 1.6, Track(at: Place(6, 15), obstruction: 12), 230..<290),
    ]
  }

  private static func phone(
    _ called: String, _ content: Device.Content, _ pdu: Device.PDU, every interval: Double, _ track: Track,
    _ onAir: Range<Double> = 0..<Double.infinity, answering response: [UInt8]? = nil
  ) -> Device {
    // An address lasts a quarter of an hour, as the specification advises.
    Device(
      called, isBeacon: false, address: .resolvable(every: 900), pdu: pdu, contents: [content],
      scanResponse: response, interval: interval, power: -58, track: track, onAir: [onAir])
  }

  private static func name(_ name: String) -> [UInt8] {
    var octets: [UInt8] = []
    octets.append(.completeLocalName, Array(name.utf8))
    return octets
  }
}

extension Adapter {
  /// An older radio that listens all the time.
  fileprivate static var builtIn: Adapter {
    var adapter = Adapter(.legacy, address: DeviceAddress(0x0002_5b00_a511), at: Place(0, 0))
    adapter.unmeasured = 0.004
    return adapter
  }

  /// A newer one with a small antenna that has other things to do.
  fileprivate static var dongle: Adapter {
    var adapter = Adapter(.extended, address: DeviceAddress(0x0002_5b00_a512), at: Place(0.1, 0))
    adapter.gain = -3
    adapter.share = 0.5
    return adapter
  }
}
