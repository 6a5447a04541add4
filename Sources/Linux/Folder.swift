import Glibc

/// An open folder: what is done in it is done in this one, wherever its path leads by then.
package struct Folder: ~Copyable {
  private let descriptor: FileDescriptor

  package init(_ path: String) throws(SystemError) {
    let number = try FileDescriptor.call("cannot open \(path)") { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    descriptor = FileDescriptor(number)
  }

  /// Makes the folder, and those above it, where they are missing. They last: each is synced into the one above.
  package init(making path: String, mode: mode_t) throws(SystemError) {
    try Self.make(path, mode: mode)
    try self.init(path)
  }

  private static func make(_ path: String, mode: mode_t) throws(SystemError) {
    if mkdir(path, mode) != 0 {
      let number = errno
      if number == EEXIST { return }
      guard number == ENOENT, let parent = parent(of: path) else {
        throw SystemError("cannot make \(path)", number: number)
      }
      try make(parent, mode: 0o755)
      try FileDescriptor.call("cannot make \(path)") { mkdir(path, mode) }
    }
    if let parent = parent(of: path) { try Folder(parent).synchronize() }
  }

  /// The folder that a path's last part is in; nil for what is in none.
  package static func parent(of path: String) -> String? {
    var end = path.endIndex
    while end > path.startIndex, path[path.index(before: end)] == "/" { end = path.index(before: end) }
    guard let slash = path[..<end].lastIndex(of: "/") else { return end == path.startIndex ? nil : "." }
    if slash == path.startIndex { return end > path.index(after: slash) ? "/" : nil }
    return String(path[..<slash])
  }

  /// What this user could do with a folder.
  package enum Prospect: Sendable {
    case writable, makeable
    /// And which folder forbids it.
    case forbidden(by: String)
  }

  /// Looks whether a folder can be written, or made where it is missing, and changes nothing.
  package static func prospect(_ path: String) -> Prospect {
    if access(path, F_OK) == 0 { return access(path, W_OK | X_OK) == 0 ? .writable : .forbidden(by: path) }
    var above = path
    while let parent = parent(of: above) {
      above = parent
      guard access(above, F_OK) == 0 else { continue }
      return access(above, W_OK | X_OK) == 0 ? .makeable : .forbidden(by: above)
    }
    return .forbidden(by: path)
  }

  package var identity: FileIdentity? { descriptor.identity }

  /// Opens a file that is there, for reading or for both.
  package func open(_ name: String, isWritten: Bool = false) throws(SystemError) -> FileDescriptor {
    let flags = (isWritten ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    return FileDescriptor(try FileDescriptor.call("cannot open \(name)") { openat(descriptor.number, name, flags) })
  }

  /// Makes a file that is not there yet, for reading and writing.
  package func make(_ name: String, mode: mode_t) throws(SystemError) -> FileDescriptor {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
    let number = try FileDescriptor.call("cannot make \(name)") { openat(descriptor.number, name, flags, mode) }
    return FileDescriptor(number)
  }

  /// Opens a file, and makes it where it is missing.
  package func openOrMake(_ name: String, mode: mode_t) throws(SystemError) -> FileDescriptor {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let number = try FileDescriptor.call("cannot open \(name)") { openat(descriptor.number, name, flags, mode) }
    return FileDescriptor(number)
  }

  package func remove(_ name: String) throws(SystemError) {
    try FileDescriptor.call("cannot remove \(name)") { unlinkat(descriptor.number, name, 0) }
  }

  /// Gives a file the name of another, in one step.
  package func rename(_ name: String, to other: String) throws(SystemError) {
    try FileDescriptor.call("cannot rename \(name)") { renameat(descriptor.number, name, descriptor.number, other) }
  }

  /// Returns when what was made, removed and renamed in it is on the disk.
  package func synchronize() throws(SystemError) {
    try FileDescriptor.call("cannot sync the folder") { fsync(descriptor.number) }
  }

  /// The names in it but for `.` and `..`, in no order.
  package func names() throws(SystemError) -> [String] {
    // The list takes over its descriptor, and a duplicate would share its place with every other.
    let number = try FileDescriptor.call("cannot list the folder") {
      openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard let list = fdopendir(number) else {
      let failure = errno
      close(number)
      throw SystemError("cannot list the folder", number: failure)
    }
    defer { closedir(list) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(list) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    let failure = errno
    guard failure == 0 else { throw SystemError("cannot list the folder", number: failure) }
    return names
  }
}
