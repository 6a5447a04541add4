import BluetoothLE
import Linux

/// What a reader of the log is given.
package enum LogItem {
  /// Valid for the call.
  case line(LogLine)
  /// Events that went before they were read, or cannot be read.
  case missing(ClosedRange<UInt64>)
  /// The log ends before what the reader had: somebody deleted or restored it. What it holds now is read from its first
  /// event on, which is this one.
  case restarted(UInt64)
}

/// Reads the log while it is written, event by event, across its segments.
///
/// It writes nothing and blocks nobody, and gives out only what a power cut cannot take back. A folder that is not there
/// yet is an empty log.
package final class LogReader {
  /// The number of the event that is read next; 0 where the oldest that there is will be.
  package private(set) var next: UInt64
  private let path: String
  private let watch = FolderWatch()
  private var isWatched = false
  private var segment: ReadSegment?
  private var lines = LineBuffer()

  /// Reads from the event with this number on, or from the oldest.
  package init(_ path: String, from sequence: UInt64 = 0) {
    self.path = path
    next = sequence
  }

  /// Gives `body` what there is, at most `limit` items; says how many it was. After a failure the next call goes on.
  @discardableResult
  package func readAvailable(atMost limit: Int = .max, _ body: (LogItem) -> Void) throws(LogFailure) -> Int {
    // Before it is looked at, so that nothing comes unseen between the last look and the wait.
    isWatched = watch.watch(path)
    var count = 0
    do throws(SystemError) {
      while count < limit {
        if segment == nil { segment = try openSegment() }
        guard let segment else { break }
        try segment.secure(upTo: lines.endOffset)
        if let octets = lines.nextLine() {
          if let line = LogLine(octets) { count += give(line, from: segment, body) }
        } else if try !lines.refill(from: segment.file) {
          guard try goOn(from: segment, &count, body) else { break }
        }
      }
    } catch {
      throw .system(error)
    }
    return count
  }

  /// Waits until something may have come, or the boot clock reads `deadline`, or `other`, the number of a descriptor, can
  /// be read.
  package func wait(until deadline: Int64, or other: Int32 = -1) {
    // Where nothing can be watched, as a folder that is not there, a look each second has to do.
    let second = BootClock.now + 1_000_000_000
    _ = Wakeup.poll([isWatched ? watch.number : -1, other], until: isWatched ? deadline : min(deadline, second))
    watch.take()
  }

  private func give(_ line: LogLine, from segment: ReadSegment, _ body: (LogItem) -> Void) -> Int {
    segment.last = line.sequence
    guard line.sequence >= next else { return 0 }
    let gap = next > 0 && line.sequence > next ? next...line.sequence - 1 : nil
    next = line.sequence + 1
    if let gap { body(.missing(gap)) }
    body(.line(line))
    return gap == nil ? 1 : 2
  }

  /// At the end of what the segment has: whether there is more to read elsewhere.
  private func goOn(
    from segment: ReadSegment, _ count: inout Int, _ body: (LogItem) -> Void
  ) throws(SystemError) -> Bool {
    // What comes is synced even where it stands in the place of what a writer cut.
    segment.secured = min(segment.secured, lines.offset)
    let numbers = try segmentNumbers()
    if let following = numbers.first(where: { $0 > segment.number }) {
      // When the next one is there, this one is complete: but perhaps it was not yet when it was read.
      if segment.isComplete { _ = try open(following) }
      segment.isComplete = true
      return true
    }
    guard let first = numbers.first else {
      // While it is open, the kernel does not tell that the folder is removed.
      self.segment = nil
      return false
    }
    if segment.file.identity != FileIdentity(path: "\(path)/\(SegmentName.text(segment.number))") {
      // Another folder is there now, or another file.
      self.segment = nil
      return true
    }
    let end = segment.last.map { $0 + 1 } ?? segment.number
    guard next > end else { return false }
    next = first
    self.segment = nil
    body(.restarted(first))
    count += 1
    return true
  }

  /// Opens the segment that holds the next event; nil while there is none.
  private func openSegment() throws(SystemError) -> ReadSegment? {
    let numbers = try segmentNumbers()
    guard let number = numbers.last(where: { $0 <= next }) ?? numbers.first else { return nil }
    return try open(number)
  }

  /// Opens a segment; nil where it has gone since somebody looked: the next look finds others.
  private func open(_ number: UInt64) throws(SystemError) -> ReadSegment? {
    segment = nil
    do throws(SystemError) {
      segment = ReadSegment(try Folder(path).open(SegmentName.text(number)), number: number)
    } catch {
      guard error.isNoSuchFile else { throw error }
    }
    lines.move(to: 0)
    return segment
  }

  private func segmentNumbers() throws(SystemError) -> [UInt64] {
    do throws(SystemError) {
      return try SegmentName.all(in: Folder(path))
    } catch {
      guard error.isNoSuchFile else { throw error }
      return []
    }
  }
}

/// A segment as it is read.
private final class ReadSegment {
  let file: FileDescriptor
  let number: UInt64
  /// The number of the last line that was read.
  var last: UInt64?
  /// Whether nothing can be appended any more.
  var isComplete = false
  /// Up to here it is on the disk.
  var secured: Int64 = 0

  init(_ file: consuming FileDescriptor, number: UInt64) {
    self.file = file
    self.number = number
  }

  /// Returns when the octets up to `offset` are on the disk.
  ///
  /// The writer syncs what must last at once and lets the kernel write the rest in its own time, which spares the disk.
  /// Whoever hands an event on syncs it first: or a power cut could take it back, and its number be given again.
  func secure(upTo offset: Int64) throws(SystemError) {
    guard offset > secured else { return }
    let size = file.fileSize ?? offset
    do throws(SystemError) {
      try file.synchronize()
    } catch {
      // What is read only cannot change.
      guard error.isReadOnly else { throw error }
    }
    secured = size
  }
}
