import Glibc
import Linux

/// A program run to its end, its standard output read or thrown away.
enum ChildProcess {
  /// Runs `command`, the first word the program's path. `body` is called with each piece of standard output, which goes to
  /// the file `target` without it. Gives the user and system time of the whole process, start included, in nanoseconds.
  @discardableResult
  static func run(
    _ command: [String], to target: String = "/dev/null", _ body: ((UnsafeRawBufferPointer) -> Void)? = nil
  ) throws(BenchFailure) -> Double {
    var ends: [Int32] = [-1, -1]
    if body != nil {
      guard pipe(&ends) == 0 else { throw .failed("cannot make a pipe") }
      // The program must not keep the end that this one reads from.
      _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
    }
    let process = try start(command, output: body == nil ? nil : ends[1], target)
    if let body {
      close(ends[1])
      FileDescriptor(ends[0]).readAll(body)
    }
    return try wait(for: process, command)
  }

  /// Starts a program that is not waited for; it has all open descriptors.
  static func start(_ command: [String]) throws(BenchFailure) {
    _ = try start(command, output: nil, "/dev/null")
  }

  /// Starts the program with standard output to the descriptor, or to a file.
  private static func start(
    _ command: [String], output: Int32?, _ target: String
  ) throws(BenchFailure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
      posix_spawn_file_actions_addclose(&actions, output)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, target, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    }
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    var process: pid_t = 0
    let number = posix_spawn(&process, command[0], &actions, nil, words, &environment)
    guard number == 0 else { throw .failed("cannot run \(command[0]): \(String(cString: strerror(number)))") }
    return process
  }

  private static func wait(for process: pid_t, _ command: [String]) throws(BenchFailure) -> Double {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw .failed("lost \(command[0])") }
    }
    // The low seven bits are a signal, the octet above the exit code.
    guard status == 0 else {
      let how = status & 0x7f == 0 ? "exit code \(status >> 8)" : "signal \(status & 0x7f)"
      throw .failed("\(command.joined(separator: " ")): \(how)")
    }
    return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime)
  }

  private static func nanoseconds(_ time: timeval) -> Double {
    Double(time.tv_sec) * 1e9 + Double(time.tv_usec) * 1e3
  }
}

extension FileDescriptor {
  /// Calls `body` with each piece up to the end.
  func readAll(_ body: (UnsafeRawBufferPointer) -> Void) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { buffer.deallocate() }
    while let count = try? read(into: buffer), count > 0 {
      body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}
