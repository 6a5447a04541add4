import BluetoothLE
import Linux

/// The place of one reader of the log, kept in a file.
package struct LogCursor: Sendable {
  private let path: String

  package init(_ path: String) {
    self.path = path
  }

  /// The number of the last event that the reader has dealt with; nil where there is no file yet.
  package func load() throws(LogFailure) -> UInt64? {
    let octets: [UInt8]
    do throws(SystemError) {
      octets = try FileDescriptor(reading: path).octets(atMost: 4096)
    } catch {
      if error.isNoSuchFile { return nil }
      throw .system(error)
    }
    let sequence = octets.withUnsafeBytes { JSONValue(Octets($0))?["seq"]?.unsigned }
    guard let sequence else { throw .damaged(file: path) }
    return sequence
  }

  /// Saves it; on return it is on the disk.
  package func save(_ sequence: UInt64) throws(LogFailure) {
    do throws(SystemError) {
      try WholeFile.save(Array("{\"seq\":\(sequence)}\n".utf8), to: path)
    } catch {
      throw .system(error)
    }
  }
}
