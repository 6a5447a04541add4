import BluetoothLE

extension Scene {
  package static let daySeed: UInt64 = 20_261_103

  /// A day of many beacons at one gateway. Of 20 beacons 15 stay, three come and go, two fall silent for good.
  ///
  /// Whoever is there is 0.5 to 20 m away and heard well; whoever is away is heard by nobody, and for longer than any
  /// time-out. The seed places the beacons and is the scene's.
  package static func day(beacons: Int = 350, hours: Double = 24, seed: UInt64 = daySeed) -> Scene {
    var adapter = Adapter(.extended, address: DeviceAddress(0x0002_5b00_a513), at: Place(0, 0))
    adapter.unmeasured = 0.002
    var scene = Scene(
      "day", "A day of 350 beacons of five kinds, once in 0.1 to 31 s, that stay, come and go, or die.",
      // 2026-11-03T00:00:00Z
      start: UnixTime(seconds: 1_793_664_000, fraction: 0), duration: hours * 3600, seed: seed, adapters: [adapter],
      devices: [])
    for number in 0..<beacons {
      var random = SplitMix(seed: seed, stream: UInt64(number))
      scene.devices.append(beacon(number, lasting: scene.duration, &random))
    }
    return scene
  }

  /// The same day when all goes wrong: two of three packets are lost, every tenth beacon is at the end of the range,
  /// something else is on the air now and then, and people stand in the way for minutes.
  package static func dayOfStress(beacons: Int = 350, hours: Double = 24, seed: UInt64 = daySeed) -> Scene {
    var scene = day(beacons: beacons, hours: hours, seed: seed)
    scene.name = "day-stress"
    scene.summary = "The same day with 65 % of the packets lost, weak links, interference, and people in the way."
    scene.adapters[0].share = 0.35
    var random = SplitMix(seed: seed, stream: 1 << 32)
    scene.adapters[0].interference = spans(every: 7200, of: 10...60, until: scene.duration, &random).map {
      Adapter.Interference(during: $0, loss: random.uniform(0.6...0.8))
    }
    for index in scene.devices.indices {
      var random = SplitMix(seed: seed, stream: 1 << 32 + UInt64(index) + 1)
      scene.devices[index].shadings = spans(every: 21_600, of: 60...300, until: scene.duration, &random).map {
        Device.Shading(during: $0, loss: random.uniform(6...12))
      }
      guard index % 10 == 5, scene.devices[index].track.waypoints.count == 1 else { continue }
      let excess = scene.meanLevel(device: index, adapter: 0, at: 0) - scene.adapters[0].sensitivity
      let place = scene.devices[index].track.waypoints[0].place
      scene.devices[index].track = Track(at: place, obstruction: excess - random.uniform(0...6))
    }
    return scene
  }

  /// Spans of time that begin at random, one in `period` seconds on average.
  private static func spans(
    every period: Double, of lengths: ClosedRange<Double>, until end: Double, _ random: inout SplitMix
  ) -> [Range<Double>] {
    var spans: [Range<Double>] = []
    var start = 0.0
    while true {
      start += random.uniform(0...2 * period)
      guard start < end else { return spans }
      spans.append(start..<start + random.uniform(lengths))
      start = spans[spans.count - 1].upperBound
    }
  }

  // MARK: Beacons

  private static let house = UUID128(high: 0x6c0b_a5e2_1f3d_4a86, low: 0x9d27_51c4_e80b_73fa)

  private static func beacon(_ number: Int, lasting duration: Double, _ random: inout SplitMix) -> Device {
    let period = interval(&random)
    let content = contents(number, period, &random)
    // As likely between 0.5 and 1 m as between 10 and 20 m, in any direction.
    var distance = 0.5
    for _ in 0..<5 { distance *= 1 + random.uniform(0...1) * 1.09 }
    let place = Place(toward: random.uniform(-1...1), random.uniform(-1...1), min(distance, 20))
    var device = Device(
      "\(content.kind) \(number)", address: .random(random.next()), contents: content.frames, interval: period,
      power: -59 + 2 * random.normal(), track: Track(at: place))
    switch number % 20 {
    case 3, 9, 15: device.track = visits(to: place, lasting: duration, &random)
    case 7, 18: device.onAir = [0..<duration * random.uniform(0.3...0.7)]
    default: break
    }
    return device
  }

  /// Most beacons advertise once in 0.5 to 2 s; trackers more often, what has to live for years less.
  private static func interval(_ random: inout SplitMix) -> Double {
    switch random.next() % 100 {
    case 0..<2: 0.1
    case 2..<7: random.uniform(0.2...0.4)
    case 7..<85: random.uniform(0.5...2)
    case 85..<91: 5
    case 91..<95: 10
    case 95..<98: 12.5
    default: 31
    }
  }

  private static func contents(
    _ number: Int, _ interval: Double, _ random: inout SplitMix
  ) -> (kind: String, frames: [Device.Content]) {
    let unit = UInt64(number)
    switch number % 9 {
    case 0..<4:
      let frame = BeaconFrame.iBeacon(
        uuid: house, major: UInt16(truncatingIfNeeded: number >> 16), minor: UInt16(truncatingIfNeeded: number),
        power: -59)
      return ("iBeacon", [.fixed(frame.advertisement)])
    case 4, 5:
      let frame = BeaconFrame.eddystoneUID(UUID128(high: house.high, low: house.low & ~0xffff_ffff | unit), power: -18)
      let frames = [Device.Content](repeating: .fixed(frame.advertisement), count: 4)
      guard interval <= 2 else { return ("UID", frames) }
      return ("UID", frames + [.telemetry(millivolts: 2900, temperature256: 5504, upFor: 86_400)])
    case 6:
      let frame = BeaconFrame.altBeacon(
        manufacturer: 0x0118, organization: house, unit: UInt32(truncatingIfNeeded: number), power: -59)
      return ("AltBeacon", [.fixed(frame.advertisement)])
    case 7:
      return ("EID", [.fixed(BeaconFrame.eddystoneEID(random.next(), power: -18).advertisement)])
    default:
      let url = EddystoneURL.encoded("https://example.org/\(number)") ?? []
      return ("URL", [.fixed(BeaconFrame.eddystoneURL(url, power: -18).advertisement)])
    }
  }

  // MARK: Coming and going

  /// dB that the wall takes, and what is beyond.
  private static let wall = 18.0
  private static let houses = 40.0

  /// Comes once, or in a longer scene up to five times: through a door 15 m away, from behind other houses.
  private static func visits(to place: Place, lasting duration: Double, _ random: inout SplitMix) -> Track {
    let count = 1 + random.next() % UInt64(max(1, min(5, duration / 7200)))
    let slot = duration / Double(count)
    let door = Place(toward: place.x, place.y, 15)
    let away = Place(toward: place.x, place.y, 45)
    // A person walks 1.3 m a second.
    let inside = place.distance(to: door) / 1.3
    let outside = door.distance(to: away) / 1.3
    var waypoints: [Track.Waypoint] = []
    for visit in 0..<count {
      let start = slot * (Double(visit) + random.uniform(0.05...0.25))
      let end = slot * (Double(visit) + random.uniform(0.45...0.65))
      waypoints += [
        Track.Waypoint(start - outside - 1, away, obstruction: houses),
        Track.Waypoint(start - 1, door, obstruction: wall), Track.Waypoint(start, door),
        Track.Waypoint(start + inside, place), Track.Waypoint(end - inside, place), Track.Waypoint(end, door),
        Track.Waypoint(end + 1, door, obstruction: wall),
        Track.Waypoint(end + outside + 1, away, obstruction: houses),
      ]
    }
    return Track(from: Track.Waypoint(0, away, obstruction: houses), waypoints)
  }
}

extension Place {
  /// The point `distance` metres from the origin in the direction of another one.
  fileprivate init(toward x: Double, _ y: Double, _ distance: Double) {
    let length = max((x * x + y * y).squareRoot(), 1e-9)
    self.init(x / length * distance, y / length * distance)
  }
}
