import BluetoothLE
import Proximity
import Simulation
import TestSupport
import Testing

/// The engine in a world that is as its model takes it to be.
struct IntervalCoverageTests {
  /// Beacons at distances of the prior, in places that shift the level by 5.5 dB, with a power that is off by 5 dB: the
  /// stated intervals then hold the truth about as often as they say.
  @Test func intervalsHoldWhatTheySayWhereTheModelIsRight() {
    var heard = 0.0
    var within68 = 0.0
    var within95 = 0.0
    for seed in UInt64(1)...4 {
      let scene = crowd(of: 200, seed: seed)
      let distributions = lastDistributions(scene)
      for (index, device) in scene.devices.enumerated() {
        guard case .fixed(let address, _) = device.address, let known = distributions[address] else { continue }
        let truth = scene.distance(device: index, adapter: 0, at: 0)
        heard += 1
        let interval68 = known.estimate.interval68
        if (interval68.low...interval68.high).contains(truth) { within68 += 1 }
        if (known.interval95.low...known.interval95.high).contains(truth) { within95 += 1 }
      }
    }
    #expect(heard > 780)
    // Chance leaves 1.6 % and 0.8 %; the tails of the model's distribution are wider than those of the scene's.
    #expect((0.65...0.80).contains(within68 / heard), "\(within68 / heard)")
    #expect((0.94...0.99).contains(within95 / heard), "\(within95 / heard)")
  }

  /// What is known of each device's distance at its last packet.
  private func lastDistributions(_ scene: Scene) -> [DeviceAddress: DistanceDistribution] {
    var simulator = Simulator(scene)
    var decoder = ReportDecoder(joiningFragments: false)
    var filters: [DeviceAddress: LevelFilter] = [:]
    var powers: [DeviceAddress: PowerAtOneMeter] = [:]
    var last: [DeviceAddress: Instant] = [:]
    func take(_ event: SimulatedEvent) {
      let instant = Instant(nanoseconds: event.time.nanoseconds - scene.start.nanoseconds)
      event.octets.withUnsafeBytes { octets in
        let packet = CapturedPacket(
          record: 1, time: event.time, adapter: 0, content: .hci(.event), octets: Octets(octets), isCut: false)
        _ = decoder.decode(packet) { report in
          guard let address = report.address else { return }
          filters[address, default: LevelFilter()].update(rssi: report.rssi, at: instant)
          last[address] = instant
          for frame in Frames(report.data) { powers[address] = PowerAtOneMeter(advertised: frame.powerAtOneMeter) }
        }
      }
    }
    while simulator.step(take) {}
    let model = DistanceModel()
    return filters.reduce(into: [:]) { result, entry in
      guard let instant = last[entry.key], let level = entry.value.level(at: instant), let power = powers[entry.key]
      else { return }
      result[entry.key] = model.distribution(level: level, power: power)
    }
  }

  private func crowd(of count: UInt64, seed: UInt64) -> Scene {
    var random = SplitMix(seed: seed)
    var adapter = Adapter(.legacy, address: DeviceAddress(1), at: Place(0, 0))
    adapter.share = 0.9
    var scene = Scene(
      "crowd", "", start: UnixTime(seconds: 1_793_608_200, fraction: 0), duration: 30, seed: seed, adapters: [adapter],
      devices: [])
    scene.channel.placeDeviation = 5.5
    scene.devices = (0..<count).map { number in
      let distance = Double.exp10(0.40 + 0.55 * random.normal())
      let frame = BeaconFrame.iBeacon(
        uuid: UUID128(high: 1, low: 2), major: 1, minor: UInt16(number), power: -59)
      return Device(
        "beacon \(number)", address: .random(number), contents: [.fixed(frame.advertisement)], interval: 0.5,
        power: -59 + 5 * random.normal(), track: Track(at: Place(distance, 0)))
    }
    return scene
  }
}
