import BluetoothLE
import Proximity

/// What was done to keep an adapter scanning, and what may still be done within the hour.
struct Recovery: Hashable, Sendable {
  /// Remedies, the mildest first, and how often an hour each is used.
  enum Remedy: Int, CaseIterable, Hashable, Sendable {
    case enableAnew, setUpAnew, cyclePower, resetUSB

    var most: Int {
      switch self {
      case .enableAnew: 20
      case .setUpAnew: 12
      case .cyclePower: 6
      case .resetUSB: 3
      }
    }

    var name: StaticString {
      switch self {
      case .enableAnew: "enabling the scan anew"
      case .setUpAnew: "setting the scan up anew"
      case .cyclePower: "powering the adapter off and on"
      case .resetUSB: "resetting the adapter on its USB"
      }
    }
  }

  /// Where the next fault starts on the ladder.
  var level = 0
  var used = Remedy.allCases.map { Allowance($0.most) }
  /// When the scan was enabled last.
  var scanning: Instant?
  /// Scans that other programs have stopped, and that were enabled again: a discovery that comes and goes is such a one.
  var rescans = Allowance(12, inSeconds: 60)
  /// Times that the adapter was powered on. Of five minutes: who loses against another program tries again in minutes, not
  /// in an hour.
  var powerOns = Allowance(10, inSeconds: 300)
  /// Trials of the other family.
  var trials = Allowance(1)
  /// Families by which reports came.
  var delivered: Set<AdapterScanner.ScanFamily> = []
  /// The family that a trial has found, or tries.
  var family: AdapterScanner.ScanFamily?
  /// Times that a busy kernel was waited for.
  var busy = Allowance(120)
  var nextDropLine: UInt64 = 1
}

// MARK: Faults

extension AdapterScanner {
  /// Seconds for an adapter that was reset on its bus to come back.
  private static let resetTime = 10.0
  /// Seconds from a fault to the remedy, so that what follows from one cause is one fault.
  private static let remedyDelay = 0.5

  /// Something is wrong: the engine is told, and the mildest remedy that is left is taken.
  mutating func fault(_ reason: String, at now: Instant) {
    cancel()
    // A trial that ends like this has shown nothing.
    if air.trialEnd != nil { recovery.family = nil }
    air = Air()
    stopped(reason, at: now)
    guard let remedy = takeRemedy(reason, at: now) else { return }
    let number = recovery.used[remedy.rawValue].used
    effects.append(.say("\(address): \(reason); \(remedy.name) (\(number) of at most \(remedy.most) in an hour)"))
    switch remedy {
    case .enableAnew: retryAt = now.advanced(by: Self.remedyDelay)
    case .setUpAnew:
      close()
      commands = nil
      refused = []
      retryAt = now.advanced(by: Self.remedyDelay)
    case .cyclePower: cyclePower(at: now)
    case .resetUSB:
      close()
      counters.resets += 1
      effects.append(.resetUSB)
      retryAt = now.advanced(by: Self.resetTime)
    }
  }

  /// The next one up the ladder that this process may use and that is not used up; nil where there is nothing but to wait.
  private mutating func takeRemedy(_ reason: String, at now: Instant) -> Recovery.Remedy? {
    while let remedy = Recovery.Remedy(rawValue: recovery.level) {
      recovery.level += 1
      if let lack = lack(for: remedy) {
        effects.append(.say("\(address): \(reason); no \(remedy.name): \(lack)"))
        continue
      }
      if recovery.used[remedy.rawValue].take(at: now) { return remedy }
    }
    // The top is reached: from the bottom again, as soon as anything is allowed.
    recovery.level = 0
    let next = recovery.used[Recovery.Remedy.setUpAnew.rawValue].next(after: now)
    let pause = now.advanced(by: Self.silence)
    retryAt = max(next, pause)
    let seconds = Int((retryAt ?? pause).seconds(since: now))
    effects.append(.say("\(address): \(reason); every remedy was tried, the next attempt is in \(seconds) s"))
    return nil
  }

  private func lack(for remedy: Recovery.Remedy) -> String? {
    switch remedy {
    case .enableAnew, .setUpAnew: nil
    case .cyclePower: rights.manages ? nil : "it needs CAP_NET_ADMIN"
    case .resetUSB: rights.resetsUSB ? nil : "no USB device that this user may write"
    }
  }

  /// Off and on again, which resets the controller.
  mutating func cyclePower(at now: Instant) {
    cancel()
    isScanning = false
    commands = nil
    refused = []
    counters.resets += 1
    var steps: [Step] = []
    if let monitor { steps.append(.manage(.removeAdvertisementMonitor(monitor))) }
    steps += [.close, .manage(.setPowered(false)), .manage(.setPowered(true))]
    run(steps, for: .powerCycle, at: now)
  }

  // MARK: What is told

  mutating func stopped(_ reason: String, at now: Instant) {
    isScanning = false
    tell(.stopped, reason, at: now)
  }

  /// The scan is on; less of it where that is known.
  mutating func tellScanning(at now: Instant) {
    if air.trialEnd != nil { return }
    if air.filtersDuplicates {
      tell(.degraded, "a discovery of another program keeps repeated advertisements back until it ends", at: now)
    } else {
      tell(.scanning, told == nil ? "started" : "scanning again", at: now)
    }
  }

  /// Tells what differs from what was told before.
  mutating func tell(_ state: ScannerState, _ reason: String, at now: Instant) {
    if told?.state == state, state == .scanning || told?.reason == reason { return }
    rate.roll(to: now)
    let report = ScannerReport(
      state, name: address.description, reason: reason, reportsPerSecond: told == nil ? nil : rate.perSecond)
    told = report
    effects.append(.report(report))
  }
}
