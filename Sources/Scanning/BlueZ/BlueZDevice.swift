import BluetoothLE

/// A device as bluetoothd describes it, and the HCI events that its advertisements could have come in.
///
/// bluetoothd tells properties, not advertisements: which AD structures stood in one packet is lost. Each of a
/// manufacturer's or a service's data becomes an advertisement of its own.
struct BlueZDevice {
  /// What a message says of a device; nil is what it says nothing of.
  struct Change {
    var address: DeviceAddress?
    var addressType: AddressType?
    var level = Level.unsaid
    /// AD structures with a manufacturer's data.
    var manufacturerData: [Structure]?
    /// AD structures with a service's data.
    var serviceData: [Structure]?
    var listsEddystone: Bool?
    var flags: [UInt8]?

    enum Level: Hashable {
      case unsaid
      /// bluetoothd knows it no more: a discovery has ended.
      case gone
      /// dBm.
      case heard(Int8)
    }

    /// It was heard just now. What is told of a device that was not, as of one that is known by name, has none of these.
    var isSighting: Bool {
      if case .heard = level { return true }
      return level == .unsaid && (manufacturerData != nil || serviceData != nil)
    }
  }

  /// An AD structure.
  struct Structure: Hashable {
    let type: ADType
    let data: [UInt8]

    /// The octets of an AD structure: its length, its type, its data.
    var size: Int { data.count + 2 }

    /// Its type among Eddystone's frames; nil where it is none.
    var eddystone: Eddystone.FrameType? {
      guard type == .serviceData16, data.count >= 3,
        data[0] == UInt8(Eddystone.service & 0xff), data[1] == UInt8(Eddystone.service >> 8)
      else { return nil }
      return Eddystone.FrameType(rawValue: data[2])
    }
  }

  private(set) var address: DeviceAddress
  private(set) var addressType = AddressType.random
  /// dBm.
  private(set) var rssi: Int8?
  private var manufacturerData: [Structure] = []
  private var serviceData: [Structure] = []
  private var listsEddystone = false
  private var flags: [UInt8] = []
  /// What it was by Eddystone last: bluetoothd keeps one frame of a service, and that may be telemetry.
  private var identity: Structure?

  init(_ address: DeviceAddress) {
    self.address = address
  }

  mutating func apply(_ change: Change) {
    if let address = change.address { self.address = address }
    if let addressType = change.addressType { self.addressType = addressType }
    switch change.level {
    case .unsaid: break
    case .gone: rssi = nil
    case .heard(let level): rssi = level
    }
    if let manufacturerData = change.manufacturerData { self.manufacturerData = manufacturerData }
    if let serviceData = change.serviceData {
      self.serviceData = serviceData
      identity = serviceData.last { $0.eddystone.map { $0 != .tlm } ?? false } ?? identity
    }
    if let listsEddystone = change.listsEddystone { self.listsEddystone = listsEddystone }
    if let flags = change.flags { self.flags = flags }
  }

  // MARK: Packets

  /// The events of a change that was applied, none where it is no sighting.
  func packets(for change: Change) -> [[UInt8]] {
    change.isSighting ? heard(in: change).compactMap { packet($0) } : []
  }

  /// What was heard, as far as a change tells.
  ///
  /// Telemetry is told once: its values are those of a moment, and repeated they would look new. But it goes with the
  /// identity of whoever sent it, so the identity was heard then, and gets the level.
  private func heard(in change: Change) -> [Structure] {
    if change.manufacturerData != nil || change.serviceData != nil {
      let told = (change.manufacturerData ?? []) + (change.serviceData ?? [])
      return told.contains { $0.eddystone == .tlm } ? identities(told) + told : told
    }
    // The level alone: the same as before, or a packet of the device without any data.
    let known = (manufacturerData + serviceData).filter { $0.eddystone != .tlm }
    return identities(known) + known
  }

  /// The Eddystone identity that `structures` do not hold, if any.
  private func identities(_ structures: [Structure]) -> [Structure] {
    guard let identity, !structures.contains(identity) else { return [] }
    return [identity]
  }

  /// The most octets of data in a legacy advertisement. Source: Core Specification 5.4, Vol 6, Part B, 2.3.1.3.
  private static let mostLegacy = 31

  /// An event with one report of one structure; nil where it does not fit.
  private func packet(_ structure: Structure) -> [UInt8]? {
    var data: [UInt8] = []
    if !flags.isEmpty { data.append(Structure(type: .flags, data: flags)) }
    if listsEddystone, structure.eddystone != nil {
      data.append(Structure(type: .completeUUIDs16, data: Array(structure.data[..<2])))
    }
    // What stands in front matters to no beacon.
    if data.count + structure.size > AdvertisingReport.longestExtendedFragment { data = [] }
    data.append(structure)
    guard data.count <= AdvertisingReport.longestExtendedFragment else { return nil }

    // What kind it was is not told. Neither connectable nor scannable, whole, on 1M: of most beacons this is true.
    // Sources: Core Specification 5.4, Vol 4, Part E, 7.7.65.2 (ADV_NONCONN_IND) and 7.7.65.13.
    let isLegacy = data.count <= Self.mostLegacy
    return data.withUnsafeBytes { data in
      AdvertisingReport(
        source: isLegacy ? .legacy : .extended, addressType: addressType, eventType: isLegacy ? 0x03 : 0,
        rssi: rssi ?? AdvertisingReport.rssiNotAvailable, addressValue: address.value, data: Octets(data),
        extended: .init(primaryPHY: 1, secondaryPHY: 1)
      ).events.first
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ structure: BlueZDevice.Structure) {
    append(UInt8(structure.data.count + 1))
    append(structure.type.rawValue)
    self += structure.data
  }
}
