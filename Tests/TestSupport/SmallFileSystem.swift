import Glibc
import Linux

/// A file system of one or two megabytes, mounted for one test.
package final class SmallFileSystem: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case tmpfs
    case ext4
  }

  package let path: String
  private let folder: TemporaryFolder

  /// Nil where this process may not mount, or has not what it takes.
  package init?(_ kind: Kind) {
    guard let folder = try? TemporaryFolder() else { return nil }
    self.folder = folder
    path = folder.path + "/mount"
    let image = folder.path + "/image"
    guard mkdir(path, 0o755) == 0 else { return nil }
    switch kind {
    case .tmpfs:
      guard run("mount -t tmpfs -o size=1m tmpfs \(path)") else { return nil }
    case .ext4:
      guard run("truncate -s 2M \(image)"), run("mkfs.ext4 -q -m 0 \(image)"), run("mount -o loop \(image) \(path)")
      else { return nil }
    }
  }

  deinit {
    _ = run("umount \(path)")
  }

  package func remount(_ option: String) -> Bool { run("mount -o remount,\(option) \(path)") }

  /// Leaves no room, and gives the file that takes it.
  package func fill() throws(SystemError) -> String {
    let filler = path + "/filler"
    let file = try FileDescriptor(writing: filler)
    for size in [64 << 10, 1 << 10, 1] {
      while (try? file.write(octets: [UInt8](repeating: 1, count: size))) != nil {}
    }
    return filler
  }

  package static func isPossible(_ kind: Kind) -> Bool { SmallFileSystem(kind) != nil }
}

/// Runs a command of the shell, silently; says whether it succeeded.
package func run(_ command: String) -> Bool {
  system("PATH=/usr/sbin:/usr/bin:/sbin:/bin; exec >/dev/null 2>&1; \(command)") == 0
}
