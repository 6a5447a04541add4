import EventLog
import Foundation
import Linux

/// The kernel's file system, with a record of what the log's writer asked of it, and with failures at will. Nothing is
/// synced in earnest: no test lasts longer than the machine.
final class RecordingDisk: LogDisk {
  enum Call: Hashable, Sendable {
    case make(String)
    case remove(String)
    case synchronizeFolder
    case write(String, offset: Int, [UInt8])
    case synchronize(String)
    case truncate(String, size: Int)

    var isWrite: Bool { if case .write = self { true } else { false } }
    var isSynchronize: Bool { if case .synchronize = self { true } else { false } }
    /// Without the octets.
    var text: String {
      guard case .write(let name, let offset, let octets) = self else { return "\(self)" }
      return "write \(octets.count) to \(name) at \(offset)"
    }

    /// What was written, as text.
    var written: String {
      if case .write(_, _, let octets) = self { String(decoding: octets, as: UTF8.self) } else { "" }
    }
  }

  private struct State {
    var calls: [Call] = []
    var failure: (@Sendable (Call) -> Int32?)?
    var mostOctets = Int.max
  }

  private let state = Guarded(State())

  /// What was done, in order; what failed is not in it.
  var calls: [Call] { state.withLock { $0.calls } }

  /// Lets each call fail for which `failure` gives an error number.
  func fail(_ failure: (@Sendable (Call) -> Int32?)?) { state.withLock { $0.failure = failure } }

  /// Takes no more than so many octets of a write.
  func takeAtMost(_ octets: Int) { state.withLock { $0.mostOctets = octets } }

  private func attempt(_ call: Call) throws(SystemError) {
    // Outside the lock, since it may look at the calls.
    let failure = state.withLock { $0.failure }
    if let number = failure?(call) { throw SystemError("cannot do it", number: number) }
  }

  private func record(_ call: Call) { state.withLock { $0.calls.append(call) } }

  private func name(_ file: borrowing FileDescriptor) -> String {
    let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file.number)")) ?? ""
    return String(path.split(separator: "/").last?.prefix { $0 != " " } ?? "")
  }

  func make(_ name: String, in folder: borrowing Folder) throws(SystemError) -> FileDescriptor {
    try attempt(.make(name))
    let file = try LinuxDisk().make(name, in: folder)
    record(.make(name))
    return file
  }

  func remove(_ name: String, in folder: borrowing Folder) throws(SystemError) {
    try attempt(.remove(name))
    try LinuxDisk().remove(name, in: folder)
    record(.remove(name))
  }

  func synchronize(_ folder: borrowing Folder) throws(SystemError) {
    try attempt(.synchronizeFolder)
    record(.synchronizeFolder)
  }

  func write(
    _ octets: UnsafeRawBufferPointer, to file: borrowing FileDescriptor, at offset: Int64
  ) throws(SystemError) -> Int {
    let call = Call.write(name(file), offset: Int(offset), Array(octets))
    try attempt(call)
    let most = state.withLock { $0.mostOctets }
    let part = UnsafeRawBufferPointer(rebasing: octets.prefix(most))
    let count = try LinuxDisk().write(part, to: file, at: offset)
    record(.write(name(file), offset: Int(offset), Array(octets.prefix(count))))
    return count
  }

  func synchronize(_ file: borrowing FileDescriptor) throws(SystemError) {
    let call = Call.synchronize(name(file))
    try attempt(call)
    record(call)
  }

  func truncate(_ file: borrowing FileDescriptor, to size: Int64) throws(SystemError) {
    let call = Call.truncate(name(file), size: Int(size))
    try attempt(call)
    try LinuxDisk().truncate(file, to: size)
    record(call)
  }
}
