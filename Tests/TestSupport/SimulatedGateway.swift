import BluetoothLE
import Proximity
import Simulation

/// Calls `body` with each report of a scene, the adapter that heard it, and when: instants are those since the scene's start.
package func hear(_ scene: Scene, _ body: (AdvertisingReport, Int, Instant) -> Void) {
  var simulator = Simulator(scene)
  var decoder = ReportDecoder(joiningFragments: false)
  while simulator.step({ event in
    let instant = Instant(nanoseconds: event.time.nanoseconds - scene.start.nanoseconds)
    event.octets.withUnsafeBytes { octets in
      let packet = CapturedPacket(
        record: 1, time: event.time, adapter: UInt16(event.adapter), content: .hci(.event), octets: Octets(octets),
        isCut: false)
      _ = decoder.decode(packet) { body($0, event.adapter, instant) }
    }
  }) {}
}

/// Plays a scene to an engine, without a capture in between. Instants are those since the scene's start. `body` is
/// called with what the engine says of each report, and at the end of what it says in `idle` seconds of silence.
package func play(
  _ scene: Scene, _ settings: EngineSettings = EngineSettings(), thenIdle idle: Double = 0,
  _ body: (EventBatch) -> Void
) {
  var events = EventBatch()
  var engine = Engine(settings, at: Instant(nanoseconds: 0), utc: scene.start, &events)
  func hand() {
    guard !events.isEmpty else { return }
    body(events)
    events.removeAll()
  }
  hear(scene) { report, adapter, instant in
    engine.take(report, from: adapter, at: instant, &events)
    hand()
  }
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
