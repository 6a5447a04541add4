import CBluetooth
import Glibc
import Linux

/// Where an adapter is in /sys, and what is there of it that no socket tells.
struct AdapterPlace {
  private let path: String

  init(index: UInt16) {
    path = "/sys/class/bluetooth/hci\(index)"
  }

  /// What rfkill says of it. Source: Linux 6.1, Documentation/ABI/stable/sysfs-class-rfkill.
  var block: AdapterScanner.Block {
    guard let folder = try? Folder(path), let names = try? folder.names(),
      let name = names.first(where: { $0.hasPrefix("rfkill") })
    else { return AdapterScanner.Block() }
    return AdapterScanner.Block(soft: number("\(name)/soft") == 1, hard: number("\(name)/hard") == 1)
  }

  /// Its node under /dev/bus/usb; nil for an adapter that is on another bus.
  private var node: String? {
    // The adapter belongs to an interface of the device.
    guard let bus = number("device/../busnum"), let device = number("device/../devnum") else { return nil }
    return "/dev/bus/usb/\(padded(bus))/\(padded(device))"
  }

  private func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(3 - digits.count, 0)) + digits
  }

  private func number(_ name: String) -> Int? {
    guard let file = try? FileDescriptor(reading: "\(path)/\(name)"), let octets = try? file.octets(atMost: 32) else {
      return nil
    }
    return Int(String(decoding: octets.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }

  var canResetUSB: Bool { node.map { access($0, W_OK) == 0 } ?? false }

  /// As if it were pulled out and plugged in again.
  func resetUSB() throws(SystemError) {
    guard let node else { throw SystemError("cannot reset the adapter", number: ENODEV) }
    let descriptor = FileDescriptor(
      try FileDescriptor.call("cannot open \(node)") { open(node, O_WRONLY | O_CLOEXEC) })
    try FileDescriptor.call("cannot reset \(node)") { bluetooth_reset_usb(descriptor.number) }
  }
}

/// The blocks of radios. Source: Linux 6.1, include/uapi/linux/rfkill.h.
struct RFKill: ~Copyable {
  private static let path = "/dev/rfkill"

  private let descriptor: FileDescriptor

  /// It tells nothing where there is no rfkill, or this user may not read it.
  init() {
    let number = open(Self.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    descriptor = FileDescriptor(number, isOwned: number >= 0)
  }

  var number: Int32 { descriptor.number }

  /// Takes what waits; true where a radio was blocked, unblocked, added or removed.
  func takeChanges() -> Bool {
    var event = [UInt8](repeating: 0, count: 64)
    var hasChanged = false
    while read(number, &event, event.count) > 0 { hasChanged = true }
    return hasChanged
  }

  static var canUnblock: Bool { access(path, W_OK) == 0 }

  /// Lifts the soft blocks of all Bluetooth radios.
  static func unblock() throws(SystemError) {
    // An index, the type Bluetooth (2), the operation change all (3), soft and hard.
    let event: [UInt8] = [0, 0, 0, 0, 2, 3, 0, 0]
    let descriptor = FileDescriptor(
      try FileDescriptor.call("cannot open \(path)") { Glibc.open(path, O_WRONLY | O_CLOEXEC) })
    try FileDescriptor.call("cannot lift the block") { write(descriptor.number, event, event.count) }
  }
}
