import BluetoothLE

/// Who advertises where and when, and who listens: all that a recording is made from, but for the seed.
package struct Scene: Sendable {
  /// The word by which the tool knows it.
  package var name: String
  /// One line for a person.
  package var summary: String
  package var start: UnixTime
  /// Seconds.
  package var duration: Double
  /// The seed unless another one is asked for.
  package var seed: UInt64
  package var channel = RadioChannel()
  package var adapters: [Adapter]
  package var devices: [Device]

  /// A scene in the units of the properties.
  package init(
    _ name: String, _ summary: String, start: UnixTime, duration: Double, seed: UInt64, adapters: [Adapter],
    devices: [Device]
  ) {
    self.name = name
    self.summary = summary
    self.start = start
    self.duration = duration
    self.seed = seed
    self.adapters = adapters
    self.devices = devices
  }

  /// The scenes that come with the program.
  package static var all: [Scene] { [.lobby, .day(), .dayOfStress()] }
}

// MARK: The truth

extension Scene {
  /// Metres between a device and an adapter; times are seconds since the start.
  package func distance(device: Int, adapter: Int, at seconds: Double) -> Double {
    devices[device].track.waypoint(at: seconds).place.distance(to: adapters[adapter].place)
  }

  /// dBm that an adapter hears of a device on average, were nothing to scatter.
  package func meanLevel(device: Int, adapter: Int, at seconds: Double) -> Double {
    let waypoint = devices[device].track.waypoint(at: seconds)
    let distance = waypoint.place.distance(to: adapters[adapter].place)
    return devices[device].power - channel.loss(distance: distance) - waypoint.obstruction + adapters[adapter].gain
  }

  /// When a device is on air and some adapter would hear most of its packets, but for chance: its true comings and
  /// goings, to a tenth of a second.
  package func presence(device: Int) -> [Range<Double>] {
    var spans: [Range<Double>] = []
    var start: Double?
    // Counted in tenths, as sums of tenths drift.
    let last = Int(duration * 10)
    var tenth = 0
    while tenth <= last {
      let seconds = Double(tenth) / 10
      // As long as it stays where it is, it is as it was.
      defer { tenth = max(tenth + 1, Int(min(change(of: device, after: seconds), duration) * 10)) }
      let isThere = seconds < duration && isWithinReach(device: device, at: seconds)
      if isThere, start == nil { start = seconds }
      if !isThere, let began = start {
        spans.append(began..<seconds)
        start = nil
      }
    }
    return spans
  }

  /// Whether somebody is in the way of a device that is there, so that no adapter would hear most of its packets.
  package func isHidden(device: Int, at seconds: Double) -> Bool {
    let loss = devices[device].shading(at: seconds)
    return loss > 0 && isWithinReach(device: device, at: seconds)
      && !isWithinReach(device: device, at: seconds, behind: loss)
  }

  /// The time in seconds from which on a device may be elsewhere, or on air where it was not.
  private func change(of device: Int, after seconds: Double) -> Double {
    let onAir = devices[device].onAir.lazy.flatMap { [$0.lowerBound, $0.upperBound] }
    return onAir.filter { $0 > seconds }.reduce(devices[device].track.rest(from: seconds)) { min($0, $1) }
  }

  /// When a device stopped advertising for good; nil where it did not.
  package func death(device: Int) -> Double? {
    devices[device].onAir.last.flatMap { $0.upperBound < duration ? $0.upperBound : nil }
  }

  private func isWithinReach(device: Int, at seconds: Double, behind loss: Double = 0) -> Bool {
    devices[device].onAir.contains { $0.contains(seconds) }
      && adapters.indices.contains {
        meanLevel(device: device, adapter: $0, at: seconds) - loss >= adapters[$0].sensitivity
      }
  }
}
