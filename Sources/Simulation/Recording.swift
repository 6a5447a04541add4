import BluetoothLE

/// What a gateway hears of a scene, as HCI events in the order of time, and the truth about it.
package struct Recording: Sendable {
  package struct Event: Sendable {
    /// Seconds of the scene, in whole microseconds.
    package let microseconds: Int64
    /// An HCI event without its H4 octet.
    package let octets: [UInt8]
  }

  /// What was heard of one device.
  package struct Heard: Sendable {
    package fileprivate(set) var packets = 0
    /// Seconds of the scene.
    package fileprivate(set) var first = 0.0
    package fileprivate(set) var last = 0.0
  }

  package let scene: Scene
  package private(set) var events: [Event] = []
  /// By the number of the device in its scene.
  package private(set) var heard: [Heard]

  /// Now and then a controller puts two reports into one event; one in so many.
  private static let eventsPerPair: UInt64 = 12

  /// Plays a scene. The same seed gives the same recording on every machine.
  package init(_ scene: Scene, seed: UInt64) {
    self.scene = scene
    heard = Array(repeating: Heard(), count: scene.devices.count)
    var random = SplitMix(seed: seed)
    var players = scene.devices.map { Player($0, &random) }
    var pending: Report?
    while let next = players.indices.min(by: { players[$0].next < players[$1].next }),
      players[next].next <= scene.duration
    {
      for report in players[next].advertise(&random) {
        note(next, report)
        if let first = pending {
          append([first, report])
          pending = nil
        } else if random.next() % Self.eventsPerPair == 0 {
          pending = report
        } else {
          append([report])
        }
      }
    }
    if let pending { append([pending]) }
  }

  private mutating func note(_ device: Int, _ report: Report) {
    let time = Double(report.microseconds) / 1e6
    if heard[device].packets == 0 { heard[device].first = time }
    heard[device].packets += 1
    heard[device].last = time
  }

  /// An LE Advertising Report event. Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.2.
  private mutating func append(_ reports: [Report]) {
    let body = reports.flatMap { $0.octets }
    events.append(
      Event(
        microseconds: reports.map { $0.microseconds }.max() ?? 0,
        octets: [0x3e, UInt8(body.count + 2), 0x02, UInt8(reports.count)] + body))
  }

  /// The recording as a btsnoop capture.
  package func btsnoop(_ datalink: BTSnoopWriter.Datalink) -> [UInt8] {
    let writer = BTSnoopWriter(datalink)
    var octets: [UInt8] = []
    writer.appendHeader(to: &octets)
    for event in events {
      let time = UnixTime(nanoseconds: scene.start.nanoseconds + event.microseconds * 1000)
      event.octets.withUnsafeBytes { writer.appendEvent(Octets($0), adapter: 0, at: time, to: &octets) }
    }
    return octets
  }
}

/// One report as it stands in an event.
private struct Report {
  let microseconds: Int64
  let octets: [UInt8]

  init(
    at time: Double, type: UInt8, _ address: DeviceAddress, _ addressType: AddressType, _ data: [UInt8], _ rssi: Int8
  ) {
    microseconds = Int64(time * 1e6)
    // In steps: the whole expression takes Swift 6.0.3 longer to check than it allows itself.
    var octets = [type, addressType.rawValue]
    for index in 0..<6 { octets.append(UInt8(truncatingIfNeeded: address.value >> UInt64(8 * index))) }
    octets.append(UInt8(data.count))
    octets += data
    octets.append(UInt8(bitPattern: rssi))
    self.octets = octets
  }
}

/// A device on its way through a scene.
private struct Player {
  private let device: Device
  private var radio: Radio
  private var sent = 0
  private var address: DeviceAddress
  private var rotated: Double
  private var phone: [UInt8] = []
  /// When it advertises next, in seconds of the scene.
  private(set) var next: Double

  init(_ device: Device, _ random: inout SplitMix) {
    self.device = device
    radio = Radio(&random)
    address = device.address
    rotated = device.start
    next = device.start + random.uniform(0...device.interval)
    phone = Self.phone(&random)
  }

  /// Sends one advertisement, and gives what is received of it.
  mutating func advertise(_ random: inout SplitMix) -> [Report] {
    let time = next
    guard time <= device.end else {
      next = .infinity
      return []
    }
    next = time + device.interval + random.uniform(0...0.01)
    if let rotation = device.rotation, time - rotated >= rotation {
      rotated = time
      // A resolvable private address: its two top bits are 01.
      address = DeviceAddress(random.next() & 0x3fff_ffff_ffff | 0x4000_0000_0000)
      phone = Self.phone(&random)
    }
    let data = payload(at: time)
    sent += 1
    let distance = device.distance(at: time)
    guard let rssi = radio.receive(power: device.power, distance: distance, at: time, &random) else { return [] }
    // ADV_IND where it can be asked, else ADV_NONCONN_IND; SCAN_RSP.
    let type: UInt8 = device.scanResponse == nil ? 0x03 : 0x00
    var reports = [Report(at: time, type: type, address, device.addressType, data, rssi)]
    if let response = device.scanResponse, random.next() % 2 == 0 {
      reports.append(Report(at: time + 0.0004, type: 0x04, address, device.addressType, response, rssi))
    }
    return reports
  }

  private func payload(at time: Double) -> [UInt8] {
    switch device.contents[sent % device.contents.count] {
    case .payload(let octets): octets
    case .phone: phone
    case .telemetry(let millivolts, let temperature):
      Payload.eddystoneTLM(
        millivolts: millivolts, temperature: temperature, advertisements: UInt32(sent),
        deciseconds: UInt32(time * 10))
    }
  }

  /// What a phone sends between changes of its address: company data of no beacon.
  private static func phone(_ random: inout SplitMix) -> [UInt8] {
    Payload.flags
      + Payload.structure(0xff, [0x4c, 0x00, 0x10, 0x05] + (0..<5).map { _ in UInt8(random.next() & 0xff) })
  }
}
