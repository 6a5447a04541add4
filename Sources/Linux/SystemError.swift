import Glibc

/// A system call that failed: what was being done, and the error number.
package struct SystemError: Error, Hashable, Sendable {
  /// What failed, as `open lobby.btsnoop`.
  package let action: String
  package let number: Int32

  package init(_ action: String, number: Int32) {
    self.action = action
    self.number = number
  }

  /// There is nothing at the path.
  package var isNoSuchFile: Bool { number == ENOENT || number == ENOTDIR }

  /// The file system is not written, or has nothing to sync.
  package var isReadOnly: Bool { number == EROFS || number == EINVAL }
}

extension SystemError: CustomStringConvertible {
  /// `No such file or directory`.
  package var reason: String { String(cString: strerror(number)) }

  package var description: String { "\(action): \(reason)" }
}
