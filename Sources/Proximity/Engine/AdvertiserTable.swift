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

  /// Notes that `address` was heard as the beacon in `slot`.
  mutating func note(_ address: DeviceAddress, _ type: AddressType, slot: Int, serial: UInt64, at instant: Instant) {
    let key = Self.key(address, type)
    let start = Self.firstPlace(key)
    var place = start
    for candidate in start..<start + Self.ways {
      if entries[candidate].address == key, entries[candidate].serial > 0 {
        place = candidate
        break
      }
      if entries[candidate].heard < entries[place].heard { place = candidate }
    }
    entries[place] = Entry(address: key, serial: serial, slot: Int32(slot), heard: instant)
  }

  /// The beacon that `address` was heard as within the last 30 s: its slot, and its serial number to tell whether it
  /// still holds that slot.
  func beacon(of address: DeviceAddress, _ type: AddressType, at instant: Instant) -> (slot: Int, serial: UInt64)? {
    let key = Self.key(address, type)
    let start = Self.firstPlace(key)
    for place in start..<start + Self.ways where entries[place].address == key && entries[place].serial > 0 {
      guard instant.seconds(since: entries[place].heard) <= Self.longestJoin else { return nil }
      return (Int(entries[place].slot), entries[place].serial)
    }
    return nil
  }
}
