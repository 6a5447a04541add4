import BluetoothLE
import EventLog
import Linux
import Proximity

/// Keeps a gateway's state beside its log, and finds it again.
package struct StateKeeper: Sendable {
  /// The file's name in the log's folder.
  package static let name = "state"

  private let file: StateFile
  private let log: LogWriter
  private let report: @Sendable (String) -> Void
  /// A state waits for the log to reach the disk.
  private let isSaving = Guarded(false)

  package init(_ file: StateFile, _ log: LogWriter, report: @escaping @Sendable (String) -> Void) {
    self.file = file
    self.log = log
    self.report = report
  }

  /// Whether a state waits still.
  package var isBusy: Bool { isSaving.withLock { $0 } }

  /// Saves a state once the events up to it are on the disk.
  package func save(_ state: SavedState) {
    isSaving.withLock { $0 = true }
    log.afterSync { [file, report, isSaving] in
      isSaving.withLock { $0 = false }
      do throws(SystemError) {
        try file.save(state)
      } catch {
        report("\(file.path): \(error); the next start goes on from an older one and the log")
      }
    }
  }
}

extension StateFile {
  /// The state that a start goes on from, before its log is opened; one that cannot be read is given another name.
  func loadOrSetAside(at time: UnixTime, report: (String) -> Void) -> SavedState? {
    do throws(StateFailure) {
      return try load()
    } catch {
      guard error.isOfContent else {
        report("\(error); what happened before is taken from the log")
        return nil
      }
      do throws(SystemError) {
        report("\(error); it is kept as \(try setAside(at: time)), what happened before is taken from the log")
      } catch let failure {
        report("\(error), and \(failure); what happened before is taken from the log")
      }
      return nil
    }
  }
}
