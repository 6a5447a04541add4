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
    // A list has room for 256: more would be the nearest only.
    for seed in UInt64(1)...4 {
      let scene = crowd(of: 200, seed: seed)
      let estimates = lastEstimates(scene)
      for (index, device) in scene.devices.enumerated() {
        guard case .fixed(let address, _) = device.address, let estimate = estimates[address] else { continue }
        let truth = scene.distance(device: index, adapter: 0, at: 0)
        heard += 1
        if (estimate.interval68.low...estimate.interval68.high).contains(truth) { within68 += 1 }
        if (estimate.interval95.low...estimate.interval95.high).contains(truth) { within95 += 1 }
      }
    }
    #expect(heard > 780)
    // Chance leaves 1.6 % and 0.8 %; the tails of the model's distribution are wider than those of the scene's.
    #expect((0.65...0.80).contains(within68 / heard), "\(within68 / heard)")
    #expect((0.94...0.99).contains(within95 / heard), "\(within95 / heard)")
  }

  /// What the engine said last of each beacon.
  private func lastEstimates(_ scene: Scene) -> [DeviceAddress: DistanceEstimate] {
    var simulator = Simulator(scene)
    var events = EventBatch()
    var engine = Engine(at: Instant(nanoseconds: 0), utc: scene.start, &events)
    var decoder = ReportDecoder(joiningFragments: false)
    var estimates: [DeviceAddress: DistanceEstimate] = [:]
    func take(_ event: SimulatedEvent) {
      let instant = Instant(nanoseconds: event.time.nanoseconds - scene.start.nanoseconds)
      event.octets.withUnsafeBytes { octets in
        let packet = CapturedPacket(
          record: 1, time: event.time, adapter: 0, content: .hci(.event), octets: Octets(octets), isCut: false)
        _ = decoder.decode(packet) { engine.take($0, from: 0, at: instant, &events) }
      }
      for ranged in events.ranged {
        if let address = ranged.beacon.address, let estimate = ranged.estimate { estimates[address] = estimate }
      }
      events.removeAll()
    }
    while simulator.step(take) {}
    return estimates
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
