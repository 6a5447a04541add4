import BluetoothLE
import Linux

extension Moment {
  /// What the machine's clocks read.
  @Sendable package static func now() -> Moment {
    Moment(
      utc: UnixTime(nanoseconds: WallClock.now), isSynchronized: WallClock.isSynchronized, boot: Host.boot,
      sinceBoot: BootClock.now)
  }
}
