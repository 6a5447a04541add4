import Foundation

/// Holds event lines against docs/events.schema.json.
package enum EventSchema {
  /// Whether what that needs is installed: Debian's python3-jsonschema.
  package static let isCheckable = (try? faults(in: ["{}"])) == .some(.some(checkedFault))

  private static let checkedFault = "line 1: $: 'time' is a required property\n{}\n"
  nonisolated(unsafe) private static var known: Set<Substring> = []
  private static let lock = NSLock()

  /// What is wrong with the first line that does not fit; nil if all fit. Lines that have fitted before, whatever their
  /// number, are not looked at again.
  package static func fault(in lines: [Substring]) throws -> String? {
    guard isCheckable else { return nil }
    func key(_ line: Substring) -> Substring {
      let number = line.dropFirst("{\"seq\":".count)
      return line.hasPrefix("{\"seq\":") && ("1"..."9").contains(number.first ?? "0") ? number.drop { $0 != "," } : line
    }
    let unknown = lock.withLock { lines.filter { !known.contains(key($0)) } }
    if unknown.isEmpty { return nil }
    if let fault = try faults(in: unknown) { return fault }
    lock.withLock { known.formUnion(unknown.map(key)) }
    return nil
  }

  private static func faults(in lines: [Substring]) throws -> String? {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../scripts/check-events"
    let input = FileManager.default.temporaryDirectory.path + "/beacond-events-\(UUID().uuidString)"
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: input))
    defer { try? FileManager.default.removeItem(atPath: input) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: script)
    process.arguments = [input]
    let error = Pipe()
    process.standardError = error
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: try error.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? nil : text
  }
}
