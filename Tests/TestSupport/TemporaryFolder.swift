import Glibc
import Linux

/// A folder for one test, gone with it, and the log in it.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws(SystemError) {
    // In memory where there is such a folder: these tests make thousands of files.
    let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(place)/beacond-log-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError("cannot make a folder in \(place)", number: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    Self.removeAll(path)
  }

  private static func removeAll(_ path: String) {
    // Files, links and empty folders go at once.
    if remove(path) == 0 { return }
    for name in (try? Folder(path).names()) ?? [] { removeAll("\(path)/\(name)") }
    remove(path)
  }

  /// The log of the test: a folder that is not there yet.
  package var log: String { path + "/events" }

  /// The names of what is in the log's folder.
  package var names: [String] { ((try? Folder(log).names()) ?? []).sorted() }

  /// The names of the log's segments.
  package var segments: [String] { names.filter { $0.hasSuffix(".jsonl") } }

  package func content(_ name: String) -> [UInt8] {
    (try? FileDescriptor(reading: "\(log)/\(name)").octets(atMost: .max)) ?? []
  }

  package func write(_ octets: some Sequence<UInt8>, _ name: String) throws(SystemError) {
    _ = try Folder(making: log, mode: 0o755)
    try FileDescriptor(writing: "\(log)/\(name)").write(octets: Array(octets))
  }
}
