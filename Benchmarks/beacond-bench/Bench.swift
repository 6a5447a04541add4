import Linux

/// The program's benchmarks by name: one file each.
enum Bench {
  private static let help = """
    Usage: beacond-bench decode CAPTURE [--truth JSON] [PAIRING...]
           beacond-bench replay CAPTURE [--config FILE]... [--run FILE]... [PAIRING...]
           beacond-bench stages [--stage level|distance|distribution] [--calls N] [--rounds N]
           beacond-bench day [--scene day|day-stress] [--seed N] [--hours H] [--beacons N]
           beacond-bench log FOLDER [--events N]
           beacond-bench month FOLDER [--days N] [--beacons N] [--range-log interval|on-change|none]
           beacond-bench live CAPTURE [--rate N] [--seconds N] [--sources N]
           beacond-bench ranging FOLDER
           beacond-bench zone FOLDER
           beacond-bench silence FILE

    decode   CPU time of 'beacond decode' a report, format by format: A B A B in N rounds, the medians. With --truth the
             frames are counted and compared.
    replay   The same of 'beacond replay', everything ranged; or with each of the configurations, and the ratio of each to
             the first. With --run also of 'beacond run' with that configuration, into the log that it names.
    stages   CPU time of a packet in the level filter, and of a distance with its interval (distribution: with all that
             is known of it) from reading the level on: the shortest and the median of N rounds (7) of N calls (1000000).
    day      A simulated day of 350 beacons: enters and exits held against the truth. Fails when one is missed, an enter
             is false, or a beacon has a false exit; with day-stress: more than three a beacon and day on average, or of one
             beacon while nobody hid it.
    log      A log of N events (1000000), made in FOLDER and removed: processor time of an event written, beside that of
             writing its octets, read and appended; time to find a minute of it, and to begin after a crash.
    month    A simulated month (30 days) of the daemon, everything ranged, its log in FOLDER and removed: for each day what
             was heard, said and written, and the memory of the process.
    live     The daemon on sockets that another process writes the capture's reports to: N a second (1000) for N seconds (20)
             in turn to N sources (1). Processor time, waits, peak memory; fails when a report is lost.

    PAIRING: --floor PROGRAM    also this one, and ratios to it
             --less CAPTURE     the time of a smaller capture is taken off, and with it that of the start
             --beacond PROGRAM  instead of the one beside this program
             --output FILE      standard output goes there, not to /dev/null
             --rounds N         7, if not given

    scripts/bench makes captures, truth, configurations and floor.

    """

  /// Runs the benchmark that the arguments name; gives the exit code: 0, 1 when a count is wrong, 64 usage.
  static func run(_ arguments: [String]) -> Int32 {
    let standardOutput = FileDescriptor.standardOutput
    let standardError = FileDescriptor.standardError
    do throws(BenchFailure) {
      switch arguments.first {
      case "decode": try DecodeBenchmark(Array(arguments.dropFirst())).run()
      case "replay": try ReplayBenchmark(Array(arguments.dropFirst())).run()
      case "stages": try StageBenchmark(Array(arguments.dropFirst())).run()
      case "day": try DayBenchmark(Array(arguments.dropFirst())).run()
      case "month": try MonthBenchmark(Array(arguments.dropFirst())).run()
      case "live": try LiveBenchmark(Array(arguments.dropFirst())).run()
      case "live-writer": try LiveWriter(Array(arguments.dropFirst())).run()
      case "log": try LogBenchmark(Array(arguments.dropFirst())).run()
      case "ranging": try RangingBenchmark(Array(arguments.dropFirst())).run()
      case "zone": try ZoneBenchmark(Array(arguments.dropFirst())).run()
      case "silence": try SilenceBenchmark(Array(arguments.dropFirst())).run()
      case "--help", "-h": try? standardOutput.write(help)
      default: throw .usage
      }
      return 0
    } catch {
      guard case .failed(let message) = error else {
        try? standardError.write(help)
        return 64
      }
      try? standardError.write("beacond-bench: \(message)\n")
      return 1
    }
  }
}

/// The path that is all that a benchmark is told.
func onlyPath(_ arguments: [String]) throws(BenchFailure) -> String {
  guard arguments.count == 1, !arguments[0].hasPrefix("-") else { throw .usage }
  return arguments[0]
}

/// Why a benchmark ended early.
package enum BenchFailure: Error {
  case usage
  case failed(String)
}
