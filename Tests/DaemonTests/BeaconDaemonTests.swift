import BluetoothLE
import Daemon
import EventLog
import Glibc
import Linux
import Proximity
import TestSupport
import Testing

/// A gateway's log and state over its runs. Its clocks are set by hand; the log's thread has the machine's.
struct BeaconDaemonTests {
  private static let second: Int64 = 1_000_000_000
  /// 2026-12-01T08:30:00Z.
  private static let start: Int64 = 1_796_113_800

  /// Clocks that a test sets.
  private final class Clocks: Sendable {
    private struct Reading: Sendable {
      var utc: Int64
      var sinceBoot: Int64
    }

    private let reading = Guarded(Reading(utc: BeaconDaemonTests.start, sinceBoot: 100))
    let isSynchronized = Guarded(true)

    func pass(_ seconds: Int64) {
      reading.withLock { reading in
        reading.utc += seconds
        reading.sinceBoot += seconds
      }
    }

    func set(by seconds: Int64) {
      reading.withLock { $0.utc += seconds }
    }

    var moment: Moment {
      let reading = reading.withLock { $0 }
      return Moment(
        utc: UnixTime(nanoseconds: reading.utc * second), isSynchronized: isSynchronized.withLock { $0 },
        boot: "6d0f1a2b", sinceBoot: reading.sinceBoot * second)
    }
  }

  private let folder: TemporaryFolder
  private let clocks = Clocks()
  /// What a person was told.
  private let told = Guarded<[String]>([])

  init() throws {
    folder = try TemporaryFolder()
  }

  private func configuration(_ text: String = "  - {id: a, match: [any], each: true, range: true}\n") throws
    -> Configuration
  {
    var configuration = try Configuration("gateway: g\nregions:\n" + text)
    configuration.log.folder = folder.log
    configuration.log.sync = .milliseconds(1)
    return configuration
  }

  private func daemon(
    _ configuration: Configuration, reread: @escaping () -> Configuration? = { nil }
  ) throws(LogFailure) -> BeaconDaemon {
    let (told, clocks) = (told, clocks)
    return try BeaconDaemon(
      configuration, signals: .silent, isProven: true, clocks: { clocks.moment }, reread: reread,
      report: { line in told.withLock { $0.append(line) } })
  }

  /// A beacon is heard once a second for so long.
  private func hear(_ daemon: inout BeaconDaemon, seconds: Int64) {
    var decoder = ReportDecoder(joiningFragments: true)
    for _ in 0..<seconds {
      clocks.pass(1)
      let instant = Instant(nanoseconds: clocks.moment.sinceBoot)
      let event = Advertisement.legacyEvent(
        Advertisement.iBeacon(major: 1, minor: 7), address: 0xc000_0000_0001, rssi: -60)
      event.withUnsafeBytes { octets in
        let packet = CapturedPacket(
          record: 1, time: nil, adapter: 0, content: .hci(.event), octets: Octets(octets), isCut: false)
        _ = decoder.decode(packet) { daemon.take($0, from: 0, at: instant) }
      }
      daemon.publish()
    }
    daemon.tend()
  }

  /// All but the lists, as `didEnter region`, in the order of `seq`, which is checked.
  private func logged() throws -> [String] {
    var lines: [String] = []
    var next: UInt64 = 1
    try LogReader(folder.log).readAvailable { item in
      guard case .line(let line) = item, let json = line.json else {
        Issue.record("no line")
        return
      }
      #expect(line.sequence == next)
      next += 1
      let event = json["event"]?.string ?? ""
      if event == "didRange" { return }
      let words = [event, json["scope"]?.string, json["state"]?.string ?? json["cause"]?.string]
      lines.append(words.compactMap { $0 }.joined(separator: " "))
    }
    return lines
  }

  private static let enters = [
    "didStartMonitoring", "didDetermineState region inside", "didEnter region", "didDetermineState beacon inside",
    "didEnter beacon",
  ]
  /// What a start says of those who are inside: nothing is known until they are heard.
  private static let goesOn = [
    "didStartMonitoring", "didDetermineState region unknown", "didDetermineState beacon unknown",
    "didDetermineState region inside", "didDetermineState beacon inside",
  ]

  // MARK: Restarts

  @Test(arguments: [2, 172_800] as [Int64], [true, false])
  func nobodyEntersOrLeavesForARestart(pause: Int64, isOrderly: Bool) throws {
    let configuration = try configuration()
    var first = try daemon(configuration)
    hear(&first, seconds: 20)
    if isOrderly {
      let isWritten = first.end()
      #expect(isWritten)
    } else {
      crash(first)
    }
    clocks.pass(pause)
    var second = try daemon(configuration)
    hear(&second, seconds: 20)
    let isWritten = second.end()
    #expect(isWritten)
    #expect(try logged() == Self.enters + Self.goesOn)
    let told = told.withLock { $0 }
    let goingOn = "log in \(folder.log), from event 25 on; going on from \(pause) s ago"
    let how = isOrderly ? "" : ", when it ended without saying so"
    #expect(told.contains("\(goingOn)\(how): 1 region is entered"), "\(told)")
  }

  private func crash(_ daemon: consuming BeaconDaemon) {
    _ = consume daemon
    // The log's thread has still to let the folder go.
    let deadline = BootClock.now + 10 * Self.second
    while BootClock.now < deadline {
      if let folder = try? Folder(folder.log), let lock = try? FileLock("lock", in: folder) {
        _ = consume lock
        return
      }
      BootClock.sleep(until: BootClock.now + 10_000_000)
    }
  }

  @Test func whoDoesNotComeBackLeavesAndNobodySaysWhen() throws {
    let configuration = try configuration()
    var first = try daemon(configuration)
    hear(&first, seconds: 20)
    _ = first.end()
    clocks.pass(172_800)
    var second = try daemon(configuration)
    clocks.pass(1000)
    second.advance(to: Instant(nanoseconds: clocks.moment.sinceBoot))
    _ = second.end()
    let logged = try logged()
    #expect(
      logged.suffix(4) == [
        "didDetermineState beacon outside", "didExit beacon unobserved", "didDetermineState region outside",
        "didExit region unobserved",
      ])
  }

  // MARK: The state file

  @Test(arguments: ["", "{\"beacond-state\":1", "{\"beacond-state\":2}\n{}\n{}\n"])
  func aStateThatCannotBeReadIsKeptAndTheLogTellsWhoIsInside(content: String) throws {
    let configuration = try configuration()
    var first = try daemon(configuration)
    hear(&first, seconds: 20)
    _ = first.end()
    try folder.write(Array(content.utf8), "state")
    clocks.pass(3600)
    var second = try daemon(configuration)
    hear(&second, seconds: 20)
    _ = second.end()
    #expect(try logged() == Self.enters + Self.goesOn)
    let aside = "state.2026-12-01T09:30:20.000Z"
    #expect(folder.content(aside) == Array(content.utf8))
    let line = told.withLock { told in told.first { $0.contains(aside) } }
    #expect(line?.hasPrefix("\(folder.log)/state: ") == true, "\(told.withLock { $0 })")
    #expect(line?.contains("later version (format 2, this one reads 1)") == content.contains(":2"))
  }

  @Test func withoutAStateTheLogTellsWhoIsInside() throws {
    let configuration = try configuration()
    var first = try daemon(configuration)
    hear(&first, seconds: 20)
    _ = first.end()
    #expect(unlink(folder.log + "/state") == 0)
    var second = try daemon(configuration)
    hear(&second, seconds: 20)
    _ = second.end()
    #expect(try logged() == Self.enters + Self.goesOn)
  }

  @Test func numbersGoOnBehindTheStateWhereTheLogIsGone() throws {
    let configuration = try configuration()
    var first = try daemon(configuration)
    hear(&first, seconds: 20)
    _ = first.end()
    let segment = "00000000000000000001.jsonl"
    #expect(unlink("\(folder.log)/\(segment)") == 0)
    var second = try daemon(configuration)
    hear(&second, seconds: 3)
    _ = second.end()
    var first25 = false
    try LogReader(folder.log).readAvailable { item in
      if case .line(let line) = item, line.sequence == 25 { first25 = line.event == .didStartMonitoring }
    }
    #expect(first25)
  }

  // MARK: The wall clock

  @Test(arguments: [-1_209_600, 1_209_600] as [Int64])
  func aClockThatIsSetByTwoWeeksMovesTimesAndNothingElse(step: Int64) throws {
    var configuration = try configuration()
    configuration.log.maxAge = .seconds(86_400)
    configuration.log.maxSize = 256_000
    var daemon = try daemon(configuration)
    hear(&daemon, seconds: 100)
    clocks.set(by: step)
    // A look at the clocks is due once in a second of the machine's.
    BootClock.sleep(until: BootClock.now + 1_100_000_000)
    daemon.tend()
    hear(&daemon, seconds: 100)
    _ = daemon.end()
    // All of it is there, and nobody has entered or left.
    #expect(try logged() == Self.enters)
    let way = step > 0 ? "forward" : "back"
    let line = "the system clock was set \(way) by 1209600.0 s; nobody enters or leaves for it"
    #expect(told.withLock { $0 }.contains(line))
    let last = try #require(try lastTime())
    #expect(last.nanoseconds == (Self.start + step + 200) * Self.second)
  }

  private func lastTime() throws -> UnixTime? {
    var time: UnixTime?
    try LogReader(folder.log).readAvailable { item in
      if case .line(let line) = item { time = line.time }
    }
    return time
  }

  @Test func whileNobodyKeepsTheClockRightEventsSaySo() throws {
    clocks.isSynchronized.withLock { $0 = false }
    var daemon = try daemon(configuration())
    hear(&daemon, seconds: 5)
    _ = daemon.end()
    var flags: Set<Bool> = []
    try LogReader(folder.log).readAvailable { item in
      if case .line(let line) = item { flags.insert(line.isSynchronized) }
    }
    #expect(flags == [false])
  }

  // MARK: One folder, one writer

  @Test func twoDaemonsDoNotShareAFolder() throws {
    let configuration = try configuration()
    var first = try daemon(configuration)
    hear(&first, seconds: 5)
    #expect(throws: LogFailure.locked(folder: folder.log, process: getpid())) {
      _ = try daemon(configuration)
    }
    let isWritten = first.end()
    #expect(isWritten)
  }
}
