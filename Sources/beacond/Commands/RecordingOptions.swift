import BluetoothLE
import Daemon
import Glibc
import Linux
import Proximity
import Scanning

/// Where a recording goes, and what of the air goes into it.
struct RecordingOptions {
  /// The options that take a value, beside the one that names the file.
  static let values = ["--max-size"]
  static let flags = ["--force"]

  private let path: String
  private let replaces: Bool
  var settings = Recorder.Settings()

  /// `path` is `-` for standard output.
  init(_ path: String, _ options: Options) throws(CommandFailure) {
    self.path = path
    replaces = options.has("--force")
    if let most = try options.size("--max-size") { settings.mostOctets = most }
  }

  var isStandardOutput: Bool { path == "-" }

  /// What to call it.
  var name: String { isStandardOutput ? "standard output" : path }

  /// Nothing is there to be lost: an empty file, as a run that ended before it began leaves, or no file but a device or pipe.
  private var isEmpty: Bool {
    var status = stat()
    return stat(path, &status) == 0 && (status.st_mode & S_IFMT != S_IFREG || status.st_size == 0)
  }

  func open() throws(CommandFailure) -> Recorder {
    if isStandardOutput {
      if FileDescriptor.standardOutput.isTerminal {
        throw CommandFailure(.usage, "a recording is no text for a terminal; name a file, or redirect it.")
      }
      return Recorder(.standardOutput, settings)
    }
    do throws(SystemError) {
      return Recorder(try FileDescriptor(creating: path, replacing: replaces || isEmpty), settings)
    } catch {
      guard error.number != EEXIST else {
        throw CommandFailure(
          .cannotCreate, "\(path) is there already and not empty; name another file, or replace it with --force.")
      }
      throw CommandFailure(.cannotCreate, "\(path): \(error)")
    }
  }
}

extension Recorder {
  /// Begins when the clocks read so.
  func begin(at moment: Moment) {
    begin(
      at: Instant(nanoseconds: moment.sinceBoot), offset: moment.offset, isClockSynchronized: moment.isSynchronized)
  }
}
