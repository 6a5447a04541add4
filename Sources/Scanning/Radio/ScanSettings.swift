import BluetoothLE

/// How to scan.
package struct ScanSettings: Hashable, Sendable {
  /// The share of time in which the receiver listens.
  package enum Duty: Hashable, Sendable {
    /// As much as the adapter's place allows; see `share(sharesAntenna:)`.
    case automatic
    /// 0.1 to 1.
    case share(Double)
  }

  /// Asks scannable advertisers for their scan response.
  package var isActive = false
  package var duty = Duty.automatic
  package var scans1M = true
  package var scansCoded = false
  /// The user channel: no other program uses the adapter, bluetoothd included.
  package var isExclusive = false
  /// An adapter that is down is powered up.
  package var powersOn = true
  /// A soft block by rfkill is lifted.
  package var unblocksRFKill = false
  /// Nanoseconds in which packets gather before somebody wakes for them.
  package var wakeInterval: Int64 = 50_000_000
  /// The adapters to scan with, by their addresses; nil for all there are.
  package var adapters: [DeviceAddress]?

  package init() {}
}
