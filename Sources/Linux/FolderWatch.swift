import Glibc

/// Says when something happens in a folder. Source: inotify(7).
package struct FolderWatch: ~Copyable {
  private let descriptor: FileDescriptor

  /// Where the user has as many watches as the kernel allows, it never says anything.
  package init() {
    let number = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    descriptor = FileDescriptor(number, isOwned: number >= 0)
  }

  /// The number to poll for reading; a negative one is ignored by poll.
  package var number: Int32 { descriptor.number }

  /// Watches what the path leads to now; says whether that is possible. To be called again costs a system call.
  ///
  /// That the folder itself is removed is told only when nobody has a file open any more that was in it: that its files
  /// are removed is told before.
  package func watch(_ path: String) -> Bool {
    let mask = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    return inotify_add_watch(descriptor.number, path, UInt32(mask)) >= 0
  }

  /// Takes what has happened, which is not told apart.
  package func take() {
    // An event is at most 16 octets and a name of 256.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 8)
    defer { buffer.deallocate() }
    while let count = try? descriptor.read(into: buffer), count > 0 {}
  }
}
