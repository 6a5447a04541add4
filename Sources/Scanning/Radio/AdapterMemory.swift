import BluetoothLE
import Linux

/// What is known of adapters beyond a process, in a file: the monitors that were added to them, which the kernel keeps when
/// the process that added them is killed, without saying whose they are; and which controllers deliver by legacy commands
/// alone.
///
/// A line each: `ADDRESS monitor HANDLE BOOT`, where the handle is good in that boot, or `ADDRESS legacy`.
struct AdapterMemory {
  struct Entry: Hashable {
    var monitor: UInt16?
    /// A trial has found that it delivers with legacy commands, and not with extended ones.
    var isLegacy = false
  }

  /// A file that is larger is not ours.
  private static let largest = 64 << 10

  private let path: String?
  private var entries: [DeviceAddress: Entry] = [:]

  /// Nil remembers nothing beyond the process.
  init(path: String?) {
    self.path = path
    guard let path, let file = try? FileDescriptor(reading: path), let octets = try? file.octets(atMost: Self.largest)
    else { return }
    entries = Self.entries(String(decoding: octets, as: UTF8.self), boot: Host.boot)
  }

  /// Of a file's text, as it holds in a boot. Lines that are none are passed over.
  static func entries(_ text: String, boot: String) -> [DeviceAddress: Entry] {
    var entries: [DeviceAddress: Entry] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 2, let address = DeviceAddress(words[0]) else { continue }
      switch (words[1], words.count) {
      case ("legacy", 2): entries[address, default: Entry()].isLegacy = true
      case ("monitor", 4):
        guard let handle = UInt16(words[2]), !boot.isEmpty, words[3] == boot else { continue }
        entries[address, default: Entry()].monitor = handle
      default: continue
      }
    }
    return entries
  }

  /// The text of a file.
  static func text(_ entries: [DeviceAddress: Entry], boot: String) -> String {
    var text = ""
    for (address, entry) in entries.sorted(by: { $0.key < $1.key }) {
      if let handle = entry.monitor { text += "\(address) monitor \(handle) \(boot)\n" }
      if entry.isLegacy { text += "\(address) legacy\n" }
    }
    return text
  }

  subscript(address: DeviceAddress) -> Entry { entries[address] ?? Entry() }

  mutating func set(_ entry: Entry, of address: DeviceAddress) {
    guard self[address] != entry else { return }
    entries[address] = entry
    guard let path else { return }
    // What cannot be kept costs some work after a crash or a restart, and nothing else.
    try? WholeFile.save(Array(Self.text(entries, boot: Host.boot).utf8), to: path)
  }
}
