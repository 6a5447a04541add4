/// `beacond replay` of a capture: everything ranged once a second, or with each of several configurations.
struct ReplayBenchmark {
  private let runs: PairedRuns

  init(_ arguments: [String]) throws(BenchFailure) {
    var configurations: [String] = []
    runs = try PairedRuns(
      arguments, floorMode: "range",
      modes: {
        let options = configurations.isEmpty ? [[]] : configurations.map { ["--config", $0] }
        return options.map { ["replay", "--quiet", "--format", "json"] + $0 }
      },
      { name, value throws(BenchFailure) in
        guard name == "--config" else { throw .usage }
        configurations.append(value)
      })
  }

  func run() throws(BenchFailure) { try runs.measure() }
}
