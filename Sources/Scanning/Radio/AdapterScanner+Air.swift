import BluetoothLE
import Proximity

// MARK: The scan, once it is enabled

extension AdapterScanner {
  /// Seconds for the kernel to enable the scan for a monitor: a discovery of another program, which scans for 10.24 s
  /// and then rests for some, comes first.
  private static let confirmTime = 8.0
  /// The same where none is in view.
  private static let proofTime = 3.0
  /// Seconds after which another program's "off" is no part of a change of parameters any more.
  private static let kernelGrace = 0.5
  private static let ownGrace = 0.1
  /// Seconds of silence after which the scan is enabled anew, and so again.
  static let silence = 60.0
  /// Seconds for which the other family is tried.
  private static let trialTime = 20.0
  /// Seconds of a scan without fault after which the next fault starts with the mildest remedy.
  static let healthy = 30.0

  /// The steps that enable the scan were taken.
  mutating func enabled(at now: Instant) {
    isScanning = true
    wasDisallowed = false
    recovery.scanning = now
    if air.heard == nil { air.heard = now }
    air.repair = nil
    air.silenceDue = now.advanced(by: Self.silence)
    if air.trialEnd != nil { air.trialEnd = now.advanced(by: Self.trialTime) }
    sayHow()
    switch method {
    // What the kernel does for us is seen when it does it.
    case .kernel?:
      let isSoon = air.isAsked && !air.isShared
      air.confirmDue = now.advanced(by: isSoon ? Self.proofTime : Self.confirmTime)
    case .own?, nil: confirmed(at: now)
    }
    tellScanning(at: now)
  }

  /// Says who owns the scan, when that is new.
  private mutating func sayHow() {
    let share = Int((duty * 100).rounded())
    let owner =
      switch method {
      case .kernel?: "the kernel scans for us"
      case .own(let family)?: "scanning with \(family.name)"
      case nil: ""
      }
    let why = method == .kernel ? "" : kernelRefusal.map { " (not the kernel: \($0))" } ?? ""
    let how = "\(address): \(owner)\(why), \(share) % of the time"
    guard how != saidHow else { return }
    saidHow = how
    effects.append(.say(how))
  }

  /// Somebody has enabled the scan, or it delivers.
  private mutating func confirmed(at now: Instant) {
    air.confirmDue = nil
    guard air.isAsked else { return }
    air.isAsked = false
    effects.append(.proof)
  }

  // MARK: What passes the adapter

  /// A packet with advertising reports.
  package mutating func heard(at now: Instant) {
    counters.reports += 1
    counters.lastReport = now
    rate.count(at: now)
    air.heard = now
    guard isScanning else { return }
    if air.confirmDue != nil || air.isAsked { confirmed(at: now) }
    if air.trialEnd != nil { trialSucceeded(at: now) }
    if let family = usedFamily, !recovery.delivered.contains(family) { recovery.delivered.insert(family) }
  }

  /// A command of another program on its way to the controller.
  package mutating func sent(_ command: HCICommand) {
    air.sent(command)
  }

  /// Packets that found no room in the socket's buffer.
  package mutating func dropped(_ count: UInt64, at now: Instant) {
    guard count > 0 else { return }
    counters.dropped += count
    // Every tenfold is worth a line.
    guard counters.dropped >= recovery.nextDropLine else { return }
    while recovery.nextDropLine <= counters.dropped { recovery.nextDropLine *= 10 }
    effects.append(
      .say("\(address): \(counters.dropped) packets were lost so far, since they came faster than they were read"))
  }

  /// A command of another program was answered.
  mutating func foreign(_ opcode: HCIOpcode, _ status: HCIStatus, at now: Instant) {
    guard status == .success, air.foreign(opcode, at: now) else { return }
    guard isScanning else { return }
    if air.isEnabled == true {
      air.repair = nil
      if air.confirmDue != nil || air.isAsked, method == .kernel { confirmed(at: now) }
      // With our own commands it is ours to have repeated advertisements back; for the kernel it comes by itself.
      if case .own? = method, air.filtersDuplicates { repair(after: Self.ownGrace, at: now) }
      tellScanning(at: now)
    } else if air.repair == nil {
      repair(after: method == .kernel ? Self.kernelGrace : Self.ownGrace, at: now)
    }
  }

  private mutating func repair(after seconds: Double, at now: Instant) {
    air.repair = now.advanced(by: seconds)
  }

  /// The kernel has removed a monitor of this adapter, without our asking. Handle 0 stands for all.
  package mutating func monitorRemoved(_ handle: UInt16, at now: Instant) {
    guard let monitor, handle == 0 || handle == monitor else { return }
    self.monitor = nil
    guard isScanning, method == .kernel else { return }
    rescan("the monitor was removed by another program, as bluetoothd does at its start", at: now)
  }

  /// The controller has reset itself; the kernel sets it up anew.
  package mutating func hardwareError(_ code: UInt8, at now: Instant) {
    guard isPresent else { return }
    fault("hardware error 0x\(hex(code, digits: 2)) of the controller", at: now)
  }

  // MARK: Proof

  /// The engine asks whether the adapter still delivers: the scan is enabled anew, and that is the proof.
  package mutating func askForProof(at now: Instant) {
    guard isScanning else { return }
    air.isAsked = true
    // It is being enabled already.
    guard current == nil, air.confirmDue == nil else { return }
    enableAnew(at: now)
  }

  /// Enables the scan again, though nothing is known against it.
  private mutating func enableAnew(at now: Instant) {
    switch method {
    case .kernel?: scan(at: now)
    case .own(let family)?: run(ownScan(family), for: .scan, at: now)
    case nil: begin(at: now)
    }
  }

  /// Enables the scan again, since another program has stopped it.
  private mutating func rescan(_ reason: String, at now: Instant) {
    air.repair = nil
    guard recovery.rescans.take(at: now) else {
      air.repair = recovery.rescans.next(after: now)
      if told?.state != .degraded {
        tell(.degraded, "another program stops the scan again and again: \(reason)", at: now)
      }
      return
    }
    effects.append(.say("\(address): \(reason); enabled again"))
    enableAnew(at: now)
  }

  // MARK: Time

  mutating func watch(at now: Instant) {
    rate.roll(to: now)
    if recovery.level > 0, let since = recovery.scanning, now.seconds(since: since) >= Self.healthy {
      recovery.level = 0
    }
    if let due = air.trialEnd, due <= now { return trialFailed(at: now) }
    guard current == nil else { return }
    if let due = air.confirmDue, due <= now {
      return fault("the kernel has not enabled the scan", at: now)
    }
    if let due = air.repair, due <= now {
      let isChanged = air.isEnabled == true
      return rescan(
        isChanged ? "another program has changed the scan" : "another program has stopped the scan", at: now)
    }
    if let due = air.silenceDue, due <= now { lookAtSilence(at: now) }
  }

  /// Silence is no fault. But a scan that has stopped without a word is silent too.
  private mutating func lookAtSilence(at now: Instant) {
    let silentSince = air.heard ?? now
    let due = silentSince.advanced(by: Self.silence)
    guard due <= now else {
      air.silenceDue = due
      return
    }
    air.silenceDue = now.advanced(by: Self.silence)
    if mayTryOtherFamily, recovery.trials.take(at: now) { return startTrial(at: now) }
    enableAnew(at: now)
  }

  // MARK: The other family

  private var usedFamily: ScanFamily? {
    switch method {
    case .own(let family)?: family
    // The kernel takes the extended commands where the controller has them.
    case .kernel?: commands?.contains(.leSetExtendedScanEnable) == true ? .extended : .legacy
    case nil: nil
    }
  }

  /// Whether a controller that accepts extended scanning may be one that then delivers nothing.
  ///
  /// It has to be reset in between, which costs other programs what they do with it: only without a kernel's other users
  /// in view, and where it has never delivered.
  private var mayTryOtherFamily: Bool {
    rights.manages && !settings.isExclusive && !settings.scansCoded && usedFamily == .extended
      && commands?.contains(.leSetScanEnable) == true && !recovery.delivered.contains(.extended)
      && !air.isShared && air.trialEnd == nil
  }

  private mutating func startTrial(at now: Instant) {
    effects.append(
      .say("\(address): nothing heard for \(Int(Self.silence)) s with extended commands; trying the legacy ones"))
    recovery.family = .legacy
    tell(.degraded, "nothing heard with extended commands: trying the legacy ones", at: now)
    cyclePower(at: now)
    air.trialEnd = now.advanced(by: Self.trialTime)
  }

  /// The verdict stays.
  private mutating func trialSucceeded(at now: Instant) {
    air.trialEnd = nil
    effects.append(.say("\(address): it delivers with legacy commands; going on with them"))
    tellScanning(at: now)
  }

  private mutating func trialFailed(at now: Instant) {
    effects.append(.say("\(address): nothing with legacy commands either; back to extended ones"))
    recovery.family = nil
    air.trialEnd = nil
    cyclePower(at: now)
  }
}
