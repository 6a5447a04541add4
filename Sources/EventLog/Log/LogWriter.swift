import BluetoothLE
import Linux

/// Writes the event log on a thread of its own, so that a slow disk holds up nobody.
///
/// Who appends asks first whether there is room, then numbers the event, then appends its line. One thread at a time does
/// that; everything else may be called from any.
package final class LogWriter: Sendable {
  /// What to do with events that come faster than the disk takes them.
  package enum WhenFull: Sendable {
    /// Refuse them, lists first: who scans does not wait.
    case refuse
    /// Let who appends wait, as a replay at full speed can.
    case wait
  }

  private let core: LogThread
  private let whenFull: WhenFull
  /// The number that the first event appended must have.
  package let next: UInt64

  /// Opens the log in a folder and starts its thread. `report` is told, on that thread or this one, what a person should
  /// know: what was found at the start, when writing fails, and when it goes on.
  package init(
    _ path: String, _ settings: LogSettings, from sequence: UInt64 = 1, whenFull: WhenFull = .refuse,
    disk: any LogDisk = LinuxDisk(), report: @escaping @Sendable (String) -> Void
  ) throws(LogFailure) {
    let store = try LogStore(path, settings, from: sequence, disk: disk)
    for note in store.takeNotes() { report("event log: \(note)") }
    let next = store.next
    do throws(SystemError) {
      let core = try LogThread(store, next: next, sync: settings.sync, report: report)
      try Thread.detach("event log") { core.run() }
      self.core = core
    } catch {
      throw .system(error)
    }
    self.next = next
    self.whenFull = whenFull
  }

  deinit { core.end(by: 0) }

  /// Whether one more event is taken; one that is not is counted as lost. To be asked before the event has its number.
  package func admits(isDurable: Bool) -> Bool {
    whenFull == .wait || core.admits(isDurable: isDurable)
  }

  /// Takes lines in, each with its end and numbered on from `next`.
  package func append(lines: UnsafeRawBufferPointer) {
    if whenFull == .wait { core.waitForRoom() }
    core.append(lines)
  }

  /// Runs `body` on the log's thread once everything appended so far is on the disk; never, where that never comes.
  package func afterSync(_ body: @escaping @Sendable () -> Void) {
    core.afterSync(body)
  }

  /// The number of the last event that is on the disk for certain.
  package var synced: UInt64 { core.synced }

  /// Takes note that the wall clock was set by so many nanoseconds.
  package func clockStepped(by nanoseconds: Int64) {
    core.clockStepped(by: nanoseconds)
  }

  /// Takes over other caps and another time to the disk.
  package func apply(_ settings: LogSettings) {
    core.apply(settings)
  }

  /// Writes what waits, lets the folder go, and ends the thread; says whether everything is on the disk. After `limit` it
  /// gives up, and the thread ends when the disk lets it.
  @discardableResult
  package func close(within limit: Duration) -> Bool {
    let deadline = BootClock.now + min(limit, .seconds(3600)).nanoseconds
    core.end(by: deadline)
    return core.waitForEnd(until: deadline)
  }
}
