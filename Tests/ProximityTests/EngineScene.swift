import BluetoothLE
import Proximity
import TestSupport

/// An engine with reports made by hand, and what it says as short lines. Time is in seconds from the start, which is
/// midnight of 1970-01-01 by the wall clock.
struct EngineScene {
  var engine: Engine
  var events = EventBatch()
  private let settings: EngineSettings

  init(_ settings: EngineSettings = EngineSettings(), at seconds: Double = 0) {
    self.settings = settings
    let start = Self.instant(seconds)
    engine = Engine(settings, at: start, utc: UnixTime(nanoseconds: start.nanoseconds), &events)
  }

  /// Another engine, with other settings or the same, goes on from this one's state `elapsed` seconds later.
  mutating func restart(at seconds: Double, after elapsed: Double, _ settings: EngineSettings? = nil) {
    let start = Self.instant(seconds)
    engine = Engine(
      settings ?? self.settings, restoring: engine.state, elapsed: Self.instant(elapsed).nanoseconds, at: start,
      utc: UnixTime(nanoseconds: start.nanoseconds), &events)
  }

  static func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: 0).advanced(by: seconds) }

  mutating func hear(
    _ data: [UInt8], at seconds: Double, rssi: Int8 = -60, address: UInt64 = 0xc000_0000_0001, adapter: Int = 0
  ) {
    engine.hear(data, rssi: rssi, at: Self.instant(seconds), address: address, adapter: adapter, &events)
  }

  mutating func advance(to seconds: Double) {
    engine.advance(to: Self.instant(seconds), &events)
  }

  mutating func scanner(_ state: ScannerState, at seconds: Double, adapter: Int = 0) {
    engine.scanner(
      adapter, ScannerReport(state, name: "hci\(adapter)", reason: "test"), at: Self.instant(seconds), &events)
  }

  mutating func proof(at seconds: Double, adapter: Int = 0) {
    engine.proof(adapter, at: Self.instant(seconds), &events)
  }

  /// All but the lists: `5.000 enter region iBeacon/1/7`.
  var lines: [String] {
    events.events.compactMap { event in
      let text: String
      switch event.content {
      case .didStartMonitoring: text = "monitor \(event.region)"
      case .monitoringDidFail(let failure): text = "fail \(event.region) \(failure.code)"
      case .didFailRanging: text = "fail ranging \(event.region)"
      case .scannerDidChange(let report): text = "scanner \(report.name) \(report.state)"
      case .didDetermineState(let subject, let state): text = "\(state) \(Self.text(subject))"
      case .didEnter(let subject): text = "enter \(Self.text(subject))"
      case .didExit(let subject, _, let dwell, let cause):
        text = "exit \(Self.text(subject)) \(cause) after \(Self.milliseconds(dwell))"
      case .didRange, .didChangeAuthorization: return nil
      case .didUpdateLocations: text = "location"
      case .didUpdateHeading(let heading): text = "heading \(Self.milliseconds(heading.trueHeading))"
      }
      return "\(Self.milliseconds(Double(event.time.nanoseconds) / 1e9)) \(text)"
    }
  }

  /// The lists: time, and the beacons with proximity and packets.
  var lists: [(time: Double, beacons: [RangedBeacon])] {
    events.events.compactMap { event in
      guard case .didRange(let range, _) = event.content else { return nil }
      return (Double(event.time.nanoseconds) / 1e9, Array(events.ranged[range]))
    }
  }

  /// Those of `lines` that say that a single beacon came or went.
  var comings: [String] {
    lines.filter { $0.contains(" enter beacon ") || $0.contains(" exit beacon ") }
  }

  private static func text(_ subject: Subject) -> String {
    switch subject {
    case .region(let beacon): beacon.map { "region \(text($0.identity))" } ?? "region"
    case .beacon(let beacon): "beacon \(text(beacon.identity))"
    }
  }

  static func text(_ identity: BeaconIdentity) -> String {
    switch identity.kind {
    case .iBeacon: "iBeacon/\(identity.major)/\(identity.minor)"
    case .altBeacon: "altBeacon/\(identity.unit & 0xff)"
    case .eddystoneUID: "uid/\(identity.uuid.low & 0xff)"
    case .eddystoneEID: "eid/\(identity.eid)"
    case .device: "device/\(identity.deviceAddress?.value ?? 0)"
    case .eddystoneURL: "url/\(identity.withEncodedURL { EddystoneURL.text($0) })"
    }
  }

  private static func milliseconds(_ seconds: Double) -> String {
    let total = Int(seconds.magnitude * 1000 + 0.5)
    let rest = String(total % 1000)
    return (seconds < 0 ? "-" : "") + "\(total / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
