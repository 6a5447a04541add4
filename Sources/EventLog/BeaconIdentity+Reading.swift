import BluetoothLE
import Proximity

extension BeaconIdentity {
  /// Reads the `beacon` of an event or of the state file.
  package init?(_ value: JSONValue) {
    guard let kind: Kind = value["kind"]?.word(\.word) else { return nil }
    switch kind {
    case .iBeacon:
      guard let uuid = value["uuid"]?.octets(16), let major = value["major"]?.integer.flatMap({ UInt16(exactly: $0) }),
        let minor = value["minor"]?.integer.flatMap({ UInt16(exactly: $0) })
      else { return nil }
      self.init(iBeacon: UUID128(uuid), major: major, minor: minor)
    case .eddystoneUID:
      guard let namespace = value["namespace"]?.octets(10), let instance = value["instance"]?.octets(6) else {
        return nil
      }
      self.init(eddystoneUID: UUID128(namespace + instance))
    case .eddystoneURL:
      // An event has no more than the text; most senders encode it in the fewest octets.
      let shortest = value["url"]?.string.map { EddystoneURL.shortestEncoding(of: $0) }
      guard let encoded = value["encoded"]?.octets() ?? shortest, EddystoneURL.isEncoded(encoded) else { return nil }
      let identity = encoded.withUnsafeBytes { BeaconIdentity(eddystoneURL: Octets($0)) }
      guard let identity else { return nil }
      self = identity
    case .eddystoneEID:
      guard let eid = value["eid"]?.octets(8) else { return nil }
      self.init(eddystoneEID: bigEndian(eid[...]))
    case .altBeacon:
      guard let id = value["id"]?.octets(20),
        let manufacturer = value["manufacturer"]?.integer.flatMap({ UInt16(exactly: $0) })
      else { return nil }
      self.init(
        altBeacon: UUID128(id), unit: UInt32(truncatingIfNeeded: bigEndian(id[16...])), manufacturer: manufacturer)
    case .device:
      guard let address = (value["device"] ?? value["address"])?.string.flatMap({ DeviceAddress($0) }) else {
        return nil
      }
      self.init(device: address)
    }
    if kind != .device, let device = value["device"]?.string {
      guard let address = DeviceAddress(device) else { return nil }
      self = of(address)
    }
  }
}

extension UUID128 {
  /// The first 16 of `octets`.
  fileprivate init(_ octets: [UInt8]) {
    self.init(high: bigEndian(octets[0..<8]), low: bigEndian(octets[8..<16]))
  }
}

extension JSONValue {
  /// Octets as hex digits, with or without dashes: so many, where a number is given.
  fileprivate func octets(_ count: Int? = nil) -> [UInt8]? {
    guard let octets = string.flatMap({ hexOctets($0.filter { $0 != "-" }) }) else { return nil }
    return count.map { $0 == octets.count } ?? true ? octets : nil
  }
}
