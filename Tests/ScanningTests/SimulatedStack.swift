import BluetoothLE
import Proximity
import TestSupport

@testable import Scanning

/// An adapter, its controller and the kernel around a scanner, by a clock of its own; answers come at once.
///
/// The controller refuses what the specification lets it: parameters while it scans, and a family of commands after the
/// other.
struct SimulatedStack {
  var scanner: AdapterScanner
  private(set) var now = Instant(nanoseconds: 1_000_000_000)

  // What the controller is.
  var isExtended = true
  /// Takes extended commands and reports nothing by them.
  var isDeaf = false
  var mutedCommands: Set<HCIOpcode> = []
  var isMute = false
  var refusals: [HCIOpcode: HCIStatus] = [:]
  // What the kernel is.
  var monitorStatus = ManagementStatus.success
  var isOffloaded = false
  var isBlocked = false
  /// Everything that an open would end with; nil for success.
  var openFailure: String?

  // What goes on.
  private(set) var isPowered = false
  private(set) var isOpen = false
  private(set) var scanning: AdapterScanner.ScanFamily?
  private(set) var filtersDuplicates = false
  private(set) var family: AdapterScanner.ScanFamily?
  private(set) var monitors: Set<UInt16> = []
  private var nextMonitor: UInt16 = 1
  /// A stall that ends when the scan is enabled.
  var isStalled = false
  var isAdvertised = true

  // What was seen.
  private(set) var reports: [ScannerReport] = []
  private(set) var proofs = 0
  private(set) var said: [String] = []
  private(set) var sent: [HCICommand] = []
  private(set) var managed: [ManagementCommand] = []
  private(set) var usbResets = 0
  private(set) var mixedFamilies = 0

  init(
    _ settings: ScanSettings = ScanSettings(), duty: Double = 1, manages: Bool = true, resetsUSB: Bool = false
  ) {
    scanner = AdapterScanner(
      DeviceAddress(0xfa1e_0000_0001), settings, duty: duty,
      rights: .init(manages: manages, resetsUSB: resetsUSB, unblocks: true))
  }

  var state: ScannerState? { reports.last?.state }
  var isDelivering: Bool { isOpen && scanning != nil && !isStalled && !(isDeaf && scanning == .extended) }

  // MARK: The world

  mutating func plug(powered: Bool = false) {
    resetController()
    monitors = []
    isPowered = powered
    scanner.appeared(settings, at: now)
    carryOut()
  }

  mutating func unplug() {
    isPowered = false
    resetController()
    monitors = []
    scanner.removed(at: now)
    carryOut()
  }

  mutating func powerOff() {
    isPowered = false
    resetController()
    scanner.settingsChanged(settings, at: now)
    carryOut()
  }

  mutating func powerOn() {
    isPowered = true
    scanner.settingsChanged(settings, at: now)
    enableForMonitors()
    carryOut()
  }

  mutating func block(_ isBlocked: Bool, hard: Bool = false) {
    self.isBlocked = isBlocked
    if isBlocked {
      isPowered = false
      resetController()
    }
    scanner.blocked(.init(soft: isBlocked && !hard, hard: isBlocked && hard), at: now)
    carryOut()
  }

  /// Another program's command over a raw socket.
  mutating func foreign(_ command: HCICommand) {
    scanner.sent(command)
    answer(command, isOurs: false)
    carryOut()
  }

  /// As bluetoothd does at its start.
  mutating func removeMonitors() {
    monitors = []
    stopForMonitors()
    scanner.monitorRemoved(0, at: now)
    carryOut()
  }

  mutating func ask() {
    scanner.askForProof(at: now)
    carryOut()
  }

  mutating func end() {
    scanner.end(at: now)
    carryOut()
  }

  mutating func hardwareError() {
    resetController()
    scanner.hardwareError(0x42, at: now)
    carryOut()
  }

  /// Lets time pass; a beacon advertises each 100 ms.
  mutating func run(_ seconds: Double) {
    let end = now.advanced(by: seconds)
    while now < end {
      let tick = now.advanced(by: 0.1)
      let due = scanner.nextDeadline ?? .distantFuture
      now = min(max(due, now), min(tick, end))
      scanner.advance(to: now)
      carryOut()
      if now == tick || now == end, isAdvertised, isDelivering {
        scanner.heard(at: now)
        carryOut()
      }
    }
  }

  // MARK: The stack

  private var settings: AdapterSettings { isPowered ? [.powered, .lowEnergy] : [.lowEnergy] }

  private mutating func resetController() {
    scanning = nil
    family = nil
    filtersDuplicates = false
  }

  private mutating func carryOut() {
    var rounds = 0
    while true {
      let effects = scanner.takeEffects()
      if effects.isEmpty { return }
      rounds += 1
      precondition(rounds < 10_000, "it goes round in circles")
      for effect in effects { carryOut(effect) }
    }
  }

  private mutating func carryOut(_ effect: AdapterScanner.Effect) {
    switch effect {
    case .open:
      if let openFailure { return scanner.failed(openFailure, at: now) }
      isOpen = true
      scanner.opened(at: now)
    case .close: isOpen = false
    case .send(let command):
      sent.append(command)
      if !isOpen || !isPowered { return scanner.failed("the adapter is powered off", at: now) }
      answer(command, isOurs: true)
    case .manage(let command):
      managed.append(command)
      answer(command)
    case .unblock: block(false)
    case .resetUSB:
      usbResets += 1
      isMute = false
      unplug()
      plug()
    case .report(let report): reports.append(report)
    case .proof: proofs += 1
    case .say(let line): said.append(line)
    }
  }

  private mutating func answer(_ command: HCICommand, isOurs: Bool) {
    if isMute || mutedCommands.contains(command.opcode) { return }
    let status = refusals[command.opcode] ?? take(command)
    var octets: [UInt8] = [0x0e, 0, 1, UInt8(command.opcode.rawValue & 0xff), UInt8(command.opcode.rawValue >> 8)]
    octets.append(status.rawValue)
    if command == .readLocalSupportedCommands { octets += supportedCommands }
    octets[1] = UInt8(octets.count - 2)
    let completes = withMemory(octets) { memory in HCIEvent(memory).flatMap { CommandComplete($0) } != nil }
    precondition(completes)
    withMemory(octets) { memory in
      if let event = HCIEvent(memory), let answer = CommandComplete(event) { scanner.completed(answer, at: now) }
    }
  }

  private var supportedCommands: [UInt8] {
    var octets = [UInt8](repeating: 0, count: 64)
    octets[26] = 0x0c
    if isExtended { octets[37] = 0x60 }
    return octets
  }

  private mutating func take(_ command: HCICommand) -> HCIStatus {
    switch command {
    case .leSetScanParameters, .leSetScanEnable:
      if family == .extended {
        mixedFamilies += 1
        return .commandDisallowed
      }
      family = .legacy
    case .leSetExtendedScanParameters, .leSetExtendedScanEnable:
      if !isExtended { return .unknownCommand }
      if family == .legacy {
        mixedFamilies += 1
        return .commandDisallowed
      }
      family = .extended
    case .reset: resetController()
    default: break
    }
    switch command {
    case .leSetScanParameters, .leSetExtendedScanParameters: return scanning == nil ? .success : .commandDisallowed
    case .leSetScanEnable(let isOn, let filter): enable(isOn ? .legacy : nil, filter)
    case .leSetExtendedScanEnable(let scan): enable(scan.isEnabled ? .extended : nil, scan.filterDuplicates)
    default: break
    }
    return .success
  }

  private mutating func enable(_ family: AdapterScanner.ScanFamily?, _ filter: DuplicateFilter) {
    scanning = family
    filtersDuplicates = family != nil && filter != .off
    if family != nil { isStalled = false }
  }

  private mutating func answer(_ command: ManagementCommand) {
    if isMute, case .setPowered = command { return }
    var status = ManagementStatus.success
    var values: [UInt8] = []
    switch command {
    case .setPowered(let isOn):
      if isBlocked { status = .failed } else { isPowered = isOn }
      resetController()
      if isOn { enableForMonitors() }
    case .readAdvertisementMonitorFeatures:
      values = [isOffloaded ? 1 : 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 16, 0, 0]
      if monitorStatus == .unknownCommand { status = .unknownCommand }
    case .readDefaultSystemConfiguration: values = [0x13, 0, 2, 96, 0, 0x14, 0, 2, 48, 0]
    case .addAdvertisementPatternsMonitor:
      status = isPowered ? monitorStatus : .notPowered
      if status == .success {
        monitors.insert(nextMonitor)
        values = [UInt8(nextMonitor), 0]
        nextMonitor += 1
      }
    case .removeAdvertisementMonitor(let handle):
      if monitors.remove(handle) == nil { status = .invalidIndex } else { stopForMonitors() }
    default: break
    }
    withMemory(values) { scanner.managed(command.opcode, status, $0, at: now) }
    if case .addAdvertisementPatternsMonitor = command, status == .success { enableForMonitors() }
  }

  /// The kernel's own commands, which every socket sees.
  private mutating func enableForMonitors() {
    guard !monitors.isEmpty, isPowered else { return }
    kernel(
      isExtended ? .leSetExtendedScanEnable(ExtendedScanEnable(true)) : .leSetScanEnable(true, filterDuplicates: .off))
  }

  private mutating func stopForMonitors() {
    guard monitors.isEmpty, isPowered else { return }
    kernel(
      isExtended ? .leSetExtendedScanEnable(ExtendedScanEnable(false)) : .leSetScanEnable(false, filterDuplicates: .off)
    )
  }

  private mutating func kernel(_ command: HCICommand) {
    if isOpen { scanner.sent(command) }
    answer(command, isOurs: false)
  }
}
