import BluetoothLE
import Daemon
import EventLog
import Glibc
import Linux
import Proximity
import Simulation
import TestSupport

/// A simulated month of the daemon, with its log and state on disk: how much it writes, and what memory it has.
struct MonthBenchmark {
  private let folder: String
  private var days = 30
  private var beacons = 20
  private var rangeLog = RangeLog.interval
  private var maxSize: Int64 = 256_000_000

  /// The folder is one that is there; a log is made in it, and removed.
  init(_ arguments: [String]) throws(BenchFailure) {
    var rest = arguments[...]
    guard let folder = rest.popFirst(), !folder.hasPrefix("-") else { throw .usage }
    self.folder = folder
    while let argument = rest.popFirst() {
      guard let value = rest.popFirst() else { throw .usage }
      switch argument {
      case "--days":
        guard let number = Int(value), (1...400).contains(number) else { throw .usage }
        days = number
      case "--beacons":
        guard let number = Int(value), (1...4000).contains(number) else { throw .usage }
        beacons = number
      case "--range-log":
        guard let policy = RangeLog(rawValue: value) else { throw .usage }
        rangeLog = policy
      default: throw .usage
      }
    }
  }

  /// Nanoseconds.
  private static let day: Int64 = 86_400_000_000_000

  func run() throws(BenchFailure) {
    let log = "\(folder)/beacond-bench-month"
    removeLog(log)
    defer { removeLog(log) }
    var configuration = Configuration()
    configuration.gateway = "month"
    configuration.log.folder = log
    configuration.log.maxSize = maxSize
    configuration.log.rangeLog = rangeLog
    let scene = Scene.day(beacons: beacons, hours: 24 * Double(days))
    let time = Guarded<Int64>(0)
    let clocks = { @Sendable () -> Moment in
      let sinceBoot = time.withLock { $0 }
      let utc = UnixTime(nanoseconds: scene.start.nanoseconds + sinceBoot)
      return Moment(utc: utc, boot: "month", sinceBoot: sinceBoot)
    }
    do {
      var daemon = try BeaconDaemon(
        configuration, signals: .silent, whenFull: .wait, isProven: true, clocks: clocks, reread: { nil },
        report: { _ in })
      var output = OutputBuffer(FileDescriptor.standardOutput)
      let name = "\(beacons) beacons, range-log: \(rangeLog.rawValue)"
      output.put(row: name, ["reports", "events", "MB written", "memory, KB"])
      var (reports, day, octets, last) = (0, Int64(1), Int64(0), Int64(0))
      var events: UInt64 = 0
      daemon.listen { batch, _ in events += UInt64(batch.events.count) }
      hear(scene) { report, adapter, instant in
        time.withLock { $0 = instant.nanoseconds }
        if day < Int64(days), instant.nanoseconds >= day * Self.day {
          octets = Self.written - last
          output.put(
            row: "day \(day)", ["\(reports)", "\(events)", decimal(Double(octets) / 1e6, places: 1), "\(Self.memory)"])
          output.flush()
          (reports, events, last) = (0, 0, Self.written)
          day += 1
        }
        reports += 1
        daemon.take(report, from: adapter, at: instant)
        daemon.publish()
        if reports % 1024 == 0 { daemon.tend() }
      }
      daemon.advance(to: Instant(nanoseconds: Int64(days) * Self.day))
      guard daemon.end() else { throw BenchFailure.failed("not everything was written") }
      octets = Self.written - last
      output.put(
        row: "day \(day)", ["\(reports)", "\(events)", decimal(Double(octets) / 1e6, places: 1), "\(Self.memory)"])
      output.flush()
    } catch let failure as BenchFailure {
      throw failure
    } catch {
      throw .failed("\(error)")
    }
  }

  /// Octets that this process has given to files. Source: proc_pid_io(5), wchar.
  private static var written: Int64 {
    let text = (try? FileDescriptor(reading: "/proc/self/io").octets(atMost: 4096)) ?? []
    let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("wchar: ") }
    return line.flatMap { Int64($0.dropFirst(7)) } ?? 0
  }

  /// What of it is in memory, in KB. Source: proc_pid_statm(5), the second number, in pages.
  private static var memory: Int {
    let text = (try? FileDescriptor(reading: "/proc/self/statm").octets(atMost: 4096)) ?? []
    let words = String(decoding: text, as: UTF8.self).split(separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024 : 0
  }
}
