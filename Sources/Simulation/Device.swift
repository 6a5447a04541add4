import BluetoothLE

/// Something that advertises while it moves.
package struct Device: Sendable {
  /// What it sends, in turn.
  package enum Content: Sendable {
    case payload([UInt8])
    /// Eddystone telemetry, counted and timed as it is sent.
    case telemetry(millivolts: UInt16, temperature: Int16)
    /// A phone's: other octets after every change of its address.
    case phone
  }

  /// Where it is: metres from the gateway at seconds of the scene, in between on a straight line.
  package struct Waypoint: Sendable {
    package let time: Double
    package let distance: Double

    package init(_ time: Double, _ distance: Double) {
      self.time = time
      self.distance = distance
    }
  }

  package let name: String
  package let address: DeviceAddress
  package let addressType: AddressType
  /// Seconds after which a new private address is taken; nil where the address stays.
  package let rotation: Double?
  package let contents: [Content]
  /// Sent to who asks, by a scannable advertiser; nil where there is none.
  package let scanResponse: [UInt8]?
  /// Advertising interval in seconds, to which 0 to 10 ms are added.
  package let interval: Double
  /// Received power at 1 m in dBm.
  package let power: Double
  /// It advertises from the first to the last of them.
  package let path: [Waypoint]

  package init(
    _ name: String, address: DeviceAddress, addressType: AddressType = .random, rotation: Double? = nil,
    contents: [Content], scanResponse: [UInt8]? = nil, interval: Double, power: Double, path: [Waypoint]
  ) {
    self.name = name
    self.address = address
    self.addressType = addressType
    self.rotation = rotation
    self.contents = contents
    self.scanResponse = scanResponse
    self.interval = interval
    self.power = power
    self.path = path
  }

  package var start: Double { path.first?.time ?? 0 }
  package var end: Double { path.last?.time ?? 0 }

  /// True distance in metres at `time`.
  package func distance(at time: Double) -> Double {
    guard let next = path.firstIndex(where: { $0.time >= time }), next > 0 else {
      return time <= start ? path.first?.distance ?? 1 : path.last?.distance ?? 1
    }
    let (a, b) = (path[next - 1], path[next])
    guard b.time > a.time else { return b.distance }
    return a.distance + (b.distance - a.distance) * (time - a.time) / (b.time - a.time)
  }
}
