import BluetoothLE
import Glibc
import Linux

/// The lines of a file, read in large pieces.
struct LineBuffer: ~Copyable {
  /// A list of 256 beacons has 0.1 MB.
  static let longestLine = 1 << 20

  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
  private var start = 0
  private var end = 0
  /// Up to here there is no line end.
  private var searched = 0
  /// Where in the file the next line begins.
  private(set) var offset: Int64

  init(from offset: Int64 = 0) {
    self.offset = offset
  }

  deinit { memory.deallocate() }

  /// Where in the file the octets end that were read.
  var endOffset: Int64 { offset + Int64(end - start) }

  /// Starts anew at an offset, of this or another file.
  mutating func move(to offset: Int64) {
    (start, end, searched) = (0, 0, 0)
    self.offset = offset
  }

  /// The next whole line that was read, without its end; valid until the buffer changes. What is longer than a line can
  /// be gives empty lines, which nobody writes.
  mutating func nextLine() -> Octets? {
    guard let length = lineEnd(UnsafeRawBufferPointer(rebasing: memory[searched..<end])) else {
      searched = end
      guard end - start >= Self.longestLine else { return nil }
      offset += Int64(end - start)
      start = end
      return Octets()
    }
    let lineEnd = searched + length
    let line = Octets(UnsafeRawBufferPointer(rebasing: memory[start..<lineEnd]))
    offset += Int64(lineEnd + 1 - start)
    start = lineEnd + 1
    searched = start
    return line
  }

  /// Reads on from the next line's beginning; says whether a whole line is there.
  ///
  /// The beginning of a line is read again when more of it comes: after a crash the next writer cuts a torn one, and begins
  /// another in its place.
  mutating func refill(from file: borrowing FileDescriptor) throws(SystemError) -> Bool {
    while true {
      (start, end, searched) = (0, 0, 0)
      while end < memory.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: memory[end...])
        let count = try file.read(into: rest, at: endOffset)
        if count == 0 { break }
        end += count
      }
      let isFull = end == memory.count
      if lineEnd(UnsafeRawBufferPointer(rebasing: memory[..<end])) != nil || end >= Self.longestLine { return true }
      guard isFull else { return false }
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: memory.count * 2, alignment: 16)
      memory.deallocate()
      memory = larger
    }
  }
}

/// How many octets are before the first line end; nil where there is none.
func lineEnd(_ octets: UnsafeRawBufferPointer) -> Int? {
  guard let start = octets.baseAddress else { return nil }
  return memchr(start, Int32(UInt8(ascii: "\n")), octets.count).map { UnsafeRawPointer($0) - start }
}
