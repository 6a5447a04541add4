import BluetoothLE
import Linux

/// The monitors that were added to adapters, in a file: the kernel keeps them when the process that added them is killed,
/// and nothing tells whose they are.
///
/// The first line is the boot that they belong to; then a line of address and handle each.
struct MonitorMemory {
  /// A file that is larger is not ours.
  private static let largest = 64 << 10

  private let path: String?
  private var handles: [DeviceAddress: UInt16] = [:]

  /// Nil remembers nothing beyond the process.
  init(path: String?) {
    self.path = path
    guard let path, let file = try? FileDescriptor(reading: path), let octets = try? file.octets(atMost: Self.largest)
    else { return }
    handles = Self.handles(String(decoding: octets, as: UTF8.self), boot: Host.boot)
  }

  /// Of a file's text; none where it was written in another boot.
  static func handles(_ text: String, boot: String) -> [DeviceAddress: UInt16] {
    let lines = text.split(separator: "\n")
    guard !boot.isEmpty, lines.first.map(String.init) == boot else { return [:] }
    var handles: [DeviceAddress: UInt16] = [:]
    for line in lines.dropFirst() {
      let words = line.split(separator: " ")
      guard words.count == 2, let address = DeviceAddress(words[0]), let handle = UInt16(words[1]) else { continue }
      handles[address] = handle
    }
    return handles
  }

  subscript(address: DeviceAddress) -> UInt16? { handles[address] }

  mutating func set(_ handle: UInt16?, of address: DeviceAddress) {
    guard handles[address] != handle else { return }
    handles[address] = handle
    guard let path else { return }
    var text = "\(Host.boot)\n"
    for (address, handle) in handles.sorted(by: { $0.key < $1.key }) { text += "\(address) \(handle)\n" }
    // What cannot be kept costs the kernel some work after a crash, and nothing else.
    try? WholeFile.save(Array(text.utf8), to: path)
  }
}
