import BluetoothLE
import Linux

/// Lines that are written together, and how far that has come.
package struct LogGroup {
  /// Whole lines with their ends.
  var octets: [UInt8]
  /// Whether it is to be on the disk when it is written.
  var isDurable: Bool
  /// Octets that the kernel has.
  var written = 0
  /// Octets whose segment is chosen; behind the written ones all of one.
  var planned = 0
  /// Octets that are on the disk.
  var secured = 0

  package init(_ octets: [UInt8], isDurable: Bool) {
    self.octets = octets
    self.isDurable = isDurable
  }

  /// Whether all of it is written.
  package var isWritten: Bool { written == octets.count }

  /// The line behind what is planned, and its octets with its end.
  func nextLine() -> (stamp: LineStamp, length: Int)? {
    octets.withUnsafeBytes { octets in
      var lines = LogLines(UnsafeRawBufferPointer(rebasing: octets[planned...]))
      return lines.next().map { (LineStamp($0), $0.octets.count + 1) }
    }
  }

  /// Gives `body` what is planned and not written.
  func withPlanned<Value>(
    _ body: (UnsafeRawBufferPointer) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    let result: Result<Value, SystemError> = octets.withUnsafeBytes { octets in
      do throws(SystemError) {
        return .success(try body(UnsafeRawBufferPointer(rebasing: octets[written..<planned])))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Goes back: what is behind `place` is to be written again.
  mutating func rewind(to place: Int) {
    (written, planned, secured) = (place, place, min(secured, place))
  }
}

/// The lines of the log in octets, each with its end.
struct LogLines: IteratorProtocol {
  private var rest: Octets

  init(_ octets: UnsafeRawBufferPointer) {
    rest = Octets(octets)
  }

  /// Nil at the end, and where no line of the log follows.
  mutating func next() -> LogLine? {
    guard let length = rest.withUnsafeBytes(lineEnd), let line = LogLine(rest[0, upTo: length]) else { return nil }
    rest = rest.dropping(length + 1)
    return line
  }

  var isEmpty: Bool { rest.isEmpty }
}
