import BluetoothLE
import Linux

/// The names of the log's files.
enum SegmentName {
  static let lock = "lock"
  private static let suffix = ".jsonl"

  /// The name of the segment whose first event has this number: twenty digits, so that names sort as numbers do.
  static func text(_ first: UInt64) -> String {
    let digits = String(first)
    return String(repeating: "0", count: 20 - digits.count) + digits + suffix
  }

  /// The number that a name stands for; nil for a file that is no segment.
  static func first(_ name: String) -> UInt64? {
    guard name.utf8.count == 20 + suffix.utf8.count, name.hasSuffix(suffix),
      name.utf8.prefix(20).allSatisfy({ decimalDigit($0) != nil })
    else { return nil }
    return UInt64(name.prefix(20))
  }

  /// The numbers of all segments in a folder, in order.
  static func all(in folder: borrowing Folder) throws(SystemError) -> [UInt64] {
    try folder.names().compactMap(first).sorted()
  }
}

/// What the beginning of a line says, to be kept.
struct LineStamp: Hashable, Sendable {
  let sequence: UInt64
  let time: UnixTime
  let isSynchronized: Bool

  init(_ line: LogLine) {
    sequence = line.sequence
    time = line.time
    isSynchronized = line.isSynchronized
  }
}

/// The first and the last line of a segment, each read by itself.
struct SegmentEnds {
  /// Nil where the segment does not begin with a line of the log.
  let first: LineStamp?
  /// Nil where no whole line of the log is at the end; a torn one behind it is not looked at.
  let last: LineStamp?

  init(_ file: borrowing FileDescriptor, size: Int64) throws(SystemError) {
    // Most lines are shorter; a first line's beginning will do.
    var piece = 4 << 10
    first = try Self.read(file, 0, min(Int64(piece), size)).withUnsafeBytes { LogLine(Octets($0)).map(LineStamp.init) }
    while true {
      let start = max(0, size - Int64(piece))
      let octets = try Self.read(file, start, size - start)
      if let line = Self.lastLine(octets, isWhole: start == 0) {
        last = octets[line].withUnsafeBytes { LogLine(Octets($0)).map(LineStamp.init) }
        return
      }
      guard start > 0, piece < 2 * LineBuffer.longestLine else { break }
      piece *= 4
    }
    last = nil
  }

  /// Where the last line is that ends; nil where its beginning is not there. With `isWhole` the octets begin with a line.
  private static func lastLine(_ octets: [UInt8], isWhole: Bool) -> Range<Int>? {
    let newline = UInt8(ascii: "\n")
    guard let end = octets.lastIndex(of: newline) else { return nil }
    guard let before = octets[..<end].lastIndex(of: newline) else { return isWhole ? 0..<end : nil }
    return before + 1..<end
  }

  private static func read(
    _ file: borrowing FileDescriptor, _ offset: Int64, _ count: Int64
  ) throws(SystemError) -> [UInt8] {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(count), alignment: 1)
    defer { memory.deallocate() }
    var filled = 0
    while filled < memory.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: memory[filled...])
      let part = try file.read(into: rest, at: offset + Int64(filled))
      if part == 0 { break }
      filled += part
    }
    return Array(memory[..<filled])
  }
}

/// A segment that is whole, as the caps see it.
struct WholeSegment {
  let number: UInt64
  let size: Int64
  /// Its first line.
  let first: LineStamp?
}

/// The segment that is written.
final class OpenSegment {
  let file: FileDescriptor
  /// The number in its name.
  let number: UInt64
  /// Octets that it has.
  var size: Int64
  /// Octets that it will have once what is planned for it is written.
  private(set) var planned: Int64
  private(set) var first: LineStamp?
  private(set) var last: LineStamp?

  init(
    _ file: consuming FileDescriptor, number: UInt64, size: Int64 = 0, first: LineStamp? = nil, last: LineStamp? = nil
  ) {
    self.file = file
    self.number = number
    self.size = size
    self.planned = size
    self.first = first
    self.last = last
  }

  /// Whether a line of `length` octets may stand in it, of a segment of at most `limit`: times never fall within one, so
  /// that it can be searched by halves, and all its lines come from one state of the clock.
  func takes(_ line: LineStamp, length: Int, limit: Int64) -> Bool {
    guard let last else { return line.sequence == number }
    return line.sequence == last.sequence + 1 && line.time >= last.time
      && line.isSynchronized == last.isSynchronized && planned + Int64(length) <= limit
  }

  func plan(_ line: LineStamp, length: Int) {
    if first == nil { first = line }
    last = line
    planned += Int64(length)
  }

  /// As the caps see it, with `size` octets.
  func whole(size: Int64) -> WholeSegment { WholeSegment(number: number, size: size, first: first) }
}
