import BluetoothLE
import Proximity

// MARK: One step after the other

extension AdapterScanner {
  /// Seconds for an answer of the controller; the kernel gives up after 2.
  /// Source: Linux 6.1, include/net/bluetooth/hci.h, HCI_CMD_TIMEOUT.
  private static let commandTime = 2.5
  /// Seconds for an answer of the kernel's, which may set the controller up meanwhile.
  /// Source: Linux 6.1, include/net/bluetooth/hci.h, HCI_INIT_TIMEOUT is 10.
  private static let managementTime = 12.0
  /// Seconds after which a kernel that was busy is asked again.
  private static let busyDelay = 1.0

  mutating func run(_ steps: [Step], for purpose: Purpose, at now: Instant) {
    self.steps = steps
    self.purpose = purpose
    next(at: now)
  }

  private mutating func next(at now: Instant) {
    current = nil
    answerDue = nil
    guard !steps.isEmpty else { return done(at: now) }
    let step = steps.removeFirst()
    current = step
    switch step {
    case .open(let channel): effects.append(.open(channel))
    case .close:
      close()
      next(at: now)
    case .hci(let command):
      answerDue = now.advanced(by: Self.commandTime)
      effects.append(.send(command))
    case .manage(let command):
      answerDue = now.advanced(by: Self.managementTime)
      effects.append(.manage(command))
    }
  }

  /// All steps were taken.
  private mutating func done(at now: Instant) {
    switch purpose {
    case .powerOn, .powerCycle: begin(at: now)
    case .survey: scan(at: now)
    case .scan: enabled(at: now)
    case .ending: break
    }
  }

  // MARK: Sockets

  package mutating func opened(at now: Instant) {
    guard case .open? = current else { return }
    isOpen = true
    next(at: now)
  }

  /// The socket could not be opened, or failed later; `reason` is what the system says.
  package mutating func failed(_ reason: String, at now: Instant) {
    guard isPresent else { return }
    close()
    fault(reason, at: now)
  }

  // MARK: Answers of the controller

  /// An answer that passed the adapter, to us or to somebody else.
  package mutating func completed(_ answer: CommandComplete, at now: Instant) {
    if case .hci(let command)? = current, command.opcode == answer.opcode {
      return answered(command, answer.status ?? .success, answer, at: now)
    }
    foreign(answer.opcode, answer.status ?? .success, at: now)
  }

  package mutating func statusCame(_ answer: CommandStatus, at now: Instant) {
    if answer.status == .success { return }
    if case .hci(let command)? = current, command.opcode == answer.opcode {
      answered(command, answer.status, nil, at: now)
    }
  }

  private mutating func answered(
    _ command: HCICommand, _ status: HCIStatus, _ answer: CommandComplete?, at now: Instant
  ) {
    if command == .readLocalSupportedCommands { commands = answer?.supportedCommands }
    if status == .success {
      air.applied(command, at: now)
      return next(at: now)
    }
    switch command {
    // It was off already; and a controller that does not say what it can do is tried.
    case .leSetScanEnable(false, _), .readLocalSupportedCommands: next(at: now)
    case .leSetExtendedScanEnable(let scan) where !scan.isEnabled && status != .unknownCommand: next(at: now)
    default: refused(command, status, at: now)
    }
  }

  /// That a command is unknown, or disallowed for a second time, tells of its family: the other was used since the last
  /// reset. Once it may be the moment, when another program has enabled the scan between two commands of ours.
  private mutating func refused(_ command: HCICommand, _ status: HCIStatus, at now: Instant) {
    if status == .unknownCommand, recovery.family != nil, air.trialEnd == nil {
      // What was found once does not hold: it is another controller, or another firmware.
      recovery.family = nil
      return scan(at: now)
    }
    guard case .own(let family)? = method, status == .unknownCommand || status == .commandDisallowed,
      !refused.contains(family.other), recovery.family == nil
    else { return fault("\(command.opcode): \(status)", at: now) }
    if status == .commandDisallowed, !wasDisallowed {
      wasDisallowed = true
      return scan(at: now)
    }
    guard status == .unknownCommand || !recovery.delivered.contains(family) else {
      return fault("\(command.opcode): \(status)", at: now)
    }
    refused.insert(family)
    effects.append(.say("\(address): \(command.opcode): \(status); going on with \(family.other.name)"))
    scan(at: now)
  }

  // MARK: Answers of the kernel

  /// The answer to a management command of ours.
  package mutating func managed(
    _ opcode: ManagementOpcode, _ status: ManagementStatus, _ parameters: Octets, at now: Instant
  ) {
    guard case .manage(let command)? = current, command.opcode == opcode else { return }
    guard status == .success else { return refused(command, status, at: now) }
    switch command {
    case .readAdvertisementMonitorFeatures:
      if MonitorFeatures(parameters)?.isOffloaded ?? true {
        kernelRefusal = "the controller would look for the patterns by itself, and keep the rest back"
      }
    case .readDefaultSystemConfiguration:
      savedTiming = systemParameters(parameters)?.filter {
        $0.type == .monitorScanInterval || $0.type == .monitorScanWindow
      }
    case .addAdvertisementPatternsMonitor:
      var reader = ByteReader(parameters)
      monitor = reader.readLittleEndian(UInt16.self)
    case .removeAdvertisementMonitor: monitor = nil
    case .setPowered(let isOn): isPowered = isOn
    default: break
    }
    next(at: now)
  }

  private mutating func refused(_ command: ManagementCommand, _ status: ManagementStatus, at now: Instant) {
    if status == .invalidIndex { return }
    if status == .busy, recovery.busy.take(at: now) {
      cancel()
      retryAt = now.advanced(by: Self.busyDelay)
      return
    }
    switch command {
    case .readAdvertisementMonitorFeatures, .addAdvertisementPatternsMonitor:
      guard status != .notPowered, status != .busy else { return fault("the kernel: \(status)", at: now) }
      kernelRefusal = "the kernel: \(status)"
      monitor = nil
      if purpose == .survey { next(at: now) } else { scan(at: now) }
    // Ours is gone already; the kernel keeps its own timing.
    case .removeAdvertisementMonitor:
      monitor = nil
      next(at: now)
    case .readDefaultSystemConfiguration, .setDefaultSystemConfiguration: next(at: now)
    case .setPowered(true) where block.holds || status == .rfkilled: begin(at: now)
    default: fault("\(command.name): \(status)", at: now)
    }
  }

  private mutating func unanswered(_ step: Step, at now: Instant) {
    switch step {
    case .hci(let command): fault("\(command.opcode) was not answered", at: now)
    case .manage(let command): fault("the kernel did not answer \(command.name)", at: now)
    case .open, .close: break
    }
  }

  // MARK: Time

  package mutating func advance(to now: Instant) {
    if let due = answerDue, due <= now, let step = current {
      unanswered(step, at: now)
    }
    if let due = retryAt, due <= now {
      begin(at: now)
    }
    if isScanning { watch(at: now) }
  }

  // MARK: The end

  /// Leaves the adapter as it was found: no monitor, the kernel's timing, no scan of ours.
  package mutating func end(at now: Instant) {
    cancel()
    retryAt = nil
    isScanning = false
    guard isPresent, isOpen || monitor != nil else { return }
    var steps: [Step] = []
    if let monitor { steps.append(.manage(.removeAdvertisementMonitor(monitor))) }
    if let savedTiming, !savedTiming.isEmpty { steps.append(.manage(.setDefaultSystemConfiguration(savedTiming))) }
    // A discovery of another program goes on with what is on the air now.
    if isOpen, case .own(let family)? = method, !air.isShared {
      steps.append(ownScan(family)[0])
      if settings.isExclusive { steps.append(.hci(.reset)) }
    }
    run(steps + [.close], for: .ending, at: now)
  }

  package var hasEnded: Bool { current == nil }
}

extension ManagementCommand {
  fileprivate var name: StaticString {
    switch self {
    case .readExtendedIndexList: "Read Extended Controller Index List"
    case .readControllerInformation: "Read Controller Information"
    case .setPowered: "Set Powered"
    case .readDefaultSystemConfiguration: "Read Default System Configuration"
    case .setDefaultSystemConfiguration: "Set Default System Configuration"
    case .readAdvertisementMonitorFeatures: "Read Advertisement Monitor Features"
    case .addAdvertisementPatternsMonitor: "Add Advertisement Patterns Monitor"
    case .removeAdvertisementMonitor: "Remove Advertisement Monitor"
    }
  }
}
