import Glibc

/// Files that are replaced as a whole: after a power cut they are what they were before, or what they were to become.
package enum WholeFile {
  /// Replaces the file, or makes it; on return it is on the disk.
  package static func save(_ octets: [UInt8], to path: String, mode: mode_t = 0o640) throws(SystemError) {
    let folder = try Folder(Folder.parent(of: path) ?? ".")
    let name = path.split(separator: "/").last.map(String.init) ?? path
    // One name for every time: what a crash leaves behind is overwritten by the next.
    let temporary = "\(name).new"
    do throws(SystemError) {
      let file = try folder.openOrMake(temporary, mode: mode)
      try file.truncate(to: 0)
      try file.write(octets: octets)
      try FileDescriptor.call("cannot sync \(name)") { fsync(file.number) }
      try folder.rename(temporary, to: name)
    } catch {
      try? folder.remove(temporary)
      throw error
    }
    try folder.synchronize()
  }
}
