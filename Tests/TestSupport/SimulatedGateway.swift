import BluetoothLE
import Proximity
import Simulation

/// Plays a scene to an engine, without a capture in between. Instants are those since the scene's start. `body` is
/// called with what the engine says of each HCI event, and at the end of what it says in `idle` seconds of silence.
package func play(
  _ scene: Scene, _ settings: EngineSettings = EngineSettings(), thenIdle idle: Double = 0,
  _ body: (EventBatch) -> Void
) {
  var simulator = Simulator(scene)
  var events = EventBatch()
  var engine = Engine(settings, at: Instant(nanoseconds: 0), utc: scene.start, &events)
  var decoder = ReportDecoder(joiningFragments: false)
  func take(_ event: SimulatedEvent) {
    let instant = Instant(nanoseconds: event.time.nanoseconds - scene.start.nanoseconds)
    event.octets.withUnsafeBytes { octets in
      let packet = CapturedPacket(
        record: 1, time: event.time, adapter: UInt16(event.adapter), content: .hci(.event), octets: Octets(octets),
        isCut: false)
      _ = decoder.decode(packet) { engine.take($0, from: event.adapter, at: instant, &events) }
    }
    hand()
  }
  func hand() {
    guard !events.isEmpty else { return }
    body(events)
    events.removeAll()
  }
  while simulator.step(take) {}
  engine.advance(to: Instant(nanoseconds: 0).advanced(by: scene.duration + idle), &events)
  hand()
}

extension PresenceTally {
  /// What an engine that watches everything says of a scene's beacons, which are told by their addresses. Exits that are
  /// still to come are waited for.
  package init(playing scene: Scene) {
    self.init(scene)
    var devices: [DeviceAddress: Int] = [:]
    for (index, device) in scene.devices.enumerated() {
      if case .fixed(let address, _) = device.address { devices[address] = index }
    }
    // No time-out is longer than a quarter of an hour.
    play(scene, thenIdle: 900) { batch in
      for event in batch.events {
        let beacon: BeaconSnapshot
        let isEnter: Bool
        switch event.content {
        case .didEnter(.beacon(let snapshot)): (beacon, isEnter) = (snapshot, true)
        case .didExit(.beacon(let snapshot), _, _, _): (beacon, isEnter) = (snapshot, false)
        default: continue
        }
        guard let device = beacon.address.flatMap({ devices[$0] }) else { continue }
        let seconds = Double(event.time.nanoseconds - scene.start.nanoseconds) * 1e-9
        note(device: device, isEnter: isEnter, at: seconds)
      }
    }
  }
}
