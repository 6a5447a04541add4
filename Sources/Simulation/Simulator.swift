import BluetoothLE

/// An HCI event that an adapter hands over.
package struct SimulatedEvent: Sendable {
  /// Index of the adapter in its scene.
  package let adapter: Int
  package let time: UnixTime
  /// The event packet without its H4 octet.
  package let octets: [UInt8]
}

/// Plays a scene: device by device sends, adapter by adapter hears or does not, in the order of time.
///
/// Each device draws from a generator of its own, so that what one does changes nothing for the others. The same scene and
/// seed give the same events on every machine.
package struct Simulator {
  private let scene: Scene
  private var senders: [Sender]
  private var turns: TurnQueue
  private var pending: [PendingEvent]
  /// Fading of each device at each adapter: place, then time.
  private let shadows: [SmoothNoise]
  private let fadings: [SmoothNoise]
  /// The value of the first at the place where each device was last: most never move.
  private var placed: [(place: Place, value: Double)]
  private let end: Int64

  /// How many reports of each device each adapter has made so far: by device, then by adapter.
  package private(set) var reports: [[Int]]

  /// A scene at its start; the seed is the scene's unless given.
  package init(_ scene: Scene, seed: UInt64? = nil) {
    let seed = seed ?? scene.seed
    self.scene = scene
    end = Self.microseconds(scene.duration)
    pending = scene.adapters.map { PendingEvent($0.reporting) }
    reports = scene.devices.map { _ in scene.adapters.map { _ in 0 } }
    let links = UInt64(scene.devices.count * scene.adapters.count)
    shadows = (0..<links).map { SmoothNoise(seed: SplitMix(seed: seed, stream: 3 &* $0 &+ 1).first) }
    fadings = (0..<links).map { SmoothNoise(seed: SplitMix(seed: seed, stream: 3 &* $0 &+ 2).first) }
    placed = shadows.map { (Place(0, 0), $0.value(at: 0, 0)) }
    senders = scene.devices.indices.map {
      Sender(scene.devices[$0], SplitMix(seed: seed, stream: 3 &* UInt64($0) &+ 3))
    }
    turns = TurnQueue()
    for index in senders.indices {
      if let first = senders[index].start(scene.devices[index]) { turns.insert(first, index) }
    }
  }

  static func microseconds(_ seconds: Double) -> Int64 {
    // A day of a year; beyond, and for infinity, time is as good as endless.
    seconds < 1e12 ? Int64(seconds * 1e6 + 0.5) : Int64(1e18)
  }

  /// Goes on to the next thing that happens and calls `body` with the events that come of it; false at the end.
  package mutating func step(_ body: (SimulatedEvent) -> Void) -> Bool {
    let turn = turns.first.flatMap { $0.time < end ? $0 : nil }
    if let (due, adapter) = nextDelivery, due <= turn?.time ?? .max {
      deliver(adapter, at: due, body)
      return true
    }
    guard let turn else { return false }
    transmit(turn.index, at: turn.time, body)
    if let next = senders[turn.index].next(scene.devices[turn.index], after: turn.time) {
      turns.replaceFirst(with: next)
    } else {
      turns.removeFirst()
    }
    return true
  }

  private var nextDelivery: (due: Int64, adapter: Int)? {
    var next: (due: Int64, adapter: Int)?
    for index in pending.indices {
      guard let due = pending[index].due, due < next?.due ?? .max else { continue }
      next = (due, index)
    }
    return next
  }

  private mutating func deliver(_ adapter: Int, at time: Int64, _ body: (SimulatedEvent) -> Void) {
    let time = UnixTime(nanoseconds: scene.start.nanoseconds + time * 1000)
    body(SimulatedEvent(adapter: adapter, time: time, octets: pending[adapter].take()))
  }

  /// Sends one advertisement of a device, and hands it to each adapter that hears it.
  private mutating func transmit(_ index: Int, at time: Int64, _ body: (SimulatedEvent) -> Void) {
    let device = scene.devices[index]
    let seconds = Double(time) * 1e-6
    let data = senders[index].advertisement(device, at: seconds)
    for adapter in scene.adapters.indices {
      guard let rssi = receive(index, adapter, at: seconds) else { continue }
      hand(device.pdu.rawValue, data, rssi, of: index, to: adapter, at: time, body)
      guard let response = device.scanResponse else { continue }
      if senders[index].random.chance(scene.adapters[adapter].scanResponses) {
        hand(HeardPacket.scanResponse, response, rssi, of: index, to: adapter, at: time, body)
      }
    }
  }

  /// The RSSI with which an adapter hears a device now; nil where it does not.
  private mutating func receive(_ index: Int, _ number: Int, at seconds: Double) -> Int8? {
    let adapter = scene.adapters[number]
    let channel = scene.channel
    let link = index * scene.adapters.count + number
    let place = scene.devices[index].track.waypoint(at: seconds).place
    var level = scene.meanLevel(device: index, adapter: number, at: seconds)
    if placed[link].place != place {
      placed[link] = (place, shadows[link].value(at: place.x / channel.placeLength, place.y / channel.placeLength))
    }
    level += channel.placeDeviation * placed[link].value
    level += channel.fadingDeviation * fadings[link].value(at: seconds / channel.fadingTime)
    level += channel.packetDeviation * senders[index].random.normal()
    level += channel.channelOffsets[Int(floor(seconds / adapter.channelTime) % 3)]
    level -= scene.devices[index].shading(at: seconds)
    let isHeard = senders[index].random.chance(adapter.reception(of: level) * adapter.clearness(at: seconds))
    let isMeasured = !senders[index].random.chance(adapter.unmeasured)
    guard isHeard else { return nil }
    guard isMeasured else { return AdvertisingReport.rssiNotAvailable }
    // What controllers show; the nearest whole dBm.
    return Int8(min(max(floor(level + 0.5), -120), 10))
  }

  private mutating func hand(
    _ type: UInt8, _ data: [UInt8], _ rssi: Int8, of index: Int, to number: Int, at time: Int64,
    _ body: (SimulatedEvent) -> Void
  ) {
    let adapter = scene.adapters[number]
    let packet = HeardPacket(
      type: type, addressType: senders[index].addressType, address: senders[index].address, data: data, rssi: rssi)
    let report = packet.report(adapter.reporting, answering: scene.devices[index].pdu)
    if !pending[number].fits(report) { deliver(number, at: time, body) }
    pending[number].append(report, due: time + Self.microseconds(adapter.holding))
    reports[index][number] += 1
  }
}

extension SplitMix {
  /// The first number that it gives.
  fileprivate var first: UInt64 {
    var copy = self
    return copy.next()
  }
}
