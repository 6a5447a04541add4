import BluetoothLE

/// Which beacon each advertiser was last: what telemetry, which names nobody, is joined by.
///
/// A table of fixed size, four places to a set; in a full set the advertiser unheard for the longest gives way. Its
/// hash is not seeded, as results may not differ between runs: whoever makes addresses collide loses telemetry, no more.
struct AdvertiserTable: Sendable {
  /// Telemetry joins an identity heard from the same address at most this long ago, in seconds.
  static let longestJoin = 30.0

  private struct Entry: Sendable {
    var address: UInt64 = 0
    /// The beacon, by its serial number; 0 where the place is free.
    var serial: UInt64 = 0
    var slot: Int32 = 0
    var heard = Instant.distantPast
  }

  private static let sets = 2048
  private static let ways = 4

  private var entries = [Entry](repeating: Entry(), count: sets * ways)

  private static func key(_ address: DeviceAddress, _ type: AddressType) -> UInt64 {
    address.value | UInt64(type.rawValue) << 48
  }

  private static func firstPlace(_ key: UInt64) -> Int {
    // Fibonacci hashing: the top bits of a product with 2^64 divided by the golden ratio.
    Int((key &* 0x9e37_79b9_7f4a_7c15) >> 53) * ways
  }

  /// The slot of the beacon that an address was last, however long ago; another beacon may hold the slot by now.
  func slot(of address: DeviceAddress, _ type: AddressType) -> Int? {
    place(of: Self.key(address, type)).map { Int(entries[$0].slot) }
  }

  /// The beacon that `address` was heard as within the last 30 s: its slot, and its serial number to tell whether it
  /// still holds that slot.
  func beacon(of address: DeviceAddress, _ type: AddressType, at instant: Instant) -> (slot: Int, serial: UInt64)? {
    guard let place = place(of: Self.key(address, type)),
      instant.seconds(since: entries[place].heard) <= Self.longestJoin
    else { return nil }
    return (Int(entries[place].slot), entries[place].serial)
  }

  /// Notes that `address` was heard as the beacon in `slot`.
  mutating func note(_ address: DeviceAddress, _ type: AddressType, slot: Int, serial: UInt64, at instant: Instant) {
    let key = Self.key(address, type)
    let place = place(of: key) ?? stalestPlace(for: key)
    entries[place] = Entry(address: key, serial: serial, slot: Int32(slot), heard: instant)
  }

  private func place(of key: UInt64) -> Int? {
    let start = Self.firstPlace(key)
    for place in start..<start + Self.ways where entries[place].address == key && entries[place].serial > 0 {
      return place
    }
    return nil
  }

  private func stalestPlace(for key: UInt64) -> Int {
    let start = Self.firstPlace(key)
    var stalest = start
    for place in start..<start + Self.ways where entries[place].heard < entries[stalest].heard { stalest = place }
    return stalest
  }
}
