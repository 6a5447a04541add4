import FoundationEssentials
import Linux

/// `beacond decode` of a capture in each format, beside the floor: a program in C that does the least that can be done.
struct DecodeBenchmark {
  private static let modes = [
    ["--beacons", "--format", "json"], ["--format", "json"], ["--format", "tsv"], ["--format", "text"],
  ]

  private var capture = ""
  private var truth: Truth?
  private var floor: String?
  private var beacond = String(CommandLine.arguments[0].dropLast("-bench".count))
  private var rounds = 7

  /// What a right decoder counts in a capture, as the generator of captures writes it.
  private struct Truth: Decodable {
    let frames: [String: Int]
  }

  /// What the floor prints.
  private struct FloorResult: Decodable {
    let reports: Int
    /// Of its pass over the capture alone, without the start of the process.
    let nanoseconds: Double
  }

  init(_ arguments: [String]) throws(BenchFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else {
        guard capture.isEmpty else { throw .usage }
        capture = argument
        continue
      }
      guard let value = rest.popFirst() else { throw .usage }
      switch argument {
      case "--truth": truth = try Self.decoded(Truth.self, from: try content(value), value)
      case "--floor": floor = value
      case "--beacond": beacond = value
      case "--rounds":
        guard let number = Int(value), number > 0 else { throw .usage }
        rounds = number
      default: throw .usage
      }
    }
    guard !capture.isEmpty else { throw .usage }
  }

  func run() throws(BenchFailure) {
    let reports = try countReports()
    var floorTimes: [Double] = []
    var times = Self.modes.map { _ in [Double]() }
    // The first round only warms up.
    for round in 0...rounds {
      if let floor {
        let result = try runFloor(floor)
        if round > 0 { floorTimes.append(result.nanoseconds) }
      }
      for (index, mode) in Self.modes.enumerated() {
        let cpu = try ChildProcess.run([beacond, "decode"] + mode + [capture])
        if round > 0 { times[index].append(cpu / Double(reports)) }
      }
    }

    var output = OutputBuffer(FileDescriptor.standardOutput)
    output.put(row: "", ["ns/report", "MB/s", "x floor"])
    if floor != nil {
      put("floor, lines", floorTimes, reports, ratio: 1, to: &output)
    }
    for (index, mode) in Self.modes.enumerated() {
      let ratios = zip(times[index], floorTimes).map { $0 / $1 }
      put("decode " + mode.joined(separator: " "), times[index], reports, ratio: quantile(ratios, 0.5), to: &output)
    }
    output.put(string: "\(reports) reports, median of \(rounds) rounds\n")
    output.flush()
    try checkFrames()
  }

  private func put(
    _ name: String, _ times: [Double], _ reports: Int, ratio: Double, to output: inout OutputBuffer
  ) {
    let time = quantile(times, 0.5)
    let octets = (try? FileDescriptor(reading: capture))?.fileSize ?? 0
    let speed = Double(octets) * 1e3 / (time * Double(reports))
    output.put(row: name, [decimal(time, places: 1), decimal(speed, places: 0), decimal(ratio, places: 2)])
  }

  /// The frames in the JSON of both modes must be those of the truth.
  private func checkFrames() throws(BenchFailure) {
    guard let truth else { return }
    let expected = truth.frames.filter { $0.key != "noise" }
    for mode in Self.modes where mode.contains("json") {
      var counted = FrameCounts()
      try ChildProcess.run([beacond, "decode"] + mode + [capture]) { counted.read($0) }
      guard counted.counts == expected else {
        throw .failed("decode \(mode.joined(separator: " ")): frames \(counted.counts), must be \(expected)")
      }
    }
    let total = expected.values.reduce(0, +)
    try? FileDescriptor.standardOutput.write("\(total) frames of \(expected.count) kinds, each as in the truth\n")
  }

  private func countReports() throws(BenchFailure) -> Int {
    if let floor { return try runFloor(floor).reports }
    var counted = FrameCounts()
    try ChildProcess.run([beacond, "decode", "--format", "tsv", capture]) { counted.read($0) }
    return max(counted.lines, 1)
  }

  private func runFloor(_ floor: String) throws(BenchFailure) -> FloorResult {
    var text: [UInt8] = []
    try ChildProcess.run([floor, "lines", capture, "/dev/null"]) { text += $0 }
    return try Self.decoded(FloorResult.self, from: text, floor)
  }

  private static func decoded<T: Decodable>(
    _ type: T.Type, from text: [UInt8], _ name: String
  ) throws(BenchFailure) -> T {
    do {
      return try JSONDecoder().decode(type, from: Data(text))
    } catch {
      throw .failed("\(name): \(error)")
    }
  }
}
