import FoundationEssentials
import Linux

/// `beacond` on one capture with different arguments, in turn with the floor: a program in C that does the least that can
/// be done. What else the machine does then hits all of them alike.
struct PairedRuns {
  private var floor: String?
  private var beacond = String(CommandLine.arguments[0].dropLast("-bench".count))
  private var rounds = 7
  /// Where standard output goes.
  private var output = "/dev/null"
  private var capture = ""
  /// A smaller capture whose time is taken off, so that what is done once drops out.
  private var lesser: String?
  /// What the floor does, and what each run of `beacond` is told, but for the capture.
  private let floorMode: String
  private let modes: [[String]]

  /// What the floor prints.
  private struct FloorResult: Decodable {
    let reports: Int
    /// A report in its pass over the capture alone, without the start of the process.
    let nanoseconds: Double
  }

  /// Reads a capture and the options that all paired runs have; others are the caller's.
  init(
    _ arguments: [String], floorMode: String, modes: () -> [[String]],
    _ takeOption: (_ name: String, _ value: String) throws(BenchFailure) -> Void
  ) throws(BenchFailure) {
    self.floorMode = floorMode
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else {
        guard capture.isEmpty else { throw .usage }
        capture = argument
        continue
      }
      guard let value = rest.popFirst() else { throw .usage }
      switch argument {
      case "--floor": floor = value
      case "--beacond": beacond = value
      case "--output": output = value
      case "--less": lesser = value
      case "--rounds":
        guard let number = Int(value), number > 0 else { throw .usage }
        rounds = number
      default: try takeOption(argument, value)
      }
    }
    guard !capture.isEmpty else { throw .usage }
    self.modes = modes()
  }

  /// Runs all in turn and writes a table of the medians.
  func measure() throws(BenchFailure) {
    let reports = try countReports(capture) - (lesser.map(countReports) ?? 0)
    guard reports > 0 else { throw .failed("\(capture): no reports, or none more than in the lesser capture") }
    var floorTimes: [Double] = []
    var times = modes.map { _ in [Double]() }
    // The first round only warms up.
    for round in 0...rounds {
      if let floor {
        let result = try runFloor(floor, capture)
        if round > 0 { floorTimes.append(result.nanoseconds) }
      }
      for (index, mode) in modes.enumerated() {
        var cpu = try ChildProcess.run(command(mode, capture), to: output)
        if let lesser { cpu -= try ChildProcess.run(command(mode, lesser), to: output) }
        if round > 0 { times[index].append(cpu / Double(reports)) }
      }
    }

    var output = OutputBuffer(FileDescriptor.standardOutput)
    output.put(row: "", ["ns/report", "MB/s", "x floor", "x first"])
    if floor != nil { put("floor, \(floorMode)", floorTimes, reports, nil, nil, to: &output) }
    for (index, mode) in modes.enumerated() {
      let words = mode.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
      put(words.joined(separator: " "), times[index], reports, floorTimes, times[0], to: &output)
    }
    output.put(string: "\(reports) reports, median of \(rounds) rounds\n")
    output.flush()
  }

  /// Runs `beacond` as `mode` says; `body` is called with each piece of its output.
  func run(_ mode: [String], _ body: @escaping (UnsafeRawBufferPointer) -> Void) throws(BenchFailure) {
    try ChildProcess.run(command(mode, capture), body)
  }

  /// The capture stands behind the rest, or behind the word that waits for it.
  private func command(_ mode: [String], _ capture: String) -> [String] {
    guard let last = mode.last, last.hasSuffix(":") else { return [beacond] + mode + [capture] }
    return [beacond] + mode.dropLast() + [last + capture]
  }

  private func put(
    _ name: String, _ times: [Double], _ reports: Int, _ floorTimes: [Double]?, _ firstTimes: [Double]?,
    to output: inout OutputBuffer
  ) {
    func ratio(_ others: [Double]?) -> String {
      guard let others, !others.isEmpty else { return "-" }
      return decimal(quantile(zip(times, others).map { $0 / $1 }, 0.5), places: 2)
    }
    let time = quantile(times, 0.5)
    let speed = Double(octets(capture) - (lesser.map(octets) ?? 0)) * 1e3 / (time * Double(reports))
    output.put(
      row: name, [decimal(time, places: 1), decimal(speed, places: 0), ratio(floorTimes), ratio(firstTimes)])
  }

  private func octets(_ path: String) -> Int64 { (try? FileDescriptor(reading: path))?.fileSize ?? 0 }

  private func countReports(_ capture: String) throws(BenchFailure) -> Int {
    if let floor { return try runFloor(floor, capture).reports }
    var counted = FrameCounts()
    try ChildProcess.run(command(["decode", "--format", "tsv"], capture)) { counted.read($0) }
    return counted.lines
  }

  private func runFloor(_ floor: String, _ capture: String) throws(BenchFailure) -> FloorResult {
    var text: [UInt8] = []
    try ChildProcess.run([floor, floorMode, capture, "/dev/null"]) { text += $0 }
    return try decoded(FloorResult.self, from: text, floor)
  }
}

/// The JSON value that `text`, read from `name`, holds.
func decoded<T: Decodable>(_ type: T.Type, from text: [UInt8], _ name: String) throws(BenchFailure) -> T {
  do {
    return try JSONDecoder().decode(type, from: Data(text))
  } catch {
    throw .failed("\(name): \(error)")
  }
}
