/// Text on its way to a file descriptor: appended octet by octet, written in large pieces.
///
/// The first failure to write is kept and everything after it dropped: `flush` and `failure` tell. So that appending
/// stays cheap, nothing is written before `endLine` finds enough waiting.
///
/// Public, as only public inlinable code is inlined into other modules.
public struct OutputBuffer: ~Copyable {
  @usableFromInline var start: UnsafeMutablePointer<UInt8>
  /// Where the next octet goes.
  @usableFromInline var cursor: UnsafeMutablePointer<UInt8>
  @usableFromInline var end: UnsafeMutablePointer<UInt8>
  private let descriptor: Int32
  /// The first failure to write.
  package private(set) var failure: SystemError?

  /// The descriptor must outlive the buffer.
  package init(_ descriptor: borrowing FileDescriptor) {
    let capacity = 64 << 10
    self.descriptor = descriptor.number
    start = .allocate(capacity: capacity)
    cursor = start
    end = start + capacity
  }

  deinit {
    start.deallocate()
  }

  /// For text that is taken out of it: nothing is written.
  package init() {
    self.init(FileDescriptor(-1, isOwned: false))
  }

  /// What `body` puts, as a text.
  package static func text(_ body: (inout OutputBuffer) -> Void) -> String {
    var output = OutputBuffer()
    body(&output)
    return output.withWaiting { String(decoding: $0, as: UTF8.self) }
  }

  /// How many octets wait to be written.
  @inlinable
  public var count: Int { cursor - start }

  /// What waits to be written.
  package borrowing func withWaiting<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: start, count: count))
  }

  package mutating func discard() {
    cursor = start
  }

  /// Takes the last `length` octets back out.
  package mutating func takeBack(_ length: Int) -> [UInt8] {
    let taken = min(length, count)
    cursor -= taken
    return Array(UnsafeBufferPointer(start: cursor, count: taken))
  }

  /// Ends a line, and writes once 48 KB wait: larger writes gain nothing measurable.
  @inlinable
  public mutating func endLine() {
    put(UInt8(ascii: "\n"))
    if count >= 48 << 10 { flush() }
  }

  public mutating func flush() {
    if descriptor < 0 { return }
    if failure == nil, count > 0 {
      let borrowed = FileDescriptor(descriptor, isOwned: false)
      do throws(SystemError) {
        try borrowed.write(UnsafeRawBufferPointer(start: start, count: count))
      } catch {
        failure = error
      }
    }
    cursor = start
  }

  @inlinable @inline(__always)
  mutating func reserve(_ more: Int) {
    if _fastPath(end - cursor >= more) { return }
    grow(more)
  }

  @inline(never)
  @usableFromInline
  mutating func grow(_ more: Int) {
    let waiting = count
    let capacity = max((end - start) * 2, waiting + more)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    moved.update(from: start, count: waiting)
    start.deallocate()
    start = moved
    cursor = moved + waiting
    end = moved + capacity
  }
}

// MARK: Text

extension OutputBuffer {
  @inlinable @inline(__always)
  public mutating func put(_ octet: UInt8) {
    reserve(1)
    cursor.pointee = octet
    cursor += 1
  }

  @inlinable @inline(__always)
  public mutating func put(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    reserve(length)
    UnsafeMutableRawPointer(cursor).copyMemory(from: text.utf8Start, byteCount: length)
    cursor += length
  }

  /// A text that is one of several: what `put` with a literal folds away is a call of memcpy here, which is slower than
  /// two moves that overlap.
  @inlinable
  public mutating func put(word text: StaticString) {
    let length = text.utf8CodeUnitCount
    reserve(length)
    let source = UnsafeRawPointer(text.utf8Start)
    let target = UnsafeMutableRawPointer(cursor)
    switch length {
    case 8...16:
      target.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
      let last = source.loadUnaligned(fromByteOffset: length - 8, as: UInt64.self)
      target.storeBytes(of: last, toByteOffset: length - 8, as: UInt64.self)
    case 4..<8:
      target.storeBytes(of: source.loadUnaligned(as: UInt32.self), as: UInt32.self)
      let last = source.loadUnaligned(fromByteOffset: length - 4, as: UInt32.self)
      target.storeBytes(of: last, toByteOffset: length - 4, as: UInt32.self)
    default:
      target.copyMemory(from: source, byteCount: length)
    }
    cursor += length
  }

  /// Labelled, or every literal would be made a String first.
  package mutating func put(string text: String) {
    for octet in text.utf8 { put(octet) }
  }

  /// The first `length` of 24 octets.
  @inlinable @inline(__always)
  public mutating func put(_ text: (UInt64, UInt64, UInt64), length: Int) {
    reserve(24)
    UnsafeMutableRawPointer(cursor).storeBytes(of: text.0, as: UInt64.self)
    UnsafeMutableRawPointer(cursor).storeBytes(of: text.1, toByteOffset: 8, as: UInt64.self)
    UnsafeMutableRawPointer(cursor).storeBytes(of: text.2, toByteOffset: 16, as: UInt64.self)
    cursor += min(max(length, 0), 24)
  }

  package mutating func put(_ octets: UnsafeRawBufferPointer) {
    reserve(octets.count)
    UnsafeMutableRawBufferPointer(start: cursor, count: octets.count).copyMemory(from: octets)
    cursor += octets.count
  }

  /// A copy of `length` octets that wait already, the first of them `offset` octets from the first that waits.
  @inlinable
  public mutating func put(copyOf offset: Int, length: Int) {
    precondition(offset >= 0 && length >= 0 && length <= count - offset, "copy of what does not wait")
    // Sixteen octets at a time; what is copied too much is overwritten by what comes next.
    reserve(length + 16)
    var source = UnsafeRawPointer(start + offset)
    var target = UnsafeMutableRawPointer(cursor)
    cursor += length
    while target < cursor {
      target.storeBytes(of: source.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
      source += 16
      target += 16
    }
  }

  /// Spaces up to `column`, counted from octet `first`; at least one.
  package mutating func pad(to column: Int, from first: Int) {
    repeat { put(UInt8(ascii: " ")) } while count - first < column
  }
}
