import BluetoothLE
import EventLog
import Linux

/// The file that a gateway's state is kept in. It is replaced as a whole: a power cut leaves the old one or the new one.
package struct StateFile: Sendable {
  /// Far more than 65,536 beacons have.
  private static let longest = 64 << 20

  package let path: String

  package init(_ path: String) {
    self.path = path
  }

  /// Nil where there is no file.
  package func load() throws(StateFailure) -> SavedState? {
    let octets: [UInt8]
    do throws(SystemError) {
      octets = try FileDescriptor(reading: path).octets(atMost: Self.longest + 1)
    } catch {
      if error.isNoSuchFile { return nil }
      throw .unreadable(path: path, error)
    }
    guard octets.count <= Self.longest else { throw .faulty(path: path, .damaged(line: 1, "larger than 64 MB")) }
    let result = octets.withUnsafeBytes { octets in Result { () throws(StateFault) in try SavedState(octets) } }
    switch result {
    case .success(let state): return state
    case .failure(let fault): throw .faulty(path: path, fault)
    }
  }

  /// On return it is on the disk.
  package func save(_ state: SavedState) throws(SystemError) {
    try WholeFile.save(state.text, to: path)
  }

  /// Gives the file another name, that of the time, and says which.
  package func setAside(at time: UnixTime) throws(SystemError) -> String {
    let name = "\(path).\(OutputBuffer.text { $0.put(iso8601: time) })"
    try FileDescriptor.rename(path, to: name)
    return name
  }
}

/// Why a saved state is not gone on from.
package enum StateFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case unreadable(path: String, SystemError)
  case faulty(path: String, StateFault)

  package var isOfContent: Bool {
    if case .faulty = self { true } else { false }
  }

  package var description: String {
    switch self {
    case .unreadable(let path, let error): "\(path): \(error)"
    case .faulty(let path, let fault): "\(path): \(fault)"
    }
  }
}
