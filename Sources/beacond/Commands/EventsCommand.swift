import Daemon
import EventLog
import Linux

enum EventsCommand: Command {
  static let name = "events"
  static let summary = "what the event log has: all, of a time, of a region, or as it comes"
  static let help = """
    Usage: beacond events [OPTION...]

    Writes the events of the log, in the order of their numbers; also while the daemon writes it.

      --config FILE      reads the log that this file says, instead of \(Configuration.standardPath);
                         where that is missing, \(Configuration.Log().folder)
      --folder DIR       reads this log, whatever the configuration says
      --since T          from this time on: 2026-12-01T08:30:00Z (UTC, seconds and Z may be left out), a date, or how
                         long ago, as 90s, 10min, 2h or 3d
      --until T          up to and including this time; of a date, its end
      --after SEQ        those behind this number. A log that ends before it was begun anew, and is read whole
      --cursor FILE      goes on behind the place that this file keeps, and keeps the new one there
      --region ID        of these regions; several are separated by commas, here and below. A name that has a comma in
                         it is found too
      --event NAME       these events, as didEnter,didExit
      --beacon B         about these beacons, or lists that have one: by name, address, or identity, as in
                         74278bda-b644-4520-8f0c-720eaf059935/1/7
      -f, --follow       goes on until a signal, or until the time of --until; waits for a log that is not there yet
      --format json      the lines as they are in the log
      --format text      a line an event for a person; in colour on a terminal, unless NO_COLOR is set
      --format auto      text on a terminal, else json (default)

    The place in --cursor is that of the last event that was written out, or left out by the other options. It is saved
    after that event has gone to standard output: at the end, by a signal too, and with -f every \(placeInterval) s. Whoever is
    killed in between gets the events since then again, and never misses one.

    Events that were removed before they could be read, or are damaged, are a line on standard error.

    Exit codes: 0, 64 usage, 65 the file of --cursor is damaged, 66 no log, or it cannot be read, 74 cannot write,
    78 faults in the configuration.

    """

  /// Seconds between two times that the place is saved: each is a file synced to the disk.
  static let placeInterval: Int64 = 5

  static func run(_ arguments: [String]) throws(CommandFailure) {
    let options = try Options(
      arguments, flags: ["-f", "--follow"],
      values: [
        "--config", "--folder", "--since", "--until", "--after", "--cursor", "--region", "--event", "--beacon",
        "--format",
      ])
    guard options.positional.isEmpty else {
      throw CommandFailure(.usage, "'\(options.positional[0])': the log is given with --folder or --config.")
    }
    guard options.value("--after") == nil || options.value("--cursor") == nil else {
      throw CommandFailure(.usage, "--after and --cursor exclude each other.")
    }
    let after = try options.after
    let span = TimeSpan(since: try options.time("--since"), until: try options.time("--until", isEnd: true))
    let filter = try EventFilter(options, span)
    let format = try options.choice("--format", default: EventFormat.auto)
    let isFollowing = options.has("-f") || options.has("--follow")
    var log = Configuration.Log()
    if let folder = options.value("--folder") {
      log.folder = folder
    } else {
      log = try Configuration.load(options.value("--config")).0.log
    }
    if !isFollowing { try checkIsThere(log.folder) }
    let cursor = options.value("--cursor").map { LogCursor($0) }
    let start: LogStart
    do throws(LogFailure) {
      let place = try cursor?.load() ?? after
      guard let found = try LogStart(log.folder, after: place, span, isFollowing: isFollowing) else { return }
      start = found
    } catch {
      throw CommandFailure(error)
    }
    let signals: SignalQueue
    do throws(SystemError) {
      signals = isFollowing ? try SignalQueue(ignoringPipes: false) : .silent
    } catch {
      throw CommandFailure(.temporary, "\(error)")
    }
    var listing = EventListing(
      log, from: start, filter, EventPrinter(isText: format.isText), cursor, signals: signals)
    try listing.run(isFollowing: isFollowing)
  }

  private static func checkIsThere(_ folder: String) throws(CommandFailure) {
    do throws(SystemError) {
      _ = try Folder(folder)
    } catch {
      throw CommandFailure(.noInput, "\(error)")
    }
  }
}

extension Options {
  fileprivate var after: UInt64? {
    get throws(CommandFailure) {
      guard let text = value("--after") else { return nil }
      guard let number = UInt64(text) else {
        throw CommandFailure(.usage, "--after '\(text)': it is the number of an event, its seq.")
      }
      return number
    }
  }
}
