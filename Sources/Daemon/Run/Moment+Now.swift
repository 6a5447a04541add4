import BluetoothLE
import Linux

extension Moment {
  /// What the machine's clocks read, in whole microseconds: a recording holds no parts of them.
  @Sendable package static func now() -> Moment {
    Moment(
      utc: UnixTime(nanoseconds: cut(WallClock.now)), isSynchronized: WallClock.isSynchronized, boot: Host.boot,
      sinceBoot: cut(BootClock.now))
  }

  private static func cut(_ nanoseconds: Int64) -> Int64 { nanoseconds - nanoseconds % 1000 }
}
