import Glibc

/// Reading and writing at a place, and what reaches the disk.
extension FileDescriptor {
  /// Reads what is there from `offset` on, at most the buffer's size; 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
    try Self.call("cannot read") { pread(number, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  /// Writes from `offset` on what the file takes, and says how many octets those were.
  package func write(_ octets: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
    try Self.call("cannot write") { pwrite(number, octets.baseAddress, octets.count, off_t(offset)) }
  }

  /// Returns when what was written is on the disk, and the file's size with it.
  package func synchronize() throws(SystemError) {
    try Self.call("cannot sync") { fdatasync(number) }
  }

  /// Cuts the file to `size` octets.
  package func truncate(to size: Int64) throws(SystemError) {
    try Self.call("cannot cut") { ftruncate(number, off_t(size)) }
  }

  /// Which file this is; nil where the kernel does not say.
  package var identity: FileIdentity? {
    var status = stat()
    return fstat(number, &status) == 0 ? FileIdentity(status) : nil
  }

  /// Whether no folder names the file any more.
  package var isUnlinked: Bool {
    var status = stat()
    return fstat(number, &status) == 0 && status.st_nlink == 0
  }
}

/// What tells one file from every other that is there at the time.
package struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let inode: ino_t

  init(_ status: stat) {
    device = status.st_dev
    inode = status.st_ino
  }

  /// Of what a path leads to; nil where that is nothing.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}
