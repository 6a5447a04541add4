import BluetoothLE
import Linux

/// The log on disk, as its one writer sees it: groups of lines go in, segments come out and go.
///
/// It has no thread of its own, and knows the time of day from the lines. What fails changes nothing that could not be tried again: a group says how far
/// it got, and goes on there.
package final class LogStore {
  private let path: String
  package var settings: LogSettings
  /// Nanoseconds since boot.
  let bootClock: @Sendable () -> Int64
  let disk: any LogDisk
  /// Nil while the folder is gone.
  var log: OpenLog?
  /// The newest line, and what the clock since boot read when it was written: of both together the time of day is known,
  /// and never that of a step that nobody has told of yet.
  var newest: (line: LineStamp, sinceBoot: Int64)?
  /// Steps of the wall clock forward while this process wrote, each with the number of the next event then.
  var steps: [(before: UInt64, nanoseconds: Int64)] = []
  /// A segment that is to be made anew, should it still be there.
  private var abandoned: UInt64?
  /// The number of the last event that is on the disk for certain; one less than the next one at the start.
  package private(set) var synced: UInt64
  private var notes: [String]

  /// Opens the log in a folder, which is made where it is missing. No event's number will be below `sequence`.
  package init(
    _ path: String, _ settings: LogSettings, from sequence: UInt64 = 1,
    bootClock: @escaping @Sendable () -> Int64 = { BootClock.now }, disk: any LogDisk = LinuxDisk()
  ) throws(LogFailure) {
    let log = try OpenLog.open(path, from: sequence, on: disk)
    self.path = path
    self.settings = settings
    self.bootClock = bootClock
    self.disk = disk
    self.log = log
    notes = log.notes
    next = log.next
    synced = log.next - 1
  }

  /// The number that the next event must have.
  package private(set) var next: UInt64

  /// What was found that should not be, for a person; each is told once.
  package func takeNotes() -> [String] {
    defer { notes = [] }
    return notes
  }

  /// Writes what is left of a group, and syncs it where it is to be durable; after a failure it is called again with it.
  package func write(_ group: inout LogGroup) throws(LogFailure) {
    let log = try ready(&group)
    do throws(SystemError) {
      while group.written < group.octets.count {
        if group.written == group.planned { try plan(&group, log) }
        guard let segment = log.open else { break }
        try writePlanned(&group, segment)
      }
      if group.isDurable { try synchronize(&group, log) }
    } catch {
      throw .system(error)
    }
  }

  private func writePlanned(_ group: inout LogGroup, _ segment: OpenSegment) throws(SystemError) {
    let count = try group.withPlanned { octets throws(SystemError) in
      try disk.write(octets, to: segment.file, at: segment.size)
    }
    group.written += count
    segment.size += Int64(count)
  }

  /// Says which octets go to the segment that is open, or ends it and begins the one that the next line starts.
  private func plan(_ group: inout LogGroup, _ log: OpenLog) throws(SystemError) {
    let sinceBoot = bootClock()
    while let (line, length) = group.nextLine() {
      newest = (line, sinceBoot)
      if let segment = log.open {
        if segment.takes(line, length: length, limit: settings.segmentSize) {
          segment.plan(line, length: length)
          group.planned += length
          next = line.sequence + 1
          continue
        }
        // What is planned for this one is written first.
        if group.planned > group.written { return }
        try synchronize(&group, log)
        log.whole.append(segment.whole(size: segment.size))
        log.open = nil
      }
      try begin(line.sequence, log)
    }
  }

  private func begin(_ number: UInt64, _ log: OpenLog) throws(SystemError) {
    try removeOld(from: log, makingRoom: settings.segmentSize)
    let name = SegmentName.text(number)
    if abandoned == number {
      try? disk.remove(name, in: log.folder)
      abandoned = nil
    }
    let file = try disk.make(name, in: log.folder)
    do throws(SystemError) {
      // Before its first octet, or a synced event could be in a file that no folder names.
      try disk.synchronize(log.folder)
    } catch {
      abandoned = number
      throw error
    }
    log.open = OpenSegment(file, number: number)
  }

  /// Returns when everything written is on the disk.
  ///
  /// After a failed sync nobody knows which octets the disk has: the kernel may have dropped the pages, or marks them
  /// clean though they never arrived, and a second sync then says that all is well. So nothing is built on that file any
  /// more: what is still in memory is cut from it and goes, once more, into a new segment. Lists written earlier, which
  /// nobody was promised, are left as they are.
  private func synchronize(_ group: inout LogGroup, _ log: OpenLog) throws(SystemError) {
    if let segment = log.open {
      do throws(SystemError) {
        try disk.synchronize(segment.file)
      } catch {
        abandon(segment, &group, log)
        throw error
      }
    }
    group.secured = group.written
    synced = next - 1
  }

  private func abandon(_ segment: OpenSegment, _ group: inout LogGroup, _ log: OpenLog) {
    let kept = segment.size - Int64(group.written - group.secured)
    if kept == 0 {
      abandoned = segment.number
      try? disk.remove(SegmentName.text(segment.number), in: log.folder)
    } else {
      try? disk.truncate(segment.file, to: kept)
      log.whole.append(segment.whole(size: kept))
    }
    log.open = nil
    group.rewind(to: group.secured)
  }

  /// The log, opened anew where its folder has gone.
  private func ready(_ group: inout LogGroup) throws(LogFailure) -> OpenLog {
    if let log {
      guard FileIdentity(path: path) == log.folder.identity else {
        self.log = nil
        group.rewind(to: 0)
        throw .gone(folder: path)
      }
      if let segment = log.open, segment.file.isUnlinked {
        log.open = nil
        group.rewind(to: group.secured)
      }
      return log
    }
    let opened = try OpenLog.open(path, from: 1, on: disk)
    let first = group.nextLine()?.stamp.sequence ?? next
    guard opened.next <= first else { throw .ahead(folder: path, sequence: opened.next - 1) }
    notes += opened.notes
    log = opened
    return opened
  }
}
