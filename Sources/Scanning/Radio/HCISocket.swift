import BluetoothLE
import CBluetooth
import Glibc
import Linux

/// A raw HCI socket of one adapter, or its user channel: packets as they pass, with the kernel's time of each.
struct HCISocket: ~Copyable {
  /// Octets of an H4 octet, code, length and parameters; longer packets are no events or commands.
  private static let longest = 1 + 3 + 255
  /// The buffer of the kernel's in octets, doubled by it: room for a stall of this process.
  private static let bufferSize: Int32 = 1 << 20

  private let descriptor: FileDescriptor
  private let memory: UnsafeMutableRawBufferPointer
  private var droppedBefore: UInt64 = 0

  private init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = descriptor
    memory = .allocate(byteCount: Self.longest.aligned + Self.controlSize, alignment: 16)
  }

  deinit {
    memory.deallocate()
  }

  /// One that reads what somebody writes into the other end of a pair, for tests and measurements.
  static func reading(_ descriptor: consuming FileDescriptor) -> HCISocket { HCISocket(descriptor) }

  static func open(_ index: UInt16, _ channel: AdapterScanner.Channel) throws(SystemError) -> HCISocket {
    let number = try FileDescriptor.bluetooth()
    let descriptor = FileDescriptor(number)
    setBuffer(number)
    if channel == .raw {
      try setFilter(number)
      var on: Int32 = 1
      setsockopt(number, SOL_HCI, HCI_TIME_STAMP, &on, socklen_t(MemoryLayout<Int32>.size))
    } else {
      var on: Int32 = 1
      setsockopt(number, SOL_SOCKET, SO_TIMESTAMP, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    try FileDescriptor.bind(number, index, channel == .raw ? UInt16(HCI_CHANNEL_RAW) : UInt16(HCI_CHANNEL_USER))
    return HCISocket(descriptor)
  }

  /// What the scanner has to know passes: events of reports, answers and faults, and the commands of others.
  private static func setFilter(_ number: Int32) throws(SystemError) {
    var filter = hci_filter()
    filter.type_mask = 1 << UInt32(HCI_COMMAND_PKT) | 1 << UInt32(HCI_EVENT_PKT)
    let events = [EVT_CMD_COMPLETE, EVT_CMD_STATUS, EVT_HARDWARE_ERROR, EVT_LE_META_EVENT].map { UInt32($0) }
    for event in events {
      if event < 32 { filter.event_mask.0 |= 1 << event } else { filter.event_mask.1 |= 1 << (event - 32) }
    }
    // Kernels from 6.8 on want all 16 octets.
    let result = withUnsafeBytes(of: &filter) {
      setsockopt(number, SOL_HCI, HCI_FILTER, $0.baseAddress, socklen_t(max($0.count, 16)))
    }
    guard result == 0 else { throw SystemError("cannot set the HCI filter", number: errno) }
  }

  private static func setBuffer(_ number: Int32) {
    var size = bufferSize
    let length = socklen_t(MemoryLayout<Int32>.size)
    // Beyond the system's limit with CAP_NET_ADMIN, else up to it.
    if setsockopt(number, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) != 0 {
      setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, length)
    }
  }

  var number: Int32 { descriptor.number }

  /// Packets that were lost since it was asked last.
  mutating func takeDropped() -> UInt64 {
    let count = UInt64(max(bluetooth_dropped(number), 0))
    // The kernel's count has 32 bits.
    let new = count >= droppedBefore ? count - droppedBefore : count
    droppedBefore = count
    return new
  }

  func send(_ command: HCICommand) throws(SystemError) {
    let packet = [HCIPacketType.command.rawValue] + command.octets
    try FileDescriptor.call("cannot send \(command.opcode)") { write(number, packet, packet.count) }
  }

  // MARK: Reading

  /// Room for one control message: its header of 16 octets, and a time of 16.
  private static let controlSize = 64

  /// Calls `body` with each packet that waits, its H4 octet first, and nanoseconds since 1970, where the kernel tells;
  /// at most `most` of them. Says how many; fewer than `most` are all.
  func read(atMost most: Int, _ body: (Octets, Int64?) -> Void) throws(SystemError) -> Int {
    for count in 0..<most {
      var part = iovec(iov_base: memory.baseAddress, iov_len: Self.longest)
      let (length, time) = withUnsafeMutablePointer(to: &part) { part in
        var message = msghdr()
        message.msg_iov = part
        message.msg_iovlen = 1
        message.msg_control = memory.baseAddress.map { $0 + Self.longest.aligned }
        message.msg_controllen = Self.controlSize
        let length = recvmsg(number, &message, 0)
        return (length, length > 0 ? Self.time(in: message) : nil)
      }
      if length < 0 {
        let failure = errno
        if failure == EINTR { continue }
        if failure == EAGAIN { return count }
        throw SystemError("cannot read", number: failure)
      }
      // The other end of a pair is closed.
      if length == 0 { throw SystemError("cannot read", number: EPIPE) }
      body(Octets(UnsafeRawBufferPointer(rebasing: memory[..<length])), time)
    }
    return most
  }

  /// Source: cmsg(3): length, level, type; a time of HCI_TIME_STAMP and SO_TIMESTAMP is a `timeval`.
  private static func time(in message: msghdr) -> Int64? {
    guard message.msg_controllen >= 32, let control = message.msg_control else { return nil }
    let length = control.load(as: Int.self)
    let level = control.load(fromByteOffset: 8, as: Int32.self)
    let kind = control.load(fromByteOffset: 12, as: Int32.self)
    let isTime = level == SOL_HCI && kind == HCI_CMSG_TSTAMP || level == SOL_SOCKET && kind == SO_TIMESTAMP
    guard isTime, length >= 32 else { return nil }
    let seconds = control.load(fromByteOffset: 16, as: Int64.self)
    let micros = control.load(fromByteOffset: 24, as: Int64.self)
    let (nanos, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : nanos.addingReportingOverflow(micros * 1000).partialValue
  }
}

extension Int {
  /// The next multiple of 16.
  fileprivate var aligned: Int { (self + 15) & ~15 }
}

extension FileDescriptor {
  /// A new HCI socket. EAFNOSUPPORT says that the kernel has no Bluetooth, or that this is a network namespace of its own.
  fileprivate static func bluetooth() throws(SystemError) -> Int32 {
    try call("cannot open a Bluetooth socket") {
      socket(
        AF_BLUETOOTH, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue),
        BTPROTO_HCI)
    }
  }

  fileprivate static func bind(_ number: Int32, _ index: UInt16, _ channel: UInt16) throws(SystemError) {
    var address = sockaddr_hci()
    address.hci_family = sa_family_t(AF_BLUETOOTH)
    address.hci_dev = index
    address.hci_channel = channel
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(number, $0, socklen_t(MemoryLayout<sockaddr_hci>.size))
      }
    }
    guard result == 0 else { throw SystemError("cannot bind to hci\(index)", number: errno) }
  }
}

/// The socket of the kernel's Bluetooth management.
struct ManagementSocket: ~Copyable {
  private let descriptor: FileDescriptor
  private let memory: UnsafeMutableRawBufferPointer

  /// Index of no adapter in an address, and the channel. Source: BlueZ 5.66, doc/mgmt-api.txt.
  private static let noIndex: UInt16 = 0xffff

  private init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = descriptor
    memory = .allocate(byteCount: 4096, alignment: 16)
  }

  deinit {
    memory.deallocate()
  }

  /// One that tells nothing.
  static var none: ManagementSocket { ManagementSocket(FileDescriptor(-1, isOwned: false)) }

  static func open() throws(SystemError) -> ManagementSocket {
    let number = try FileDescriptor.bluetooth()
    let descriptor = FileDescriptor(number)
    // A thousand events a second that say nothing new would each wake us. Without the filter it still works.
    _ = bluetooth_leave_reports_out(number)
    try FileDescriptor.bind(number, noIndex, UInt16(HCI_CHANNEL_CONTROL))
    return ManagementSocket(descriptor)
  }

  var number: Int32 { descriptor.number }

  func send(_ command: ManagementCommand, to index: UInt16) throws(SystemError) {
    let packet = command.octets(to: index)
    try FileDescriptor.call("cannot ask the kernel") { write(number, packet, packet.count) }
  }

  /// Calls `body` with each packet that waits.
  func read(_ body: (ManagementPacket) -> Void) {
    while true {
      let length = Glibc.read(number, memory.baseAddress, memory.count)
      if length < 0, errno == EINTR { continue }
      guard length > 0 else { return }
      if let packet = ManagementPacket(Octets(UnsafeRawBufferPointer(rebasing: memory[..<length]))) { body(packet) }
    }
  }
}
