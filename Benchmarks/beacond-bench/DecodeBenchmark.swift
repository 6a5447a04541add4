import Linux

/// `beacond decode` of a capture in each format.
struct DecodeBenchmark {
  private static let modes = [
    ["--beacons", "--format", "json"], ["--format", "json"], ["--format", "tsv"], ["--format", "text"],
  ]
  .map { ["decode"] + $0 }

  private let runs: PairedRuns
  private let truth: Truth?

  /// What a right decoder counts in a capture, as the generator of captures writes it.
  private struct Truth: Decodable {
    let frames: [String: Int]
  }

  init(_ arguments: [String]) throws(BenchFailure) {
    var truth: Truth?
    runs = try PairedRuns(
      arguments, floorMode: "lines", modes: { Self.modes },
      { name, value throws(BenchFailure) in
        guard name == "--truth" else { throw .usage }
        truth = try decoded(Truth.self, from: try Self.content(value), value)
      })
    self.truth = truth
  }

  func run() throws(BenchFailure) {
    try runs.measure()
    try checkFrames()
  }

  /// The frames in the JSON of both modes must be those of the truth.
  private func checkFrames() throws(BenchFailure) {
    guard let truth else { return }
    let expected = truth.frames.filter { $0.key != "noise" }
    for mode in Self.modes where mode.contains("json") {
      var counted = FrameCounts()
      try runs.run(mode) { counted.read($0) }
      guard counted.counts == expected else {
        throw .failed("\(mode.joined(separator: " ")): frames \(counted.counts), must be \(expected)")
      }
    }
    let total = expected.values.reduce(0, +)
    try? FileDescriptor.standardOutput.write("\(total) frames of \(expected.count) kinds, each as in the truth\n")
  }

  private static func content(_ path: String) throws(BenchFailure) -> [UInt8] {
    do {
      var text: [UInt8] = []
      try FileDescriptor(reading: path).readAll { text += $0 }
      return text
    } catch {
      throw .failed("\(path): \(error)")
    }
  }
}
