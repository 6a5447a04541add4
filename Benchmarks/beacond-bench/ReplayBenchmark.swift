/// `beacond replay` of a capture: everything ranged once a second, or with each of several configurations; and the daemon
/// on it, which writes the same events into its log.
struct ReplayBenchmark {
  private let runs: PairedRuns

  init(_ arguments: [String]) throws(BenchFailure) {
    var configurations: [String] = []
    var daemons: [String] = []
    runs = try PairedRuns(
      arguments, floorMode: "range",
      modes: {
        let options = configurations.isEmpty ? [[]] : configurations.map { ["--config", $0] }
        return options.map { ["replay", "--quiet", "--format", "json"] + $0 }
          + daemons.map { ["run", "--speed", "max", "--config", $0, "--source", "replay:"] }
      },
      { name, value throws(BenchFailure) in
        switch name {
        case "--config": configurations.append(value)
        case "--run": daemons.append(value)
        default: throw .usage
        }
      })
  }

  func run() throws(BenchFailure) { try runs.measure() }
}
