import BluetoothLE

extension BlueZDevice.Change {
  /// More of a kind than any device says at once.
  private static let mostStructures = 8
  /// Flags are one octet; the specification leaves room for more.
  private static let mostFlags = 4

  /// Reads the properties of `org.bluez.Device1`, a dictionary of variants, and the names of those that are gone. What
  /// has another type than bluetoothd gives it says nothing.
  /// Source: BlueZ, doc/org.bluez.Device.rst.
  init(_ properties: DBusArguments, gone: DBusArguments? = nil) {
    for property in properties.elements {
      guard let (key, value) = property.entry, let name = key.text(), let value = value.variant() else { continue }
      read(name, value)
    }
    guard let gone else { return }
    for name in gone.elements where name.text() == "RSSI" { level = .gone }
  }

  private mutating func read(_ name: String, _ value: DBusArguments) {
    switch name {
    case "Address": address = value.text().flatMap { DeviceAddress($0) } ?? address
    case "AddressType":
      switch value.text() {
      case "public": addressType = .public
      case "random": addressType = .random
      default: break
      }
    case "RSSI": level = value.int16().map { .heard(Int8(exactly: $0) ?? AdvertisingReport.rssiNotAvailable) } ?? level
    case "ManufacturerData": manufacturerData = Self.structures(value) { Self.manufacturer($0, $1) } ?? manufacturerData
    case "ServiceData": serviceData = Self.structures(value) { Self.service($0, $1) } ?? serviceData
    case "UUIDs":
      listsEddystone = value.elements.contains { $0.text().flatMap { Self.uuid($0) } == Self.eddystone }
    case "AdvertisingFlags": flags = value.octets(atMost: Self.mostFlags) ?? flags
    default: break
    }
  }

  /// The AD structures of a dictionary, in its order; nil where there is none.
  private static func structures(
    _ dictionary: DBusArguments, _ structure: (_ key: DBusArguments, [UInt8]) -> BlueZDevice.Structure?
  ) -> [BlueZDevice.Structure]? {
    var structures: [BlueZDevice.Structure] = []
    for element in dictionary.elements.prefix(mostStructures) {
      guard let (key, value) = element.entry,
        let octets = value.variant()?.octets(atMost: AdvertisingReport.longestExtendedFragment),
        let structure = structure(key, octets), structure.size <= AdvertisingReport.longestExtendedFragment
      else { continue }
      structures.append(structure)
    }
    return structures.isEmpty ? nil : structures
  }

  private static func manufacturer(_ key: DBusArguments, _ octets: [UInt8]) -> BlueZDevice.Structure? {
    guard let company = key.uint16() else { return nil }
    return BlueZDevice.Structure(
      type: .manufacturerData, data: [UInt8(truncatingIfNeeded: company), UInt8(company >> 8)] + octets)
  }

  /// In the shortest form of its UUID. bluetoothd tells all in 128 bits.
  private static func service(_ key: DBusArguments, _ octets: [UInt8]) -> BlueZDevice.Structure? {
    guard let uuid = key.text().flatMap({ uuid($0) }) else { return nil }
    let (type, size): (ADType, Int) =
      if uuid[..<12] != bluetoothBase[..<12] {
        (.serviceData128, 16)
      } else if uuid[14] != 0 || uuid[15] != 0 {
        (.serviceData32, 4)
      } else {
        (.serviceData16, 2)
      }
    let short = size == 16 ? uuid : Array(uuid[12..<12 + size])
    return BlueZDevice.Structure(type: type, data: short + octets)
  }

  /// Source: Core Specification 5.4, Vol 3, Part B, 2.5.1: 00000000-0000-1000-8000-00805f9b34fb, as it travels.
  private static let bluetoothBase: [UInt8] = [
    0xfb, 0x34, 0x9b, 0x5f, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
  ]
  private static let eddystone: [UInt8] =
    Array(bluetoothBase[..<12]) + [UInt8(Eddystone.service & 0xff), UInt8(Eddystone.service >> 8), 0, 0]

  /// A UUID as it travels, least significant octet first: `0000feaa-0000-1000-8000-00805f9b34fb`.
  private static func uuid(_ text: String) -> [UInt8]? {
    guard text.utf8.count == 36, let octets = hexOctets(text.filter { $0 != "-" }) else { return nil }
    return octets.count == 16 ? octets.reversed() : nil
  }
}
