import BluetoothLE
import Proximity

/// The scan of one adapter: what is to be done so that it goes on, decided without a clock and without I/O.
///
/// Whoever owns the sockets tells it what has happened, with the time, and then carries out `takeEffects()`. It is told
/// of every command and answer that passes the adapter, others' too: nothing else says that another program has stopped
/// the scan. What the kernel does in each case is in docs/linux-bluetooth.md.
package struct AdapterScanner: Sendable {
  /// Who enables the scan.
  package enum Method: Hashable, Sendable {
    /// The kernel, for an advertisement monitor of ours: discoveries of other programs come and go beside it.
    case kernel
    /// We, with commands over a raw socket or the user channel.
    case own(ScanFamily)
  }

  /// The two sets of scan commands. A controller that was given one refuses the other until it is reset.
  /// Source: Core Specification 5.4, Vol 4, Part E, 3.1.1.
  package enum ScanFamily: Hashable, Sendable {
    case legacy, extended
  }

  package enum Channel: Hashable, Sendable {
    /// What passes an adapter that the kernel runs.
    case raw
    /// The adapter alone, without the kernel.
    case user
  }

  /// What this process may do.
  package struct Rights: Hashable, Sendable {
    /// CAP_NET_ADMIN: monitors, power, the user channel.
    package var manages: Bool
    /// The adapter's USB node can be written.
    package var resetsUSB: Bool
    /// The block by rfkill can be lifted.
    package var unblocks: Bool

    package init(manages: Bool, resetsUSB: Bool = false, unblocks: Bool = false) {
      self.manages = manages
      self.resetsUSB = resetsUSB
      self.unblocks = unblocks
    }
  }

  package enum Effect: Hashable, Sendable {
    /// Answered with `opened` or `failed`.
    case open(Channel)
    case close
    /// Answered with what passes the adapter.
    case send(HCICommand)
    /// Answered with `managed`.
    case manage(ManagementCommand)
    case unblock
    /// The adapter then goes and comes back.
    case resetUSB
    case report(ScannerReport)
    case proof
    case say(String)
  }

  /// What rfkill says of the adapter.
  package struct Block: Hashable, Sendable {
    package var soft = false
    package var hard = false

    package init(soft: Bool = false, hard: Bool = false) {
      self.soft = soft
      self.hard = hard
    }

    var holds: Bool { soft || hard }
  }

  /// What the steps that are under way are for.
  enum Purpose: Hashable, Sendable {
    case powerOn, powerCycle
    /// What the controller and the kernel can do.
    case survey
    case scan
    case ending
  }

  enum Step: Hashable, Sendable {
    case open(Channel)
    case close
    case hci(HCICommand)
    case manage(ManagementCommand)
  }

  // MARK: State

  let address: DeviceAddress
  let settings: ScanSettings
  /// 0.1 to 1: the share of time in which it listens.
  let duty: Double
  var rights: Rights

  var effects: [Effect] = []
  var isPresent = false
  var isPowered = false
  var block = Block()
  var isOpen = false
  /// The scan was enabled by `method`, and nothing is known against it.
  var isScanning = false

  var steps: [Step] = []
  var current: Step?
  var purpose = Purpose.survey
  /// When the current step counts as not answered.
  var answerDue: Instant?

  var commands: SupportedCommands?
  var method: Method?
  /// Why the kernel cannot own the scan here; nil while it can.
  var kernelRefusal: String?
  var monitor: UInt16?
  /// What the kernel's settings were before ours.
  var savedTiming: [SystemParameter]?
  /// Families that the controller has refused.
  var refused: Set<ScanFamily> = []
  /// A command was disallowed once.
  var wasDisallowed = false

  var air = Air()
  var recovery = Recovery()
  /// When to begin again though nothing happens.
  var retryAt: Instant?
  /// What was told last; told again only when it changes.
  var told: ScannerReport?
  /// Who owns the scan, as it was said last.
  var saidHow = ""
  package internal(set) var counters = AdapterCounters()
  var rate = ReportRate()

  /// `duty` is the share of time in which the receiver listens, from 0.1 to 1.
  package init(_ address: DeviceAddress, _ settings: ScanSettings, duty: Double, rights: Rights) {
    self.address = address
    self.settings = settings
    self.duty = min(max(duty, 0.1), 1)
    self.rights = rights
  }

  /// What a later process should know, and what an earlier one has left.
  var memory: AdapterMemory.Entry {
    AdapterMemory.Entry(monitor: monitor, isLegacy: recovery.family == .legacy && air.trialEnd == nil)
  }

  mutating func remember(_ entry: AdapterMemory.Entry) {
    monitor = entry.monitor
    recovery.family = entry.isLegacy ? .legacy : nil
  }

  package mutating func takeEffects() -> [Effect] {
    defer { effects.removeAll(keepingCapacity: true) }
    return effects
  }

  /// When `advance` has something to do though nothing happens.
  package var nextDeadline: Instant? {
    var next = answerDue
    for instant in [retryAt, isScanning ? air.next : nil] {
      guard let instant else { continue }
      next = next.map { min($0, instant) } ?? instant
    }
    return next
  }
}

// MARK: Plugging and power

extension AdapterScanner {
  package mutating func appeared(_ new: AdapterSettings, at now: Instant) {
    isPresent = true
    isPowered = new.contains(.powered)
    begin(at: now)
  }

  package mutating func removed(at now: Instant) {
    // The kernel lets go of what the user channel takes.
    if settings.isExclusive, isOpen { return }
    isPresent = false
    isPowered = false
    forgetController()
    close()
    stopped("unplugged; it goes on when the adapter is back", at: now)
  }

  package mutating func settingsChanged(_ new: AdapterSettings, at now: Instant) {
    guard isPresent, !settings.isExclusive else { return }
    let isPowered = new.contains(.powered)
    guard isPowered != self.isPowered else { return }
    self.isPowered = isPowered
    // Our own power cycle goes on by the answers to its commands.
    if purpose == .powerCycle, current != nil { return }
    if isPowered {
      begin(at: now)
    } else {
      wentDown(at: now)
    }
  }

  package mutating func blocked(_ new: Block, at now: Instant) {
    guard new != block else { return }
    let held = block.holds
    block = new
    guard isPresent, held != new.holds else { return }
    if new.holds {
      isPowered = false
      air = Air()
      close()
    }
    begin(at: now)
  }

  /// It is down, and nobody has said why.
  private mutating func wentDown(at now: Instant) {
    cancel()
    let wasScanning = isScanning
    isScanning = false
    air = Air()
    guard settings.powersOn, rights.manages else {
      stopped(downReason, at: now)
      return
    }
    // A fault that was told already has it powered off.
    if !wasScanning, told?.state == .stopped {
      retryAt = now.advanced(by: Self.powerDelay)
      return
    }
    stopped("powered off by another program, as bluetoothd does when it ends; powering it on again", at: now)
    // Who powered it off may be about to do more.
    retryAt = now.advanced(by: Self.powerDelay)
  }

  private var downReason: String {
    settings.powersOn
      ? "powered off; 'bluetoothctl power on', or give CAP_NET_ADMIN"
      : "powered off; 'bluetoothctl power on', or set bluetooth.power-on"
  }

  /// What unplugging makes untrue.
  mutating func forgetController() {
    cancel()
    isScanning = false
    commands = nil
    monitor = nil
    savedTiming = nil
    refused = []
    kernelRefusal = nil
    air = Air()
    retryAt = nil
  }

  mutating func cancel() {
    steps.removeAll()
    current = nil
    answerDue = nil
  }

  mutating func close() {
    guard isOpen else { return }
    isOpen = false
    effects.append(.close)
  }
}

// MARK: The start

extension AdapterScanner {
  /// Seconds before an adapter that another program has powered off is powered on again.
  static let powerDelay = 1.0

  /// Sets the scan up from whatever the adapter is in now.
  mutating func begin(at now: Instant) {
    guard isPresent else { return }
    cancel()
    retryAt = nil
    isScanning = false
    if block.holds { return unblock(at: now) }
    if settings.isExclusive {
      guard rights.manages else {
        return stopped("bluetooth.exclusive needs CAP_NET_ADMIN", at: now)
      }
      // The user channel takes only an adapter that is down.
      var steps: [Step] = isPowered ? [.manage(.setPowered(false))] : []
      steps += [
        .open(.user), .hci(.reset), .hci(.setEventMask(Self.eventMask)), .hci(.leSetEventMask(Self.leEventMask)),
      ]
      return run(steps + [.hci(.readLocalSupportedCommands)], for: .survey, at: now)
    }
    guard isPowered else {
      guard settings.powersOn, rights.manages else { return stopped(downReason, at: now) }
      guard recovery.powerOns.take(at: now) else {
        retryAt = recovery.powerOns.next(after: now)
        return stopped("another program powers it off again and again", at: now)
      }
      return run([.manage(.setPowered(true))], for: .powerOn, at: now)
    }
    var first: [Step] = isOpen ? [] : [.open(.raw)]
    if commands == nil { first.append(.hci(.readLocalSupportedCommands)) }
    if mayBeKernels { first.append(.manage(.readAdvertisementMonitorFeatures)) }
    run(first, for: .survey, at: now)
  }

  /// After a reset nobody but us sets them. With a kernel beside us they are the kernel's, which has what a scan needs.
  private static let eventMask: EventMask = [.standard, .leMeta]
  private static let leEventMask: LEEventMask = [
    .standard, .advertisingReport, .directedAdvertisingReport, .extendedAdvertisingReport, .scanTimeout,
  ]

  /// Lifts a block, if that is allowed.
  private mutating func unblock(at now: Instant) {
    if block.hard {
      stopped("blocked by a switch (rfkill, hard); it goes on when the switch is on", at: now)
    } else if !settings.unblocksRFKill {
      stopped("blocked by rfkill; 'rfkill unblock bluetooth', or set bluetooth.unblock-rfkill", at: now)
    } else if !rights.unblocks {
      stopped("blocked by rfkill, and this user may not write /dev/rfkill; 'rfkill unblock bluetooth'", at: now)
    } else {
      effects.append(.say("\(address): blocked by rfkill; lifting the block"))
      effects.append(.unblock)
      stopped("blocked by rfkill; lifting the block", at: now)
    }
  }

  /// A kernel's scan is passive and on one PHY.
  var mayBeKernels: Bool {
    rights.manages && kernelRefusal == nil && !settings.isExclusive && !settings.isActive && settings.scans1M
      && !settings.scansCoded && recovery.family == nil
  }

  /// Enables the scan, the socket being open and the controller known.
  mutating func scan(at now: Instant) {
    let method = mayBeKernels ? .kernel : Method.own(recovery.family ?? family)
    self.method = method
    switch method {
    case .kernel:
      var steps: [Step] = []
      if let monitor { steps.append(.manage(.removeAdvertisementMonitor(monitor))) }
      if savedTiming == nil { steps.append(.manage(.readDefaultSystemConfiguration)) }
      steps.append(.manage(.setDefaultSystemConfiguration(kernelTiming)))
      steps.append(.manage(.addAdvertisementPatternsMonitor([Self.pattern])))
      run(steps, for: .scan, at: now)
    case .own(let family):
      // A monitor that stays would have the kernel scan on with the other family.
      let before = monitor.map { [Step.manage(.removeAdvertisementMonitor($0))] } ?? []
      run(before + ownScan(family), for: .scan, at: now)
    }
  }

  /// Any pattern does: the raw socket hears those that do not match as well. This one is an iBeacon's, so that the
  /// kernel tells bluetoothd of few.
  private static let pattern = AdvertisementPattern(type: 0xff, value: [0x4c, 0x00, 0x02, 0x15])

  private var family: ScanFamily {
    let isExtended =
      commands.map { $0.contains(.leSetExtendedScanParameters) && $0.contains(.leSetExtendedScanEnable) } ?? false
    let first: ScanFamily = isExtended ? .extended : .legacy
    return refused.contains(first) ? first.other : first
  }
}

extension AdapterScanner.ScanFamily {
  var other: Self { self == .legacy ? .extended : .legacy }

  /// `extended commands`.
  var name: StaticString { self == .legacy ? "legacy commands" : "extended commands" }
}
