import BluetoothLE
import EventLog
import Linux

/// The clocks that a daemon reads.
package struct SystemClocks: Sendable {
  /// All of them at once.
  package var moment: @Sendable () -> Moment
  package var log: LogClock

  package init(moment: @escaping @Sendable () -> Moment, log: LogClock) {
    self.moment = moment
    self.log = log
  }

  package static let real = SystemClocks(
    moment: {
      Moment(
        utc: UnixTime(nanoseconds: WallClock.now), isSynchronized: WallClock.isSynchronized, boot: Host.boot,
        sinceBoot: BootClock.now)
    }, log: .system)
}
