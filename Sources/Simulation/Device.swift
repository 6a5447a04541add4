import BluetoothLE

/// Something that advertises: a beacon, a phone.
package struct Device: Sendable {
  /// What is sent in one advertising event.
  package enum Content: Sendable {
    /// The same octets every time.
    case fixed([UInt8])
    /// Eddystone telemetry, its counters running since so many seconds before the scene starts.
    case telemetry(millivolts: UInt16, temperature256: Int16, upFor: Double)
    /// Octets, and so many more behind them that are drawn anew with each address: what a phone sends.
    case drawn([UInt8], count: Int)
  }

  /// Whose address it is.
  package enum Address: Sendable {
    /// The same for good.
    case fixed(DeviceAddress, AddressType)
    /// A resolvable private address, another one whenever so many seconds have passed.
    case resolvable(every: Double)

    /// A static random address; the two top bits are set.
    package static func random(_ value: UInt64) -> Address {
      .fixed(DeviceAddress(value | 0xc000_0000_0000), .random)
    }
  }

  /// Somebody in the way: no part of the truth, since who is hidden has not left.
  package struct Shading: Hashable, Sendable {
    /// Seconds since the start of the scene.
    package var during: Range<Double>
    /// dB.
    package var loss: Double
  }

  /// PDU types of legacy advertising, as an LE Advertising Report numbers them.
  /// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.2.
  package enum PDU: UInt8, Sendable {
    case connectable = 0x00
    case scannable = 0x02
    case nonConnectable = 0x03
  }

  /// What a person calls it.
  package var name: String
  /// It sends frames of a kind that the product knows.
  package var isBeacon: Bool
  package var address: Address
  package var pdu: PDU
  /// Sent one after the other, then from the first again.
  package var contents: [Content]
  /// The answer to a scan request; nil where it gives none.
  package var scanResponse: [UInt8]?
  /// Seconds from one advertising event to the next, without the random delay.
  package var interval: Double
  /// dBm that an adapter without gain hears at 1 m.
  package var power: Double
  package var track: Track
  /// Seconds since the start of the scene in which it advertises, in their order.
  package var onAir: [Range<Double>]
  /// In their order, none before the end of the one before.
  package var shadings: [Shading] = []

  /// A device in the units of the properties; on air throughout unless said.
  package init(
    _ name: String, isBeacon: Bool = true, address: Address, pdu: PDU = .nonConnectable, contents: [Content],
    scanResponse: [UInt8]? = nil, interval: Double, power: Double, track: Track,
    onAir: [Range<Double>] = [0..<Double.infinity]
  ) {
    self.name = name
    self.isBeacon = isBeacon
    self.address = address
    self.pdu = pdu
    self.contents = contents
    self.scanResponse = scanResponse
    self.interval = interval
    self.power = power
    self.track = track
    self.onAir = onAir
  }
}

extension Device {
  /// dB that whoever is in the way takes at a time.
  func shading(at seconds: Double) -> Double {
    let next = shadings.first { $0.during.upperBound > seconds }
    return next.map { $0.during.contains(seconds) ? $0.loss : 0 } ?? 0
  }
}
