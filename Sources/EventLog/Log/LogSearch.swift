import BluetoothLE
import Linux

/// Finds the events of a time without reading those of others.
package struct LogSearch {
  /// A part of a segment, from the beginning of one line to the end of another.
  package struct Part: Hashable, Sendable {
    /// The number in the segment's name.
    package let number: UInt64
    package let offsets: Range<Int64>
  }

  private let path: String
  /// What holds the events, the oldest segment first.
  package private(set) var parts: [Part] = []

  /// Searches the log in a folder for the events from `since` up to and including `until`; a folder that is not there has
  /// none.
  ///
  /// Within a segment times never fall, so that each is searched by halves. From one to the next they may: the clock was
  /// set.
  package init(_ path: String, since: UnixTime? = nil, until: UnixTime? = nil) throws(LogFailure) {
    self.path = path
    do throws(SystemError) {
      let folder = try Folder(path)
      var lines = LineBuffer()
      for number in try SegmentName.all(in: folder) {
        let range = try Self.range(number, in: folder, since, until, &lines)
        if let range, !range.isEmpty { parts.append(Part(number: number, offsets: range)) }
      }
    } catch {
      guard error.isNoSuchFile else { throw .system(error) }
    }
  }

  /// The octets of the lines that it found.
  package var size: Int64 { parts.reduce(0) { $0 + Int64($1.offsets.count) } }

  /// Calls `body` with each line that it found, until that gives false. A segment that went meanwhile has none.
  package func forEachLine(_ body: (LogLine) -> Bool) throws(LogFailure) {
    var lines = LineBuffer()
    for part in parts {
      do throws(SystemError) {
        let file = try Folder(path).open(SegmentName.text(part.number))
        lines.move(to: part.offsets.lowerBound)
        while lines.offset < part.offsets.upperBound {
          if let octets = lines.nextLine() {
            if let line = LogLine(octets), !body(line) { return }
          } else if try !lines.refill(from: file) {
            break
          }
        }
      } catch {
        guard error.isNoSuchFile else { throw .system(error) }
      }
    }
  }

  /// The number of the first event that it found.
  package func firstSequence() throws(LogFailure) -> UInt64? {
    var first: UInt64?
    try forEachLine { line in
      first = line.sequence
      return false
    }
    return first
  }

  private static func range(
    _ number: UInt64, in folder: borrowing Folder, _ since: UnixTime?, _ until: UnixTime?, _ lines: inout LineBuffer
  ) throws(SystemError) -> Range<Int64>? {
    let file: FileDescriptor
    do throws(SystemError) {
      file = try folder.open(SegmentName.text(number))
    } catch {
      // The oldest may go between the look and the opening.
      guard error.isNoSuchFile else { throw error }
      return nil
    }
    let size = file.fileSize ?? 0
    let ends = try SegmentEnds(file, size: size)
    guard let first = ends.first, let last = ends.last else { return nil }
    if let since, last.time < since { return nil }
    if let until, first.time > until { return nil }
    var start: Int64 = 0
    var end = size
    if let since, first.time < since { start = try lines.place(in: file, size: size) { $0 >= since } }
    if let until, last.time > until { end = try lines.place(in: file, size: size) { $0 > until } }
    return start < end ? start..<end : nil
  }
}

extension LineBuffer {
  /// Where the first line begins whose time is one of those that `isLate` holds for, as it does for all later ones.
  fileprivate mutating func place(
    in file: borrowing FileDescriptor, size: Int64, _ isLate: (UnixTime) -> Bool
  ) throws(SystemError) -> Int64 {
    // Lines that begin before `low` are early, the one that begins at `high` or behind is late.
    var low: Int64 = 0
    var high = size
    while high - low > 64 << 10 {
      let middle = low + (high - low) / 2
      move(to: middle)
      // Most likely that is within a line; the next one is whole.
      guard try skipLine(in: file), let (time, _) = try nextTime(in: file, before: high) else {
        high = middle
        continue
      }
      if isLate(time) { high = middle } else { low = offset }
    }
    move(to: low)
    while let (time, start) = try nextTime(in: file, before: size) {
      if isLate(time) { return start }
    }
    return size
  }

  private mutating func skipLine(in file: borrowing FileDescriptor) throws(SystemError) -> Bool {
    while nextLine() == nil {
      guard try refill(from: file) else { return false }
    }
    return true
  }

  /// The time of the next line that begins before `limit`, and where it begins.
  private mutating func nextTime(
    in file: borrowing FileDescriptor, before limit: Int64
  ) throws(SystemError) -> (time: UnixTime, start: Int64)? {
    while offset < limit {
      let start = offset
      if let octets = nextLine() {
        if let line = LogLine(octets) { return (line.time, start) }
      } else if try !refill(from: file) {
        return nil
      }
    }
    return nil
  }
}
