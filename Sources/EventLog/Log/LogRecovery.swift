import BluetoothLE
import Linux

/// The log's folder as its writer holds it: locked, and whole again after whatever ended the last writer.
final class OpenLog {
  let folder: Folder
  private let lock: FileLock
  /// The segments before the one that is written, the oldest first.
  var whole: [WholeSegment] = []
  var open: OpenSegment?
  /// The number of the next event: beyond every one that the folder has, or had.
  var next: UInt64
  /// What was found that should not be, for a person.
  private(set) var notes: [String] = []

  /// Opens the folder, made where it is missing, takes the lock, and cuts what a power cut left of the last lines.
  ///
  /// Only the last segment is looked through: every one before it was synced before the next began. No event's number
  /// will be below `sequence`.
  static func open(_ path: String, from sequence: UInt64, on disk: any LogDisk) throws(LogFailure) -> OpenLog {
    let holder: Int32?
    do throws(SystemError) {
      let folder = try Folder(making: path, mode: 0o750)
      if let lock = try FileLock(SegmentName.lock, in: folder) {
        let log = OpenLog(folder, lock, next: sequence)
        try log.recover(on: disk)
        return log
      }
      holder = FileLock.holder(SegmentName.lock, in: folder)
    } catch {
      throw .system(error)
    }
    throw .locked(folder: path, process: holder)
  }

  private init(_ folder: consuming Folder, _ lock: consuming FileLock, next: UInt64) {
    self.folder = folder
    self.lock = lock
    self.next = max(next, 1)
  }

  private func recover(on disk: any LogDisk) throws(SystemError) {
    var numbers = try SegmentName.all(in: folder)
    while let number = numbers.last {
      let found = try recoverLast(number, on: disk)
      // Of an empty segment the name still says which numbers were given; where it is the only one, it goes on doing so.
      next = max(next, number)
      if let last = found.last { next = max(next, last.sequence + 1) }
      if found.size > 0 || numbers.count == 1 {
        open = found
        break
      }
      try disk.remove(SegmentName.text(number), in: folder)
      try disk.synchronize(folder)
      numbers.removeLast()
    }
    noteGaps(numbers)
  }

  /// Cuts the last segment from the first line on that is not what the writer wrote there.
  private func recoverLast(_ number: UInt64, on disk: any LogDisk) throws(SystemError) -> OpenSegment {
    let file = try folder.open(SegmentName.text(number), isWritten: true)
    let size = file.fileSize ?? 0
    let ends = try SegmentEnds(file, size: size)
    if let first = ends.first, first.sequence != number {
      // Nothing tears a line into another number: somebody renamed the file, which is theirs to undo.
      return OpenSegment(file, number: number, size: size, first: first, last: ends.last)
    }
    var first: LineStamp?
    var last: LineStamp?
    var lines = LineBuffer()
    var good: Int64 = 0
    while true {
      guard let octets = lines.nextLine() else {
        if try lines.refill(from: file) { continue }
        break
      }
      guard let line = LogLine(octets), line.sequence == last.map({ $0.sequence + 1 }) ?? number,
        line.json?.isObject == true
      else { break }
      last = LineStamp(line)
      if first == nil { first = last }
      good = lines.offset
    }
    if good < size {
      try disk.truncate(file, to: good)
      try disk.synchronize(file)
      let place = last.map { "after event \($0.sequence)" } ?? "where event \(number) should be"
      notes.append("cut \(size - good) octets of torn lines \(place)")
    }
    return OpenSegment(file, number: number, size: good, first: first, last: last)
  }

  /// Looks at the ends of the segments, and says what is missing between them; nothing is done about it.
  private func noteGaps(_ numbers: [UInt64]) {
    var expected: UInt64?
    for number in numbers {
      let name = SegmentName.text(number)
      let (first, last) = ends(number, name)
      if let first, first != number { notes.append("\(name) begins with event \(first)") }
      if let expected, number > expected {
        notes.append("events \(expected) to \(number - 1) are missing")
      } else if let expected, number < expected {
        notes.append("events \(number) to \(expected - 1) are there twice")
      }
      expected = last.map { $0 + 1 }
      if let expected { next = max(next, expected) }
    }
  }

  /// The numbers of a segment's first and last line; of one before the open one also takes note.
  private func ends(_ number: UInt64, _ name: String) -> (first: UInt64?, last: UInt64?) {
    if let open, open.number == number { return (open.first?.sequence, open.last?.sequence) }
    // A function of its own that throws: Swift 6.0.3 crashes when it optimizes this as one.
    let read = Result { () throws(SystemError) in try self.segment(name) }
    switch read {
    case .success(let read):
      whole.append(WholeSegment(number: number, size: read.size, first: read.ends.first))
      return (read.ends.first?.sequence, read.ends.last?.sequence)
    case .failure(let error):
      notes.append("\(name): \(error)")
      whole.append(WholeSegment(number: number, size: 0, first: nil))
      return (nil, nil)
    }
  }

  private func segment(_ name: String) throws(SystemError) -> (size: Int64, ends: SegmentEnds) {
    let file = try folder.open(name)
    let size = file.fileSize ?? 0
    return (size, try SegmentEnds(file, size: size))
  }
}
