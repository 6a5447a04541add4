import Glibc

/// An open file descriptor, closed when its owner goes.
package struct FileDescriptor: ~Copyable {
  package let number: Int32
  private let isOwned: Bool

  /// Takes over `number`; with `isOwned` false it is left open.
  package init(_ number: Int32, isOwned: Bool = true) {
    self.number = number
    self.isOwned = isOwned
  }

  deinit {
    // Never retried: after EINTR the descriptor is closed all the same on Linux.
    if isOwned { close(number) }
  }

  package static var standardInput: FileDescriptor { FileDescriptor(STDIN_FILENO, isOwned: false) }
  package static var standardOutput: FileDescriptor { FileDescriptor(STDOUT_FILENO, isOwned: false) }
  package static var standardError: FileDescriptor { FileDescriptor(STDERR_FILENO, isOwned: false) }

  /// Opens a file for reading.
  package init(reading path: String) throws(SystemError) {
    self.init(try Self.call("cannot open") { Glibc.open(path, O_RDONLY | O_CLOEXEC) })
  }

  /// Creates a file, or empties it, for writing.
  package init(writing path: String) throws(SystemError) {
    self.init(try Self.call("cannot write") { Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) })
  }

  /// Creates a file that others may not read; one that is there is emptied with `replacing`, else an error (EEXIST).
  package init(creating path: String, replacing: Bool) throws(SystemError) {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replacing ? O_TRUNC : O_EXCL)
    self.init(try Self.call("cannot write") { Glibc.open(path, flags, 0o640) })
  }

  /// Gives a file another name, in one step.
  package static func rename(_ path: String, to other: String) throws(SystemError) {
    try call("cannot rename \(path)") { Glibc.rename(path, other) }
  }

  /// Reads what is there, at most the buffer's size; 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try Self.call("cannot read") { Glibc.read(number, buffer.baseAddress, buffer.count) }
  }

  /// Reads to the end, or until there are `most` octets.
  package func octets(atMost most: Int) throws(SystemError) -> [UInt8] {
    var octets: [UInt8] = []
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: min(most, 64 << 10), alignment: 1)
    defer { chunk.deallocate() }
    while octets.count < most {
      let part = UnsafeMutableRawBufferPointer(rebasing: chunk[..<min(chunk.count, most - octets.count)])
      let count = try read(into: part)
      if count == 0 { break }
      octets += part[..<count]
    }
    return octets
  }

  /// Writes all of it.
  package func write(_ octets: UnsafeRawBufferPointer) throws(SystemError) {
    var rest = octets
    while !rest.isEmpty {
      let written = try Self.call("cannot write") { Glibc.write(number, rest.baseAddress, rest.count) }
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
    }
  }

  package func write(_ text: String) throws(SystemError) {
    try write(octets: text.utf8)
  }

  package func write(octets: some Collection<UInt8>) throws(SystemError) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: octets.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: octets)
    try write(UnsafeRawBufferPointer(memory))
  }

  package var isTerminal: Bool { isatty(number) == 1 }

  /// Whether a person sees colours here and has not asked for none. Source: no-color.org.
  package var showsColor: Bool {
    guard isTerminal, let terminal = getenv("TERM"), String(cString: terminal) != "dumb" else { return false }
    return getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
  }

  /// Size in octets of a regular file; nil for a pipe, a terminal or a device.
  package var fileSize: Int64? {
    var status = stat()
    guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }

  /// One system call: retried when a signal interrupts it, its error number read first.
  @discardableResult
  package static func call<T: SignedInteger>(_ action: String, _ body: () -> T) throws(SystemError) -> T {
    while true {
      let result = body()
      if result >= 0 { return result }
      let number = errno
      if number != EINTR { throw SystemError(action, number: number) }
    }
  }
}
