import Scanning

extension ScanSettings {
  package init(_ bluetooth: Configuration.Bluetooth) {
    self.init()
    isActive = bluetooth.scan == .active
    duty =
      switch bluetooth.duty {
      case .auto: .automatic
      case .percent(let percent): .share(percent / 100)
      }
    scans1M = bluetooth.phys.contains(.oneMegabit)
    scansCoded = bluetooth.phys.contains(.coded)
    isExclusive = bluetooth.isExclusive
    powersOn = bluetooth.powersOn
    unblocksRFKill = bluetooth.unblocksRFKill
    wakeInterval = bluetooth.wakeInterval.nanoseconds
    if case .only(let addresses) = bluetooth.adapters { adapters = addresses }
  }
}
