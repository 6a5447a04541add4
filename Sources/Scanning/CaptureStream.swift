import BluetoothLE
import Linux

/// A capture read from a file, a pipe or standard input through one fixed buffer.
///
/// `while try stream.refill() { try stream.read { packet in ... } }`: whoever writes what was read can flush before the
/// wait for more.
package struct CaptureStream: ~Copyable {
  package enum Failure: Error {
    case system(SystemError)
    case capture(CaptureFailure)
  }

  private let descriptor: FileDescriptor
  private let buffer: UnsafeMutableRawBufferPointer
  private var parser = CaptureParser()
  private var filled = 0
  /// Size of the capture in octets, where it is a file.
  package let size: Int64?

  package init(_ descriptor: consuming FileDescriptor) {
    size = descriptor.fileSize
    self.descriptor = descriptor
    buffer = .allocate(byteCount: CaptureParser.bufferSize, alignment: 64)
  }

  deinit {
    buffer.deallocate()
  }

  package var hasEnded: Bool { parser.hasEnded }

  /// How far the capture was read, in octets.
  package var position: UInt64 { parser.cursor.position }

  /// Calls `body` with every packet that is in memory, each valid for the length of the call.
  package mutating func read(_ body: (CapturedPacket) -> Void) throws(Failure) {
    do throws(CaptureFailure) {
      try parser.read(body)
    } catch {
      throw .capture(error)
    }
  }

  /// Decodes every packet that is in memory: calls `body` with each report, `malformed` with each event that lacks some.
  package mutating func decode(
    with decoder: inout ReportDecoder, _ body: (AdvertisingReport, CapturedPacket) -> Void,
    malformed: (MalformedEvent, CapturedPacket) -> Void
  ) throws(Failure) {
    do throws(CaptureFailure) {
      try decoder.decode(&parser, body, malformed: malformed)
    } catch {
      throw .capture(error)
    }
  }

  /// Reads on, waiting where nothing is there yet; false when the capture has ended.
  package mutating func refill() throws(Failure) -> Bool {
    if parser.hasEnded { return false }
    do throws(SystemError) {
      try fill()
    } catch {
      throw .system(error)
    }
    return true
  }

  /// Moves what is unread to the front and reads behind it.
  private mutating func fill() throws(SystemError) {
    let unread = parser.cursor.unread
    unread.withUnsafeBytes { octets in
      if octets.count > 0, octets.count < filled, let start = buffer.baseAddress, let from = octets.baseAddress {
        start.copyMemory(from: from, byteCount: octets.count)
      }
    }
    filled = unread.count
    let count = try descriptor.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
    filled += count
    parser.cursor.refill(Octets(UnsafeRawBufferPointer(rebasing: buffer[..<filled])), isAtEnd: count == 0)
  }
}
