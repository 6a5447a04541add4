import BluetoothLE

/// The devices that bluetoothd tells of, by their paths on the bus; of too many those go that were quiet longest.
struct BlueZDeviceTable {
  private struct Entry {
    var device: BlueZDevice
    /// When something was told of it, by a count.
    var told: UInt64
  }

  private let most: Int
  private var entries: [String: Entry] = [:]
  private var told: UInt64 = 0

  /// bluetoothd forgets a device after 30 s, so that 4096 are more than a hundred new ones a second.
  init(most: Int = 4096) {
    self.most = most
  }

  var count: Int { entries.count }

  func contains(_ path: String) -> Bool { entries[path] != nil }

  /// Takes what is told of a device that is known or whose address is told; gives the events that it was heard in.
  mutating func take(_ change: BlueZDevice.Change, _ path: String) -> [[UInt8]] {
    told += 1
    if entries[path] != nil {
      return update(&entries[path], change)
    }
    guard let address = change.address else { return [] }
    if entries.count >= most, let oldest = entries.min(by: { $0.value.told < $1.value.told }) {
      entries[oldest.key] = nil
    }
    var entry: Entry? = Entry(device: BlueZDevice(address), told: told)
    let packets = update(&entry, change)
    entries[path] = entry
    return packets
  }

  private func update(_ entry: inout Entry?, _ change: BlueZDevice.Change) -> [[UInt8]] {
    entry?.told = told
    entry?.device.apply(change)
    return entry?.device.packets(for: change) ?? []
  }

  mutating func remove(_ path: String) {
    entries[path] = nil
  }

  /// Forgets the devices of an adapter.
  mutating func removeAll(below path: String) {
    let prefix = path + "/"
    entries = entries.filter { !$0.key.hasPrefix(prefix) }
  }
}
