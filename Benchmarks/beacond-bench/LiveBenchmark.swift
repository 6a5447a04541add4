import BluetoothLE
import Daemon
import EventLog
import Glibc
import Linux
import Proximity
import Scanning

/// The daemon on sockets that another process writes a capture's reports to, as the kernel would an adapter's: processor
/// time, wake-ups, memory, and what is lost.
struct LiveBenchmark {
  private let capture: String
  private var rate = 1000
  private var seconds = 20
  private var sources = 1

  init(_ arguments: [String]) throws(BenchFailure) {
    var rest = arguments[...]
    guard let capture = rest.popFirst(), !capture.hasPrefix("-") else { throw .usage }
    self.capture = capture
    while let argument = rest.popFirst() {
      guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else { throw .usage }
      switch argument {
      case "--rate": rate = value
      case "--seconds": seconds = value
      case "--sources" where value <= 32: sources = value
      default: throw .usage
      }
    }
  }

  func run() throws(BenchFailure) {
    let folder = "/tmp/beacond-bench-live-\(getpid())"
    var pairs: [(read: Int32, write: Int32)] = []
    for _ in 0..<sources {
      var ends: [Int32] = [-1, -1]
      let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
      guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .failed("cannot make a pair of sockets") }
      _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
      // The buffer that the daemon asks the kernel for, which doubles it.
      var size: Int32 = 1 << 20
      setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
      pairs.append((ends[0], ends[1]))
    }
    var configuration = Configuration()
    configuration.gateway = "live"
    configuration.log.folder = folder
    defer { removeFolder(folder) }
    let heard: UInt64
    let used: (time: Double, switches: Int)
    do {
      let signals = try SignalQueue(ignoringPipes: true)
      let radio = Radio.reading(pairs.map { $0.read })
      let daemon = try BeaconDaemon(
        configuration, signals: signals, isProven: false, reread: { nil }, report: { _ in })
      var run = LiveRun(daemon, radio, configuration.bluetooth, report: { _ in })
      let program = CommandLine.arguments[0]
      let words = [program, "live-writer", capture, "\(rate)", "\(seconds)"] + pairs.map { "\($0.write)" }
      try ChildProcess.start(words)
      for pair in pairs { close(pair.write) }
      let before = Self.usage
      run.hear()
      let after = Self.usage
      used = (after.time - before.time, after.switches - before.switches)
      heard = (0..<sources).reduce(0) { $0 + radio.counters(of: $1).reports }
      _ = run.end()
    } catch let failure as BenchFailure {
      throw failure
    } catch {
      throw .failed("\(error)")
    }
    var output = OutputBuffer(FileDescriptor.standardOutput)
    output.put(row: "", ["reports", "heard", "% of a core", "waits/s", "peak, KB"])
    output.put(
      row: "\(rate)/s, \(sources) source\(sources == 1 ? "" : "s"), \(seconds) s",
      [
        "\(rate * seconds)", "\(heard)", decimal(used.time / Double(seconds) * 100, places: 2),
        decimal(Double(used.switches) / Double(seconds), places: 0), "\(Self.peak)",
      ])
    output.flush()
    guard heard == UInt64(rate * seconds) else { throw .failed("\(UInt64(rate * seconds) - heard) reports were lost") }
  }

  /// Seconds of all threads, and how often one of them has waited.
  private static var usage: (time: Double, switches: Int) {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let user = Double(usage.ru_utime.tv_sec) + Double(usage.ru_utime.tv_usec) * 1e-6
    let system = Double(usage.ru_stime.tv_sec) + Double(usage.ru_stime.tv_usec) * 1e-6
    return (user + system, usage.ru_nvcsw)
  }

  private static var peak: Int {
    let text = (try? FileDescriptor(reading: "/proc/self/status").octets(atMost: 16 << 10)) ?? []
    let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  private func removeFolder(_ path: String) {
    guard let folder = try? Folder(path), let names = try? folder.names() else { return }
    for name in names { try? folder.remove(name) }
    rmdir(path)
  }
}

/// The other process: sends a capture's events again and again, so many a second in portions each millisecond, to its
/// sockets in turn; then ends the daemon.
struct LiveWriter {
  private let capture: String
  private let rate: Int
  private let seconds: Int
  private let sockets: [Int32]

  init(_ arguments: [String]) throws(BenchFailure) {
    guard arguments.count >= 4, let rate = Int(arguments[1]), let seconds = Int(arguments[2]) else { throw .usage }
    capture = arguments[0]
    self.rate = rate
    self.seconds = seconds
    sockets = arguments[3...].compactMap { Int32($0) }
  }

  func run() throws(BenchFailure) {
    let packets = try packets()
    let start = BootClock.now + 200_000_000
    var sent = 0
    while sent < rate * seconds {
      let due = min(Int(max(BootClock.now - start, 0) / 1_000_000) * rate / 1000, rate * seconds)
      while sent < due {
        let packet = packets[sent % packets.count]
        // What finds no room is lost, as it is with an adapter's socket.
        _ = send(sockets[sent % sockets.count], packet, packet.count, Int32(MSG_DONTWAIT))
        sent += 1
      }
      BootClock.sleep(until: BootClock.now + 1_000_000)
    }
    // Two wake intervals, and what is left is read.
    BootClock.sleep(until: BootClock.now + 200_000_000)
    kill(getppid(), SIGTERM)
  }

  /// Each behind its H4 octet.
  private func packets() throws(BenchFailure) -> [[UInt8]] {
    do {
      var stream = CaptureStream(try FileDescriptor(reading: capture))
      var packets: [[UInt8]] = []
      while packets.count < 100_000, try stream.refill() {
        try stream.read { packet in
          let isReport = HCIEvent(packet.octets).flatMap { AdvertisingReports($0) } != nil
          if packet.content == .hci(.event), isReport { packets.append([0x04] + packet.octets.array) }
        }
      }
      if packets.isEmpty { throw BenchFailure.failed("\(capture): no reports in it") }
      return packets
    } catch {
      throw .failed("\(capture): \(error)")
    }
  }
}
