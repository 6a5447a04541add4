import BluetoothLE
import Proximity
import TestSupport
import Testing

@testable import Scanning

struct AdapterScannerTests {
  private func running(_ stack: SimulatedStack) -> SimulatedStack {
    var stack = stack
    stack.plug()
    stack.run(2)
    return stack
  }

  private let active: ScanSettings = {
    var settings = ScanSettings()
    settings.isActive = true
    return settings
  }()

  private let discoveryOn = HCICommand.leSetExtendedScanEnable(ExtendedScanEnable(true, filterDuplicates: .on))
  private let extendedOff = HCICommand.leSetExtendedScanEnable(ExtendedScanEnable(false))

  // MARK: The start

  @Test(arguments: [false, true]) func theKernelOwnsTheScanWhereItCan(isExtended: Bool) {
    var stack = SimulatedStack(duty: 0.5)
    stack.isExtended = isExtended
    stack = running(stack)
    #expect(stack.state == .scanning && stack.reports.count == 1)
    #expect(stack.monitors.count == 1)
    #expect(stack.sent == [.readLocalSupportedCommands], "no scan command of ours")
    let timing = [SystemParameter(.monitorScanInterval, 96), SystemParameter(.monitorScanWindow, 48)]
    #expect(stack.managed.contains(.setDefaultSystemConfiguration(timing)))
    #expect(stack.managed.first == .setPowered(true))
    #expect(stack.scanner.counters.reports > 10)
  }

  @Test func atTheEndTheKernelIsAsItWas() {
    var stack = running(SimulatedStack(duty: 0.5))
    stack.end()
    #expect(stack.scanner.hasEnded && stack.monitors.isEmpty && !stack.isOpen && stack.scanning == nil)
    let before = [SystemParameter(.monitorScanInterval, 96), SystemParameter(.monitorScanWindow, 48)]
    #expect(stack.managed.last == .setDefaultSystemConfiguration(before))
  }

  @Test func aControllerThatWouldKeepReportsBackGetsCommandsOfOurs() {
    var stack = SimulatedStack()
    stack.isOffloaded = true
    stack = running(stack)
    #expect(stack.state == .scanning && stack.monitors.isEmpty && stack.scanning == .extended)
    #expect(stack.said.contains { $0.contains("extended commands (not the kernel: the controller would look") })
  }

  @Test(arguments: [ManagementStatus.unknownCommand, .notSupported, .permissionDenied, .invalidParameters])
  func aKernelThatRefusesAMonitorIsNoFault(status: ManagementStatus) {
    var stack = SimulatedStack()
    stack.monitorStatus = status
    stack = running(stack)
    #expect(stack.state == .scanning && stack.scanning == .extended && stack.reports.count == 1)
  }

  @Test(arguments: [false, true]) func commandsOfOursAreDisableParametersEnable(isExtended: Bool) {
    var stack = SimulatedStack(active)
    stack.isExtended = isExtended
    stack = running(stack)
    let timing = ScanTiming(.active, interval: 96, window: 96)
    let legacy: [HCICommand] = [
      .leSetScanEnable(false, filterDuplicates: .off), .leSetScanParameters(ScanParameters(timing)),
      .leSetScanEnable(true, filterDuplicates: .off),
    ]
    let extended: [HCICommand] = [
      extendedOff, .leSetExtendedScanParameters(ExtendedScanParameters(on1M: timing)),
      .leSetExtendedScanEnable(ExtendedScanEnable(true)),
    ]
    #expect(Array(stack.sent.suffix(3)) == (isExtended ? extended : legacy))
    #expect(stack.mixedFamilies == 0 && stack.state == .scanning)
    stack.end()
    #expect(stack.scanning == nil)
  }

  @Test func twoPHYsTakeTurns() throws {
    var settings = ScanSettings()
    settings.scansCoded = true
    let stack = running(SimulatedStack(settings))
    let timing = ScanTiming(.passive, interval: 192, window: 96)
    let parameters = ExtendedScanParameters(on1M: timing, onCoded: timing)
    #expect(stack.sent.contains(.leSetExtendedScanParameters(parameters)))
  }

  @Test func theUserChannelIsTakenWhileTheAdapterIsDown() {
    var settings = ScanSettings()
    settings.isExclusive = true
    var stack = SimulatedStack(settings)
    stack.plug(powered: true)
    #expect(stack.managed == [.setPowered(false)])
    let first = stack.sent.first
    // The simulated adapter is off for the socket's commands: that is a fault here, and all that is asked is the order.
    #expect(first == .reset)
  }

  @Test func withoutTheCapabilityItWaitsForSomebodyToPowerTheAdapterOn() {
    var stack = SimulatedStack(manages: false)
    stack.plug()
    #expect(stack.state == .stopped && stack.reports.last?.reason.contains("bluetoothctl power on") == true)
    stack.powerOn()
    stack.run(1)
    #expect(stack.state == .scanning && stack.scanning == .extended && stack.managed.isEmpty)
  }

  // MARK: Families

  @Test func legacyCommandsThatAreRefusedLeadToExtendedOnes() {
    var stack = SimulatedStack(active)
    stack.isExtended = true
    stack.refusals[.leSetExtendedScanParameters] = .commandDisallowed
    stack = running(stack)
    // Another program has used legacy commands since the reset: so do we.
    #expect(stack.said.contains { $0.contains("command disallowed (0x0c); going on with legacy commands") })
  }

  @Test func anExtendedCommandThatIsUnknownLeadsToLegacyOnes() {
    var stack = SimulatedStack(active)
    stack.refusals[.leSetExtendedScanEnable] = .unknownCommand
    stack.refusals[.leSetExtendedScanParameters] = .unknownCommand
    stack = running(stack)
    #expect(stack.scanning == .legacy && stack.state == .scanning)
  }

  @Test func aControllerThatIsDeafToExtendedAdvertisingIsFoundOutOnce() {
    var stack = SimulatedStack()
    stack.isDeaf = true
    stack.plug()
    stack.run(59)
    #expect(stack.scanning == .extended && stack.scanner.counters.resets == 0)
    stack.run(5)
    #expect(stack.scanning == .legacy && stack.state == .scanning && stack.mixedFamilies == 0)
    let resets = stack.scanner.counters.resets
    #expect(resets == 1)
    stack.run(3600)
    #expect(stack.scanning == .legacy && stack.scanner.counters.resets == 1)
    stack.unplug()
    stack.plug()
    stack.run(1)
    #expect(stack.scanning == .legacy, "the verdict is kept")
  }

  @Test func whatWasFoundOutIsKnownToTheNextProcess() {
    var stack = SimulatedStack()
    stack.isDeaf = true
    stack.plug()
    #expect(!stack.scanner.memory.isLegacy)
    stack.run(62)
    // While it is tried nothing is known.
    stack.run(10)
    #expect(stack.scanner.memory.isLegacy)
    var next = SimulatedStack()
    next.isDeaf = true
    next.scanner.remember(stack.scanner.memory)
    next.plug()
    next.run(1)
    #expect(next.scanning == .legacy && next.isDelivering && next.scanner.counters.resets == 0)
    // A controller that has no legacy commands is another one.
    var other = SimulatedStack()
    other.scanner.remember(stack.scanner.memory)
    other.refusals = [.leSetScanEnable: .unknownCommand, .leSetScanParameters: .unknownCommand]
    other.plug()
    other.run(2)
    #expect(other.scanning == .extended && !other.scanner.memory.isLegacy)
  }

  @Test func anEmptyRoomIsNoFault() {
    var stack = SimulatedStack()
    stack.isAdvertised = false
    stack.plug()
    stack.run(600)
    #expect(stack.scanner.counters.resets == 2, "one trial of the other family, and back")
    #expect(stack.scanning == .extended)
    #expect(stack.reports.allSatisfy { $0.state != .stopped })
    #expect(stack.managed.count { $0.opcode == .addAdvertisementPatternsMonitor } <= 12)
    let before = stack.scanner.counters.resets
    stack.run(3000)
    #expect(stack.scanner.counters.resets == before, "at most one an hour")
    stack.isAdvertised = true
    stack.run(1)
    #expect(stack.isDelivering)
  }

  @Test func aRoomThatFallsSilentIsNeverReset() {
    var stack = running(SimulatedStack())
    stack.isAdvertised = false
    stack.run(4 * 3600)
    #expect(stack.scanner.counters.resets == 0 && stack.state == .scanning)
  }

  // MARK: Others

  @Test func aScanThatAnotherProgramStopsIsEnabledAgainAtOnce() {
    for settings in [ScanSettings(), active] {
      var stack = running(SimulatedStack(settings))
      stack.foreign(extendedOff)
      #expect(stack.scanning == nil)
      stack.run(1)
      #expect(stack.isDelivering && stack.reports.count == 1)
    }
  }

  @Test func whoStopsItAgainAndAgainIsNotFought() {
    var stack = running(SimulatedStack(active))
    let before = stack.sent.count
    for _ in 0..<300 {
      stack.foreign(extendedOff)
      stack.run(0.2)
    }
    #expect(stack.sent.count - before <= 3 * 13)
    #expect(stack.reports.contains { $0.state == .degraded && $0.reason.contains("again and again") })
    stack.run(61)
    #expect(stack.isDelivering && stack.state == .scanning)
  }

  @Test func aDiscoveryBesideTheKernelsScanIsLeftAlone() {
    var stack = running(SimulatedStack())
    let before = stack.managed.count
    stack.foreign(extendedOff)
    stack.foreign(discoveryOn)
    stack.run(5)
    #expect(stack.state == .degraded && stack.managed.count == before)
    stack.foreign(extendedOff)
    stack.foreign(.leSetExtendedScanEnable(ExtendedScanEnable(true)))
    stack.run(5)
    #expect(stack.state == .scanning && stack.managed.count == before)
  }

  @Test func aDiscoveryBesideOurCommandsIsSharedAndOutlivesUs() {
    var stack = running(SimulatedStack(active))
    stack.foreign(extendedOff)
    stack.foreign(discoveryOn)
    stack.run(1)
    #expect(!stack.filtersDuplicates && stack.scanning == .extended)
    stack.end()
    #expect(stack.scanning == .extended, "the other's discovery goes on")
  }

  @Test func removedMonitorsAreAddedAgain() {
    var stack = running(SimulatedStack())
    stack.removeMonitors()
    stack.run(1)
    #expect(stack.monitors.count == 1 && stack.isDelivering && stack.reports.count == 1)
  }

  // MARK: Proof

  @Test func proofIsTheScanEnabledAnew() {
    for settings in [ScanSettings(), active] {
      var stack = running(SimulatedStack(settings))
      stack.isStalled = true
      stack.run(5)
      stack.ask()
      #expect(stack.proofs == 1 && stack.isDelivering)
    }
  }

  @Test func withoutAnAnswerThereIsNoProof() {
    var stack = running(SimulatedStack(active))
    stack.isMute = true
    stack.isAdvertised = false
    stack.ask()
    stack.run(3)
    #expect(stack.proofs == 0 && stack.state == .stopped)
    #expect(stack.reports.last?.reason == "LE Set Extended Scan Enable was not answered")
  }

  // MARK: Power and plugs

  @Test func whatAnotherProgramPowersOffIsPoweredOnAgain() {
    var stack = running(SimulatedStack())
    stack.powerOff()
    #expect(stack.state == .stopped)
    stack.run(2)
    #expect(stack.isDelivering && stack.state == .scanning)
  }

  @Test func aBlockIsWaitedFor() {
    var stack = running(SimulatedStack())
    stack.block(true)
    #expect(stack.reports.last?.reason.contains("rfkill unblock bluetooth") == true)
    stack.run(3600)
    #expect(!stack.isPowered)
    stack.block(false)
    stack.run(2)
    #expect(stack.isDelivering)
  }

  @Test func aBlockIsLiftedWhereThatIsConfigured() {
    var settings = ScanSettings()
    settings.unblocksRFKill = true
    var stack = running(SimulatedStack(settings))
    stack.block(true)
    stack.run(2)
    #expect(stack.isDelivering)
    stack.block(true, hard: true)
    stack.run(60)
    #expect(stack.state == .stopped && stack.reports.last?.reason.contains("switch") == true)
  }

  @Test func anHourWithoutTheAdapterIsOneReport() {
    var stack = running(SimulatedStack())
    stack.unplug()
    let before = stack.reports.count
    stack.run(3600)
    #expect(stack.reports.count == before && stack.state == .stopped)
    stack.plug()
    stack.run(1)
    #expect(stack.isDelivering && stack.state == .scanning)
  }

  // MARK: Faults

  @Test func remediesClimbAndAreBounded() {
    var stack = running(SimulatedStack(active, resetsUSB: true))
    stack.isMute = true
    stack.ask()
    stack.run(40)
    // The reset on the bus heals the simulated controller.
    #expect(stack.usbResets == 1 && stack.isDelivering)
    let order = stack.said.filter { $0.contains("in an hour)") }.map { line in
      line.split(separator: ";").last.map(String.init) ?? ""
    }
    #expect(
      order == [
        " enabling the scan anew (1 of at most 20 in an hour)",
        " setting the scan up anew (1 of at most 12 in an hour)",
        " powering the adapter off and on (1 of at most 6 in an hour)",
        " resetting the adapter on its USB (1 of at most 3 in an hour)",
      ])
  }

  @Test func aDeadAdapterIsTriedForEverAndSeldom() {
    var stack = running(SimulatedStack(active))
    stack.isMute = true
    stack.ask()
    let before = (stack.sent.count, stack.said.count)
    stack.run(3600)
    #expect(stack.sent.count - before.0 < 60 && stack.said.count - before.1 < 200)
    #expect(stack.scanner.counters.resets <= 6)
    #expect(stack.state == .stopped)
    stack.isMute = false
    stack.run(1200)
    #expect(stack.isDelivering && stack.state == .scanning)
  }

  @Test func afterAHardwareErrorItScansAgain() {
    var stack = running(SimulatedStack(active))
    stack.hardwareError()
    stack.run(2)
    #expect(stack.isDelivering && stack.scanner.counters.resets == 0)
  }

  @Test func aRemedyThatIsNotPermittedIsSaidAndPassedOver() {
    var stack = SimulatedStack(active, manages: false)
    stack.plug(powered: true)
    stack.run(2)
    stack.isMute = true
    stack.ask()
    stack.run(30)
    #expect(stack.said.contains { $0.contains("no powering the adapter off and on: it needs CAP_NET_ADMIN") })
    #expect(stack.said.contains { $0.contains("no resetting the adapter on its USB: no USB device") })
  }

  /// Whatever happens to it, it scans again once that has ended, and never mixes the families of commands.
  @Test(arguments: 0..<60) func whateverHappensItScansAgain(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var stack = SimulatedStack(seed % 2 == 0 ? ScanSettings() : active, resetsUSB: seed % 3 == 0)
    stack.isExtended = seed % 5 != 0
    stack.plug()
    for _ in 0..<60 {
      switch random.next() % 14 {
      case 0: stack.unplug()
      case 1: stack.plug()
      case 2: stack.powerOff()
      case 3: stack.powerOn()
      case 4: stack.block(true)
      case 5: stack.block(false)
      case 6: stack.removeMonitors()
      case 7: stack.hardwareError()
      case 8: stack.isMute.toggle()
      case 9: stack.ask()
      case 10: stack.isStalled = true
      case 11: stack.isAdvertised.toggle()
      case 12: stack.openFailure = stack.openFailure == nil ? "no such device" : nil
      default: stack.monitorStatus = stack.monitorStatus == .success ? .busy : .success
      }
      stack.run(Double(random.next() % 400) / 10)
    }
    stack.isMute = false
    stack.openFailure = nil
    stack.monitorStatus = .success
    stack.isAdvertised = true
    stack.block(false)
    stack.unplug()
    stack.plug()
    stack.run(3700)
    #expect(stack.isDelivering && stack.state == .scanning, "\(stack.said.suffix(5)) \(stack.reports.suffix(3))")
    #expect(stack.mixedFamilies == 0)
  }
}
