import Glibc
import Linux
import Synchronization

/// Holds event lines against docs/events.schema.json.
package enum EventSchema {
  /// Whether what that needs is installed: Debian's python3-jsonschema.
  package static let isCheckable = (try? fault(inAll: ["{}"]))??.contains("'time' is a required property") == true

  /// Lines that have fitted, without their numbers.
  private static let known = Mutex<Set<Substring>>([])

  /// What is wrong with the first line that does not fit; nil if all fit. Lines that have fitted before, whatever their
  /// number, are not looked at again.
  package static func fault(in lines: [Substring]) throws(SystemError) -> String? {
    guard isCheckable else { return nil }
    let unknown = known.withLock { known in lines.filter { !known.contains(withoutNumber($0)) } }
    if unknown.isEmpty { return nil }
    if let fault = try fault(inAll: unknown) { return fault }
    known.withLock { $0.formUnion(unknown.map { withoutNumber($0) }) }
    return nil
  }

  private static func withoutNumber(_ line: Substring) -> Substring {
    let start = "{\"seq\":"
    let number = line.dropFirst(start.count)
    guard line.hasPrefix(start), let digit = number.first, ("1"..."9").contains(digit) else { return line }
    return number.drop { $0 != "," }
  }

  private static func fault(inAll lines: [Substring]) throws(SystemError) -> String? {
    var path = Array("/tmp/beacond-events-XXXXXX".utf8CString)
    let file = FileDescriptor(mkstemp(&path))
    let input = path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    defer { unlink(input) }
    try file.write(lines.joined(separator: "\n") + "\n")
    // Standard output counts lines; what is wrong is on standard error.
    guard let pipe = popen("'\(Corpus.packageRoot)/scripts/check-events' \(input) 2>&1 >/dev/null", "r") else {
      throw SystemError("cannot run", number: errno)
    }
    let text = try? FileDescriptor(fileno(pipe), isOwned: false).octets(atMost: 1 << 20)
    return pclose(pipe) == 0 ? nil : String(decoding: text ?? [], as: UTF8.self)
  }
}
