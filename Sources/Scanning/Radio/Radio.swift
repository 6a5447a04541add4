import BluetoothLE
import Glibc
import Linux
import Proximity

/// The adapters of this machine over HCI, each with a scanner of its own.
package final class Radio: LiveSource {
  /// An adapter that was met; it keeps its number when it is unplugged.
  private final class Adapter {
    var scanner: AdapterScanner
    /// Of the kernel's; nil while it is unplugged.
    var index: UInt16?
    var socket = Optional<HCISocket>.none

    init(_ scanner: AdapterScanner) {
      self.scanner = scanner
    }
  }

  /// Packets that are taken from one socket in one go; the rest waits, so that no adapter starves the others.
  private static let mostPackets = 4096
  /// Nanoseconds from the kernel's time of a packet to ours, beyond which its clock was set in between.
  private static let mostDelay: Int64 = 1_000_000_000

  private let settings: ScanSettings
  private let capabilities: Capabilities
  private let management: ManagementSocket
  private let rfkill: RFKill
  private var memory: AdapterMemory
  private var adapters: [Adapter] = []
  /// Buses of the adapters that were listed and have not told their address yet, by index.
  private var unknown: [UInt16: AdapterBus] = [:]
  private var hasListed = false
  /// What the kernel has said of their power since it was told to the scanners.
  private var powers: [(index: UInt16, settings: AdapterSettings)] = []

  /// Asks the kernel for its adapters; its answers come with the first `read`.
  ///
  /// `memory` is the path of a file in which is found what an earlier process has left and learned.
  package static func opening(_ settings: ScanSettings, memory: String? = nil) throws(SystemError) -> Radio {
    let management = try ManagementSocket.open()
    try management.send(.readExtendedIndexList, to: ManagementPacket.noIndex)
    return Radio(settings, management, AdapterMemory(path: memory))
  }

  package func settle(within time: Int64) {
    let deadline = BootClock.now + time
    while !isReady, BootClock.now < deadline {
      _ = Wakeup.poll(descriptors(withReports: false), until: deadline)
      readManagement(at: Instant(nanoseconds: BootClock.now))
    }
  }

  /// One that hears what somebody writes into the other ends of pairs of sockets, for tests and measurements: packets with
  /// their H4 octet.
  package static func reading(_ numbers: [Int32]) -> Radio {
    let radio = Radio(ScanSettings(), ManagementSocket.none, AdapterMemory(path: nil))
    for (index, number) in numbers.enumerated() {
      let scanner = AdapterScanner(DeviceAddress(UInt64(index)), radio.settings, duty: 1, rights: .init(manages: false))
      let adapter = Adapter(scanner)
      adapter.socket = HCISocket.reading(FileDescriptor(number))
      radio.adapters.append(adapter)
    }
    return radio
  }

  private init(_ settings: ScanSettings, _ management: consuming ManagementSocket, _ memory: AdapterMemory) {
    self.memory = memory
    self.settings = settings
    self.management = management
    capabilities = .effective
    rfkill = RFKill()
  }

  package func descriptors(withReports: Bool) -> [Int32] {
    var numbers = [management.number, rfkill.number]
    if withReports {
      for adapter in adapters {
        if let number = adapter.socket?.number { numbers.append(number) }
      }
    }
    return numbers
  }

  package var nextDeadline: Instant? {
    var next: Instant?
    for adapter in adapters {
      guard let instant = adapter.scanner.nextDeadline else { continue }
      next = next.map { min($0, instant) } ?? instant
    }
    return next
  }

  /// The kernel has told what adapters there are.
  private var isReady: Bool { hasListed && unknown.isEmpty }

  package var restriction: String? {
    guard hasListed else { return nil }
    let present = adapters.filter { $0.index != nil }
    if present.isEmpty, unknown.isEmpty {
      return adapters.isEmpty && settings.adapters != nil
        ? "none of the adapters in bluetooth.adapters is there" : "no Bluetooth adapter is there; plug one in"
    }
    guard !present.isEmpty, present.allSatisfy({ $0.scanner.block.holds }) else { return nil }
    return "blocked by rfkill; 'rfkill unblock bluetooth', or set bluetooth.unblock-rfkill"
  }

  package var liveAdapters: [LiveAdapter] {
    adapters.map { LiveAdapter($0.scanner.address, index: $0.index, isPowered: $0.scanner.isPowered) }
  }

  package func counters(of number: Int) -> AdapterCounters { adapters[number].scanner.counters }

  // MARK: What has happened

  package func read(
    at now: Instant, offset: Int64, into heard: inout HeardPackets, _ tell: (RadioEvent) -> Void
  ) {
    readManagement(at: now)
    if rfkill.takeChanges() { lookAtBlocks(at: now) }
    for number in adapters.indices { readSocket(of: number, at: now, offset: offset, &heard) }
    // After the sockets: an error of the hardware comes before the power-off that follows from it.
    for (index, settings) in powers {
      adapters.first { $0.index == index }?.scanner.settingsChanged(settings, at: now)
    }
    powers.removeAll()
    for number in adapters.indices {
      adapters[number].scanner.advance(to: now)
      carryOut(number, at: now, tell)
    }
  }

  package func askForProof(_ number: Int, at now: Instant, _ tell: (RadioEvent) -> Void) {
    guard adapters.indices.contains(number) else { return }
    adapters[number].scanner.askForProof(at: now)
    carryOut(number, at: now, tell)
  }

  package func end(_ tell: (RadioEvent) -> Void) {
    let deadline = BootClock.now + 1_000_000_000
    var heard = HeardPackets()
    for number in adapters.indices {
      adapters[number].scanner.end(at: Instant(nanoseconds: BootClock.now))
      carryOut(number, at: Instant(nanoseconds: BootClock.now), tell)
    }
    while BootClock.now < deadline, adapters.contains(where: { !$0.scanner.hasEnded }) {
      _ = Wakeup.poll(descriptors(withReports: true), until: deadline)
      let now = Instant(nanoseconds: BootClock.now)
      readManagement(at: now)
      for number in adapters.indices {
        readSocket(of: number, at: now, offset: 0, &heard)
        carryOut(number, at: now, tell)
      }
      heard.takeAll { _, _, _ in }
    }
  }

  // MARK: Management

  private func readManagement(at now: Instant) {
    // Locals: the socket is borrowed while it is read.
    var listed: [PrimaryAdapter]?
    var told: [(UInt16, ControllerInformation)] = []
    var isListOld = false
    management.read { packet in
      let adapter = adapters.first { $0.index == packet.index }
      switch packet.event {
      case .commandComplete(.readExtendedIndexList, _, let parameters): listed = primaryAdapters(parameters)
      case .commandComplete(.readControllerInformation, let status, let parameters):
        if status == .success, let information = ControllerInformation(parameters) {
          told.append((packet.index, information))
        } else {
          unknown[packet.index] = nil
        }
      case .commandComplete(let opcode, let status, let parameters):
        adapter?.scanner.managed(opcode, status, parameters, at: now)
      case .commandStatus(.readControllerInformation, _): unknown[packet.index] = nil
      case .commandStatus(let opcode, let status):
        adapter?.scanner.managed(opcode, status, Octets(UnsafeRawBufferPointer(start: nil, count: 0)), at: now)
      case .indexAdded: isListOld = true
      case .indexRemoved:
        unknown[packet.index] = nil
        // An adapter that goes is powered off first, and that is not what is to be told.
        powers.removeAll { $0.index == packet.index }
        adapter?.scanner.removed(at: now)
        if adapter?.scanner.isPresent == false { adapter?.index = nil }
      case .newSettings(let settings): powers.append((packet.index, settings))
      case .advertisementMonitorRemoved(let handle): adapter?.scanner.monitorRemoved(handle, at: now)
      case .advertisementMonitorAdded, .controllerError, .other: break
      }
    }
    if isListOld { try? management.send(.readExtendedIndexList, to: ManagementPacket.noIndex) }
    if let listed { meet(listed) }
    for (index, information) in told { identify(index, information, at: now) }
  }

  private func meet(_ listed: [PrimaryAdapter]) {
    hasListed = true
    // The kernel lists the newest first; they are numbered as they are answered for.
    for one in listed.sorted(by: { $0.index < $1.index })
    where !adapters.contains(where: { $0.index == one.index }) && unknown[one.index] == nil {
      unknown[one.index] = one.bus
      try? management.send(.readControllerInformation, to: one.index)
    }
  }

  private func identify(_ index: UInt16, _ information: ControllerInformation, at now: Instant) {
    guard let bus = unknown.removeValue(forKey: index), information.supported.contains(.lowEnergy) else { return }
    let address = information.address
    if let wanted = settings.adapters, !wanted.contains(address) { return }
    let place = AdapterPlace(index: index)
    let rights = AdapterScanner.Rights(
      manages: capabilities.contains(.netAdmin), resetsUSB: place.canResetUSB, unblocks: RFKill.canUnblock)
    let adapter: Adapter
    if let known = adapters.first(where: { $0.scanner.address == address && $0.index == nil }) {
      adapter = known
      adapter.scanner.rights = rights
    } else {
      guard adapters.count < LiveAdapter.most else { return }
      let duty = settings.duty.share(sharesAntenna: bus.sharesAntenna)
      adapter = Adapter(AdapterScanner(address, settings, duty: duty, rights: rights))
      adapter.scanner.remember(memory[address])
      adapters.append(adapter)
    }
    adapter.index = index
    adapter.scanner.blocked(place.block, at: now)
    adapter.scanner.appeared(information.current, at: now)
  }

  private func lookAtBlocks(at now: Instant) {
    for adapter in adapters {
      guard let index = adapter.index else { continue }
      adapter.scanner.blocked(AdapterPlace(index: index).block, at: now)
    }
  }

  // MARK: The sockets

  private func readSocket(of number: Int, at now: Instant, offset: Int64, _ heard: inout HeardPackets) {
    let adapter = adapters[number]
    guard adapter.socket != nil else { return }
    // A local: whether an object's own is in use is asked at each access.
    var scanner = adapter.scanner
    do throws(SystemError) {
      _ = try adapter.socket?.read(atMost: Self.mostPackets) { packet, time in
        take(packet, time, from: number, &scanner, at: now, offset: offset, &heard)
      }
      scanner.dropped(adapter.socket?.takeDropped() ?? 0, at: now)
    } catch {
      scanner.failed(error.number == EPIPE ? "unplugged" : "\(error)", at: now)
    }
    adapter.scanner = scanner
  }

  private func take(
    _ packet: Octets, _ time: Int64?, from number: Int, _ scanner: inout AdapterScanner, at now: Instant,
    offset: Int64, _ heard: inout HeardPackets
  ) {
    guard packet.count > 3 else { return }
    let body = packet.dropping(1)
    if packet[0] == HCIPacketType.command.rawValue {
      if let command = HCICommand(body) { scanner.sent(command) }
      return
    }
    guard packet[0] == HCIPacketType.event.rawValue, let event = HCIEvent(body) else { return }
    switch event.code {
    case .leMeta:
      guard AdvertisingReports(event) != nil else { return }
      let instant = instant(of: time, at: now, offset: offset)
      body.withUnsafeBytes { heard.append($0, from: number, at: instant) }
      scanner.heard(at: instant)
    case .commandComplete:
      if let answer = CommandComplete(event) { scanner.completed(answer, at: now) }
    case .commandStatus:
      if let answer = CommandStatus(event) { scanner.statusCame(answer, at: now) }
    case .hardwareError:
      if event.parameters.count > 0 { scanner.hardwareError(event.parameters[0], at: now) }
    default: break
    }
  }

  /// The kernel's time of a packet is the wall clock's.
  private func instant(of time: Int64?, at now: Instant, offset: Int64) -> Instant {
    guard let time else { return now }
    let instant = Instant(nanoseconds: time.subtractingReportingOverflow(offset).partialValue)
    let delay = now.nanoseconds(since: instant)
    return delay.magnitude <= UInt64(Self.mostDelay) ? min(instant, now) : now
  }

  // MARK: What is to be done

  private func carryOut(_ number: Int, at now: Instant, _ tell: (RadioEvent) -> Void) {
    let adapter = adapters[number]
    defer { memory.set(adapter.scanner.memory, of: adapter.scanner.address) }
    // What is done may ask for more.
    while true {
      let effects = adapter.scanner.takeEffects()
      if effects.isEmpty { return }
      // One that fails keeps none of the others from being carried out: sockets are to be closed, and reports told.
      var failure: SystemError?
      for effect in effects {
        do throws(SystemError) {
          try carryOut(effect, number, adapter, at: now, tell)
        } catch {
          failure = error
        }
      }
      if let failure { adapter.scanner.failed(Self.reason(failure), at: now) }
    }
  }

  private func carryOut(
    _ effect: AdapterScanner.Effect, _ number: Int, _ adapter: Adapter, at now: Instant, _ tell: (RadioEvent) -> Void
  ) throws(SystemError) {
    guard let index = adapter.index else {
      if case .report(let report) = effect { tell(.scanner(number, report)) }
      if case .close = effect { adapter.socket = nil }
      return
    }
    switch effect {
    case .open(let channel):
      // Nil first: a socket that is dead, but open, keeps the index.
      adapter.socket = nil
      adapter.socket = try HCISocket.open(index, channel)
      adapter.scanner.opened(at: now)
    case .close: adapter.socket = nil
    case .send(let command): try adapter.socket?.send(command)
    case .manage(let command): try management.send(command, to: index)
    case .unblock: try RFKill.unblock()
    case .resetUSB: try AdapterPlace(index: index).resetUSB()
    case .report(let report): tell(.scanner(number, report))
    case .proof: tell(.proof(number))
    case .say(let line): tell(.say("hci\(index) \(line)"))
    }
  }

  /// What the errors of HCI sockets mean to a person.
  private static func reason(_ error: SystemError) -> String {
    switch error.number {
    case ENETDOWN: "the adapter is powered off"
    case ENODEV, EPIPE: "unplugged"
    case ERFKILL: "blocked by rfkill; 'rfkill unblock bluetooth'"
    case EBUSY: "in use by bluetoothd or another program, which bluetooth.exclusive does not allow"
    case EPERM, EACCES: "\(error.action): not permitted; CAP_NET_RAW and CAP_NET_ADMIN allow it"
    default: "\(error)"
    }
  }
}

extension ScanSettings.Duty {
  /// The share of time, from 0.1 to 1.
  ///
  /// Automatic is all of it, but half where Wi-Fi uses the same antenna: a receiver that never rests would leave it
  /// nothing, and 30 ms in every 60 is what the kernel itself takes.
  package func share(sharesAntenna: Bool) -> Double {
    switch self {
    case .automatic: sharesAntenna ? 0.5 : 1
    case .share(let share): share
    }
  }
}
