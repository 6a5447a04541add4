import BluetoothLE
import Proximity

/// Feeds an engine with the packets of a recording, as a gateway that heard them would have been fed.
package struct CaptureReplay {
  private let settings: EngineSettings
  /// Nanoseconds between the packets of a capture without times.
  private let interval: Int64?
  private var decoder = ReportDecoder(joiningFragments: true)
  private var clock = ReplayClock()
  private var engine: Engine?
  private var now = Instant(nanoseconds: 0)
  /// The capture has no times, and nobody said how far apart its packets are: they were passed over.
  package private(set) var lacksTimes = false

  /// `interval` is the time in seconds from packet to packet in captures without times.
  package init(_ settings: EngineSettings = EngineSettings(), interval: Double? = nil) {
    self.settings = settings
    self.interval = interval.map { Int64(min(max($0, 0), 1e6) * 1e9) }
  }

  package mutating func take(_ packet: CapturedPacket, _ events: inout EventBatch) {
    guard let time = packet.time ?? madeTime(packet.record) else {
      lacksTimes = true
      return
    }
    let reading = clock.read(time)
    now = reading.instant
    if engine == nil {
      engine = Engine(settings, at: now, utc: time, &events)
    }
    if let step = reading.step { engine?.setUTC(step, at: now, &events) }
    _ = decoder.decode(packet) { engine?.take($0, from: Int(packet.adapter), at: now, &events) }
  }

  /// At the end of the recording: takes what stayed incomplete, and brings the engine to the time of the last packet.
  package mutating func finish(_ events: inout EventBatch) {
    decoder.finish { report, packet in engine?.take(report, from: Int(packet.adapter), at: now, &events) }
    engine?.advance(to: now, &events)
  }

  private func madeTime(_ record: UInt64) -> UnixTime? {
    guard let interval else { return nil }
    let (product, overflow) = Int64(clamping: record - 1).multipliedReportingOverflow(by: interval)
    return UnixTime(nanoseconds: overflow ? .max : product)
  }
}
