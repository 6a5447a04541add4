import BluetoothLE

// MARK: The commands of a scan, and its timing

extension AdapterScanner {
  /// Disable, parameters, enable: parameters are refused while a scan is on, and who was killed has left one on.
  func ownScan(_ family: ScanFamily) -> [Step] {
    switch family {
    case .legacy:
      [
        .hci(.leSetScanEnable(false, filterDuplicates: .off)), .hci(.leSetScanParameters(ScanParameters(timing))),
        .hci(.leSetScanEnable(true, filterDuplicates: .off)),
      ]
    case .extended:
      [
        .hci(.leSetExtendedScanEnable(ExtendedScanEnable(false))), .hci(.leSetExtendedScanParameters(extendedTiming)),
        .hci(.leSetExtendedScanEnable(ExtendedScanEnable(true))),
      ]
    }
  }

  /// 60 ms in units of 0.625 ms: what the kernel takes, and no multiple of the 100 ms that beacons like.
  private static let interval: UInt16 = 96

  private var window: UInt16 { max(UInt16(Double(Self.interval) * duty), 4) }

  private var timing: ScanTiming {
    ScanTiming(settings.isActive ? .active : .passive, interval: Self.interval, window: window)
  }

  /// Two PHYs take turns: each has the interval twice as long, so that the windows of both fit.
  private var extendedTiming: ExtendedScanParameters {
    guard settings.scansCoded else { return ExtendedScanParameters(on1M: timing) }
    var timing = timing
    if settings.scans1M { timing.interval *= 2 }
    return ExtendedScanParameters(on1M: settings.scans1M ? timing : nil, onCoded: timing)
  }

  /// For the scan that the kernel owns.
  var kernelTiming: [SystemParameter] {
    [SystemParameter(.monitorScanInterval, Self.interval), SystemParameter(.monitorScanWindow, window)]
  }
}
