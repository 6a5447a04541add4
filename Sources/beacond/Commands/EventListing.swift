import Daemon
import EventLog
import Linux
import Proximity

/// Where in a log to begin.
struct LogStart {
  /// The number of the first event to read; 0 for the oldest.
  let sequence: UInt64
  /// From this number on, an event later than the span's end ends it. Before, earlier ones follow: the clock was set.
  let tail: UInt64

  /// Behind the event `after`, of the events of a span; nil where there is nothing to read, and nothing to wait for.
  init?(_ folder: String, after: UInt64?, _ span: TimeSpan, isFollowing: Bool) throws(LogFailure) {
    let behind = after.map { $0 == .max ? $0 : $0 + 1 } ?? 0
    guard span.isBounded else {
      (sequence, tail) = (behind, 0)
      return
    }
    // Looked at first: what comes between the two looks is found by the other.
    let last = try LogSearch(folder).parts.last?.number
    let found = try LogSearch(folder, since: span.since, until: span.until)
    guard let first = try found.firstSequence() ?? (isFollowing ? last ?? 0 : nil) else { return nil }
    sequence = max(first, behind)
    // Within a segment times do not fall, so that what is late in the last one found is behind all of them.
    tail = found.parts.last?.number ?? last ?? 0
  }
}

/// Writes the events of a log that a person asked for.
struct EventListing: ~Copyable {
  /// Items between two looks at the output.
  private static let batch = 1000

  private let reader: LogReader
  /// End it in order, so that the place is kept.
  private let signals: SignalQueue
  private var filter: EventFilter
  private var printer: EventPrinter
  private var output = OutputBuffer(.standardOutput)
  private var place: ReadingPlace
  /// As in `LogStart`.
  private var tail: UInt64
  /// Nanoseconds that an event may need from its time to its reader.
  private let delay: Int64
  /// An event came that is behind the span.
  private var isOver = false

  init(
    _ log: Configuration.Log, from start: LogStart, _ filter: EventFilter, _ printer: EventPrinter,
    _ cursor: LogCursor?,
    signals: consuming SignalQueue
  ) {
    reader = LogReader(log.folder, from: start.sequence)
    self.signals = signals
    self.filter = filter
    self.printer = printer
    place = ReadingPlace(cursor)
    tail = start.tail
    delay = log.sync.nanoseconds + 1_000_000_000
  }

  /// Writes what there is, and with `isFollowing` what comes, to the end of the span.
  mutating func run(isFollowing: Bool) throws(CommandFailure) {
    var failure: CommandFailure?
    do throws(CommandFailure) {
      while !isOver {
        // Looked at before reading: what came in time is still read.
        let isPast = remaining <= 0
        let count = try read()
        try output.check()
        try place.save(ifDueAt: BootClock.now)
        if signals.next() != nil { break }
        guard count < Self.batch else { continue }
        if !isFollowing || isPast { break }
        if !isOver { wait() }
      }
    } catch {
      failure = error
    }
    // What was written before it failed is still dealt with.
    try output.check()
    try place.save()
    if let failure { throw failure }
  }

  /// Nanoseconds until every event of the span is there.
  private var remaining: Int64 {
    guard let until = filter.span.until else { return .max }
    let (rest, overflow) = until.nanoseconds.subtractingReportingOverflow(WallClock.now)
    if overflow { return until.nanoseconds < 0 ? .min : .max }
    return rest.addingReportingOverflow(delay).overflow ? .max : rest + delay
  }

  private mutating func read() throws(CommandFailure) -> Int {
    do throws(LogFailure) {
      return try reader.readAvailable(atMost: Self.batch) { take($0) }
    } catch {
      throw CommandFailure(error)
    }
  }

  private mutating func take(_ item: LogItem) {
    guard !isOver else { return }
    switch item {
    case .line(let line):
      if line.sequence >= tail, filter.span.isAfterEnd(line.time) {
        isOver = true
        return
      }
      if filter.passes(line) { printer.print(line, to: &output) }
      place.sequence = line.sequence
    case .missing(let numbers):
      let (first, last) = (numbers.lowerBound, numbers.upperBound)
      say(
        first == last
          ? "event \(first) is missing: removed, or damaged"
          : "events \(first) to \(last) are missing: removed, or damaged")
      place.sequence = last
    case .restarted(let first):
      say("the log was begun anew; it is read from event \(first) on")
      place.sequence = first == 0 ? 0 : first - 1
      tail = 0
    }
  }

  /// Tells a person, in its place among the events.
  private mutating func say(_ text: String) {
    output.flush()
    try? FileDescriptor.standardError.write("beacond \(EventsCommand.name): \(text)\n")
  }

  /// Waits for more. At most a minute, as the clock may be set meanwhile.
  private func wait() {
    let now = BootClock.now
    let end = now + min(max(remaining, 0), 60_000_000_000)
    reader.wait(until: min(end, place.due ?? end), or: signals.number)
  }
}

/// The number of the last event that was dealt with, kept in a file where one is named.
private struct ReadingPlace {
  private let cursor: LogCursor?
  private var saved: UInt64?
  private var lastSave = Int64.min
  var sequence: UInt64?

  init(_ cursor: LogCursor?) {
    self.cursor = cursor
  }

  /// When it is to be saved, by the boot clock; nil where it is.
  var due: Int64? {
    guard cursor != nil, sequence != saved else { return nil }
    return lastSave.addingReportingOverflow(EventsCommand.placeInterval * 1_000_000_000).partialValue
  }

  mutating func save(ifDueAt now: Int64) throws(CommandFailure) {
    guard let due, due <= now else { return }
    lastSave = now
    try save()
  }

  mutating func save() throws(CommandFailure) {
    guard let cursor, let sequence, sequence != saved else { return }
    do throws(LogFailure) {
      try cursor.save(sequence)
    } catch {
      throw CommandFailure(.cannotWrite, "--cursor: \(error)")
    }
    saved = sequence
  }
}

/// Writes lines of the log, as they are or as text.
struct EventPrinter {
  private let isText: Bool
  private let text = EventText(isColored: FileDescriptor.standardOutput.showsColor)
  private var reader = EventReader()
  private var events = EventBatch()

  init(isText: Bool) {
    self.isText = isText
  }

  mutating func print(_ line: LogLine, to output: inout OutputBuffer) {
    guard isText else {
      line.octets.withUnsafeBytes { output.put($0) }
      return output.endLine()
    }
    guard reader.read(line, into: &events), let event = events.events.first else {
      return text.put(unread: line, into: &output)
    }
    text.put(event, of: events, into: &output)
    events.removeAll()
  }
}

extension CommandFailure {
  /// Why the log cannot be read.
  init(_ failure: LogFailure) {
    if case .damaged = failure {
      self.init(.badData, "\(failure)")
    } else {
      self.init(.noInput, "\(failure)")
    }
  }
}
