import Linux

/// What the log's writer does to its folder, call by call, so that tests can watch the order and let calls fail.
package protocol LogDisk: Sendable {
  func make(_ name: String, in folder: borrowing Folder) throws(SystemError) -> FileDescriptor
  func remove(_ name: String, in folder: borrowing Folder) throws(SystemError)
  func synchronize(_ folder: borrowing Folder) throws(SystemError)
  /// Writes what the file takes from `offset` on, and says how many octets those were.
  func write(
    _ octets: UnsafeRawBufferPointer, to file: borrowing FileDescriptor, at offset: Int64
  ) throws(SystemError) -> Int
  func synchronize(_ file: borrowing FileDescriptor) throws(SystemError)
  func truncate(_ file: borrowing FileDescriptor, to size: Int64) throws(SystemError)
}

/// The kernel's file systems.
package struct LinuxDisk: LogDisk {
  package init() {}

  package func make(_ name: String, in folder: borrowing Folder) throws(SystemError) -> FileDescriptor {
    try folder.make(name, mode: 0o640)
  }

  package func remove(_ name: String, in folder: borrowing Folder) throws(SystemError) {
    try folder.remove(name)
  }

  package func synchronize(_ folder: borrowing Folder) throws(SystemError) {
    try folder.synchronize()
  }

  package func write(
    _ octets: UnsafeRawBufferPointer, to file: borrowing FileDescriptor, at offset: Int64
  ) throws(SystemError) -> Int {
    try file.write(octets, at: offset)
  }

  package func synchronize(_ file: borrowing FileDescriptor) throws(SystemError) {
    try file.synchronize()
  }

  package func truncate(_ file: borrowing FileDescriptor, to size: Int64) throws(SystemError) {
    try file.truncate(to: size)
  }
}
