import Glibc

/// A file that one process holds at a time; it is let go when the owner goes, also by a crash.
package struct FileLock: ~Copyable {
  private let descriptor: FileDescriptor

  /// Takes the lock, or gives nil where somebody has it.
  ///
  /// The holder's process id is written into the file, for `holder`: the lock itself is the kernel's.
  package init?(_ name: String, in folder: borrowing Folder) throws(SystemError) {
    let file = try folder.openOrMake(name, mode: 0o640)
    do throws(SystemError) {
      try FileDescriptor.call("cannot lock \(name)") { flock(file.number, LOCK_EX | LOCK_NB) }
    } catch {
      if error.number == EWOULDBLOCK { return nil }
      throw error
    }
    // A lock without a number locks as well: a full disk is no reason to fail.
    let text = "\(getpid())\n"
    try? file.write(text)
    try? file.truncate(to: Int64(text.utf8.count))
    descriptor = file
  }

  deinit {
    // Said, and not left to the closing: a process that was just forked has the file open too until it runs its program.
    flock(descriptor.number, LOCK_UN)
  }

  /// The process that holds the lock; nil where the file does not say.
  package static func holder(_ name: String, in folder: borrowing Folder) -> Int32? {
    guard let octets = try? folder.open(name).octets(atMost: 32) else { return nil }
    return Int32(String(decoding: octets.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }
}
