import BluetoothLE
import EventLog
import Glibc
import Linux

/// The event log: what a line costs to write and to read, and how long one minute of many takes to find.
struct LogBenchmark {
  /// Lines of a group: what a busy gateway says in a second.
  private static let group = 100
  /// How often it is written either way in turn; the medians count.
  private static let rounds = 5
  /// Nanoseconds from one event to the next.
  private static let step: Int64 = 10_000_000

  private let folder: String
  private var events = 1_000_000

  /// The folder is one that is there; logs are made in it, and removed.
  init(_ arguments: [String]) throws(BenchFailure) {
    var rest = arguments[...]
    guard let folder = rest.popFirst(), !folder.hasPrefix("-") else { throw .usage }
    self.folder = folder
    while let argument = rest.popFirst() {
      guard argument == "--events", let value = rest.popFirst(), let number = Int(value), number >= 100_000 else {
        throw .usage
      }
      events = number
    }
  }

  func run() throws(BenchFailure) {
    let path = "\(folder)/beacond-bench-log"
    defer { removeLog(path) }
    do {
      try run(path)
    } catch {
      throw .failed("\(error)")
    }
  }

  private func run(_ path: String) throws {
    var output = OutputBuffer(FileDescriptor.standardOutput)
    var (plain, logged): ([Double], [Double]) = ([], [])
    for _ in 0..<Self.rounds {
      removeLog(path)
      plain.append(try writePlainly(path))
      removeLog(path)
      logged.append(try write(path))
    }
    let ratios = zip(logged, plain).map { $0 / $1 }
    output.put(row: "\(events) events", ["ns an event"])
    output.put(row: "a line's beginning", [decimal(try parse(), places: 0)])
    output.put(row: "written, each group by one call", [decimal(quantile(plain, 0.5), places: 0)])
    let ratio = "x \(decimal(quantile(ratios, 0.5), places: 2))"
    output.put(row: "written, the log", [decimal(quantile(logged, 0.5), places: 0), ratio])
    output.put(row: "read, the log", [decimal(try read(path), places: 0)])
    let search = try search(path)
    output.put(row: "", ["ms"])
    output.put(row: "found, a minute's \(search.found) events", [decimal(search.time / 1e6, places: 1)])
    removeLog(path)
    output.put(row: "appended, by who scans", [decimal(try append(path), places: 0), "ns an event"])
    removeLog(path)
    output.put(row: "begun after a crash, 8 MB", [decimal(try recover(path) / 1e6, places: 1), "ms"])
    output.flush()
  }

  // MARK: What is measured

  /// The octets in the groups of the log, and nothing else: the least that can be done.
  private func writePlainly(_ path: String) throws -> Double {
    _ = try Folder(making: path, mode: 0o750)
    let file = try FileDescriptor(writing: "\(path)/plain")
    return try processorTime { try file.write($0) }
  }

  private func write(_ path: String) throws -> Double {
    let store = try LogStore(path, LogSettings(maxSize: 1 << 40))
    return try processorTime { lines in
      var group = LogGroup(Array(lines), isDurable: false)
      try store.write(&group)
    }
  }

  /// Each line by itself, as it comes; the time of the thread that does so, while another writes.
  private func append(_ path: String) throws -> Double {
    let writer = try LogWriter(path, LogSettings(maxSize: 1 << 40), whenFull: .wait) { _ in }
    defer { writer.close(within: .seconds(60)) }
    return try processorTime(inGroupsOf: 1, by: CLOCK_THREAD_CPUTIME_ID) { line in
      if writer.admits(isDurable: true) { writer.append(lines: line) }
    }
  }

  private func parse() throws -> Double {
    var output = OutputBuffer(FileDescriptor.standardOutput)
    put(events, into: &output)
    defer { output.discard() }
    return output.withWaiting { octets in
      let line = Octets(octets).prefix(octets.count - 1)
      let start = nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID)
      var sum: UInt64 = 0
      for _ in 0..<events { sum &+= LogLine(line)?.sequence ?? 0 }
      // Of what came out, so that the compiler leaves nothing out.
      precondition(sum == UInt64(events + 1) &* UInt64(events))
      return (nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) - start) / Double(events)
    }
  }

  private func read(_ path: String) throws -> Double {
    let start = nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID)
    let reader = LogReader(path, from: 1)
    var count = 0
    try reader.readAvailable { if case .line = $0 { count += 1 } }
    guard count == events else { throw BenchFailure.failed("read \(count) of \(events) events") }
    return (nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) - start) / Double(events)
  }

  /// The time from the question to the last line of the answer.
  private func search(_ path: String) throws -> (time: Double, found: Int) {
    let start = nanoseconds(of: CLOCK_MONOTONIC)
    let (since, until) = (time(events / 2), time(events / 2 + 5999))
    var found = 0
    try LogSearch(path, since: since, until: until).forEachLine { _ in
      found += 1
      return true
    }
    guard found == 6000 else { throw BenchFailure.failed("found \(found) events of 6000") }
    return (nanoseconds(of: CLOCK_MONOTONIC) - start, found)
  }

  /// A full last segment with a torn line at its end.
  private func recover(_ path: String) throws -> Double {
    _ = try Folder(making: path, mode: 0o750)
    let file = try FileDescriptor(writing: "\(path)/00000000000000000001.jsonl")
    var output = OutputBuffer(file)
    var index = 0
    while Int64(output.count) + (file.fileSize ?? 0) < 8 << 20 {
      put(index, into: &output)
      output.flush()
      index += 1
    }
    try file.write("{\"seq\":")
    let start = nanoseconds(of: CLOCK_MONOTONIC)
    let store = try LogStore(path, LogSettings())
    let time = nanoseconds(of: CLOCK_MONOTONIC) - start
    guard store.next == UInt64(index + 1) else { throw BenchFailure.failed("recovered up to \(store.next)") }
    return time
  }

  // MARK: Lines

  /// Processor time of an event, without what making its line takes.
  private func processorTime(
    inGroupsOf group: Int = Self.group, by clock: clockid_t = CLOCK_PROCESS_CPUTIME_ID,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Double {
    var times: [Double] = []
    for isMeasured in [false, true] {
      var output = OutputBuffer(FileDescriptor.standardOutput)
      let start = nanoseconds(of: clock)
      for first in stride(from: 0, to: events, by: group) {
        for index in first..<min(first + group, events) { put(index, into: &output) }
        if isMeasured { try output.withWaiting { octets in Result { try body(octets) } }.get() }
        output.discard()
      }
      times.append(nanoseconds(of: clock) - start)
    }
    return (times[1] - times[0]) / Double(events)
  }

  /// A line as long as one with a beacon and a location.
  private func put(_ index: Int, into output: inout OutputBuffer) {
    output.put("{\"seq\":")
    output.put(decimal: UInt64(index + 1))
    output.put(",\"time\":\"")
    output.put(iso8601: time(index))
    output.put(
      "\",\"event\":\"didEnter\",\"gateway\":\"gateway-1\",\"region\":\"hall\",\"scope\":\"beacon\",\"beacon\":")
    output.put("{\"kind\":\"ibeacon\",\"uuid\":\"74278bda-b644-4520-8f0c-720eaf059935\",\"major\":1,\"minor\":7,")
    output.put(
      "\"address\":\"c0:00:00:00:00:01\",\"measuredPower\":-59.0,\"powerSource\":\"advertised\"},\"location\":")
    output.put(
      "{\"latitude\":52.5163000,\"longitude\":13.3777000,\"accuracy\":4.00,\"source\":\"gps\",\"age\":0.500}}\n")
  }

  private func time(_ index: Int) -> UnixTime {
    UnixTime(nanoseconds: 1_796_113_800_000_000_000 + Int64(index) * Self.step)
  }
}

/// Removes a log and its folder.
func removeLog(_ path: String) {
  guard let folder = try? Folder(path) else { return }
  for name in (try? folder.names()) ?? [] { try? folder.remove(name) }
  rmdir(path)
}
