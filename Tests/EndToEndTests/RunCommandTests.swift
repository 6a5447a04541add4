import BluetoothLE
import Foundation
import Simulation
import TestSupport
import Testing

/// `beacond run` as a person, a service manager and a script see it.
struct RunCommandTests {
  /// The lobby lasts a quarter of an hour.
  private static let lobby = "replay:" + LobbyFixture.path("lobby.btsnoop")

  /// A folder with a configuration whose log is in it.
  private struct Place {
    let folder: String
    var log: String { folder + "/events" }
    var configuration: String { folder + "/beacond.yaml" }

    init(_ folder: String, _ text: String = "", log: String? = nil) throws {
      self.folder = folder
      try write(text, log: log)
    }

    func write(_ text: String, log: String? = nil) throws {
      let text = "gateway: lobby-pi\nlog: {folder: \"\(log ?? self.log)\", sync: 100 ms}\n" + text
      try text.write(toFile: configuration, atomically: true, encoding: .utf8)
    }

    func arguments(_ rest: [String] = ["--speed", "max"], source: String = lobby) -> [String] {
      ["run", "--config", configuration, "--source", source] + rest
    }

    /// All lines of the log, each checked to bear the number behind the last one's.
    func lines() throws -> [Substring] { try lines(in: log) }

    func lines(in log: String) throws -> [Substring] {
      let names = try FileManager.default.contentsOfDirectory(atPath: log).filter { $0.hasSuffix(".jsonl") }.sorted()
      let text = try names.map { try String(contentsOfFile: log + "/" + $0, encoding: .utf8) }.joined()
      let lines = text.split(separator: "\n")
      for (number, line) in lines.enumerated() { #expect(line.hasPrefix("{\"seq\":\(number + 1),")) }
      let fault = try EventSchema.fault(in: lines)
      #expect(fault == nil)
      return lines
    }
  }

  /// A run in the background.
  private final class Running {
    let process = Process()
    private let error: String

    init(_ arguments: [String], in folder: String) throws {
      error = folder + "/error"
      try Data().write(to: URL(fileURLWithPath: error))
      process.executableURL = URL(fileURLWithPath: Beacond.path)
      process.arguments = arguments
      process.standardError = FileHandle(forWritingAtPath: error)
      process.standardOutput = FileHandle.nullDevice
      process.standardInput = FileHandle.nullDevice
      try process.run()
    }

    var said: String { (try? String(contentsOfFile: error, encoding: .utf8)) ?? "" }

    func wait(_ isSo: () -> Bool) -> Bool {
      let deadline = Date() + 60
      while !isSo() {
        if Date() > deadline { return false }
        usleep(20_000)
      }
      return true
    }

    func wait(forLine text: String) -> Bool { wait { said.contains(text) } }

    /// Ends it; gives the exit code and the seconds that it took.
    func end(_ number: Int32 = SIGTERM) -> (code: Int32, seconds: Double) {
      let start = ContinuousClock.now
      kill(process.processIdentifier, number)
      process.waitUntilExit()
      return (process.terminationStatus, (ContinuousClock.now - start) / .seconds(1))
    }
  }

  /// What of a line no run repeats: times, and what is counted from one run to the next.
  private func events(_ lines: [Substring]) -> [String] {
    lines.map { line in
      guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { return "" }
      let beacon = object["beacon"] as? [String: Any]
      let words = [
        object["event"], object["region"], object["scope"], object["state"], object["cause"], beacon?["address"],
      ]
      let ranged = (object["beacons"] as? [[String: Any]])?.map { "\($0["distance"] ?? "")" }
      return (words.compactMap { $0.map { "\($0)" } } + (ranged ?? [])).joined(separator: " ")
    }
  }

  @Test func theLogHoldsWhatAReplaySays() throws {
    try withTemporaryFolder { folder in
      let place = try Place(folder)
      let outcome = try Beacond.run(place.arguments())
      #expect(outcome.code == 0 && outcome.output.isEmpty)
      #expect(
        outcome.errorLines == [
          "beacond: log in \(place.log), from event 1 on; starting anew", "beacond: ended after event 368",
        ])
      let replay = try Beacond.run(["replay", "--format", "json", LobbyFixture.path("lobby.btsnoop")])
      let logged = try events(place.lines())
      #expect(logged == events(replay.lines))
      #expect(logged.count == 368)
    }
  }

  @Test func nobodyEntersOrLeavesForARestart() throws {
    try withTemporaryFolder { folder in
      let place = try Place(folder)
      for _ in 0..<2 {
        let outcome = try Beacond.run(place.arguments())
        #expect(outcome.code == 0)
      }
      let lines = try events(place.lines())
      var inside: Set<Substring> = []
      for line in lines where line.hasPrefix("didEnter") || line.hasPrefix("didExit") {
        let words = line.split(separator: " ")
        let subject = words[2] == "beacon" ? words[words.count - 1] : "region"
        if words[0] == "didEnter" {
          #expect(inside.insert(subject).inserted, "\(line)")
        } else {
          #expect(inside.remove(subject) != nil, "\(line)")
        }
      }
      #expect(inside.contains("region"))
    }
  }

  @Test(arguments: [SIGTERM, SIGINT]) func aSignalEndsItInOrderAndSoon(number: Int32) throws {
    try withTemporaryFolder { folder in
      let place = try Place(folder)
      let run = try Running(place.arguments(["--speed", "50"]), in: folder)
      #expect(run.wait(forLine: "starting anew"))
      usleep(500_000)
      let (code, seconds) = run.end(number)
      #expect(code == 0)
      #expect(seconds < 5)
      let lines = try place.lines()
      #expect(!lines.isEmpty && run.said.contains("ended after event \(lines.count)"), "\(run.said)")
      let state = try String(contentsOfFile: place.log + "/state", encoding: .utf8)
      #expect(state.split(separator: "\n").first?.contains("\"seq\":\(lines.count),\"final\":true") == true)
    }
  }

  @Test func hangingUpReadsTheConfigurationAnew() throws {
    try withTemporaryFolder { folder in
      let place = try Place(folder, "regions:\n  - {id: old, match: [any]}\n")
      let run = try Running(place.arguments(["--speed", "20"]), in: folder)
      let hasEntered = { (region: String) in
        (try? place.lines().contains { $0.contains("\"event\":\"didEnter\"") && $0.contains("\"\(region)\"") }) ?? false
      }
      #expect(run.wait { hasEntered("old") })
      try place.write("regions:\n  - {id: old, match: [any}\n")
      kill(run.process.processIdentifier, SIGHUP)
      #expect(run.wait(forLine: "going on with the configuration as it was"))
      #expect(run.said.contains("\(place.configuration):"))
      try place.write("regions:\n  - {id: new, match: [any]}\n")
      kill(run.process.processIdentifier, SIGHUP)
      #expect(run.wait(forLine: "configuration taken over"))
      #expect(run.wait { hasEntered("new") })
      #expect(run.end().code == 0)
      let lines = try events(place.lines())
      #expect(lines.contains("didStartMonitoring old") && lines.contains("didStartMonitoring new"))
      #expect(lines.contains { $0.hasPrefix("didExit old region removed") })
    }
  }

  @Test func whatItShowsIsEveryEventWithoutANumber() throws {
    try withTemporaryFolder { folder in
      // Nothing but what happens once is logged.
      let place = try Place(folder)
      try place.write("", log: nil)
      let text = try String(contentsOfFile: place.configuration, encoding: .utf8)
      try text.replacingOccurrences(of: "sync:", with: "range-log: none, sync:").write(
        toFile: place.configuration, atomically: true, encoding: .utf8)
      let outcome = try Beacond.run(place.arguments(["--speed", "max", "--stdout", "--format", "json"]))
      let replay = try Beacond.run(["replay", "--format", "json", LobbyFixture.path("lobby.btsnoop")])
      #expect(events(outcome.lines) == events(replay.lines))
      #expect(outcome.lines.allSatisfy { $0.hasPrefix("{\"time\":") })
      let fault = try EventSchema.fault(in: outcome.lines)
      #expect(fault == nil)
      let logged = try events(place.lines())
      #expect(logged == events(replay.lines.filter { !$0.contains("\"didRange\"") }))
      let shown = try Beacond.run(place.arguments(["--speed", "max", "--stdout", "--format", "text"]))
      #expect(shown.lines.first?.hasSuffix("everything: monitoring starts") == true)
    }
  }

  /// Twenty beacons that stay, for the wear of memory cards.
  @Test func atTheDefaultsItWritesAtMostOnceASecond() throws {
    try withTemporaryFolder { folder in
      var recording = Recording(Scene.day(beacons: 20, hours: 0.01), as: .monitor)
      var octets: [UInt8] = []
      while recording.append(to: &octets) {}
      let capture = folder + "/capture"
      try Data(octets).write(to: URL(fileURLWithPath: capture))
      let place = try Place(folder)
      try "log: {folder: \"\(place.log)\"}\n".write(toFile: place.configuration, atomically: true, encoding: .utf8)
      let run = try Running(place.arguments([], source: "replay:" + capture), in: folder)
      let segment = place.log + "/00000000000000000001.jsonl"
      #expect(run.wait { size(of: segment) > 0 })
      var writes = 0
      let start = ContinuousClock.now
      var last = size(of: segment)
      while ContinuousClock.now - start < .seconds(6) {
        usleep(2_000)
        let now = size(of: segment)
        if now != last { writes += 1 }
        last = now
      }
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      #expect(run.end().code == 0)
      #expect(writes <= Int(seconds) + 1, "\(writes) in \(seconds) s")
      #expect(writes >= 3, "it ranges, and so it writes")
    }
  }

  private func size(of path: String) -> UInt64 {
    ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? UInt64) ?? 0
  }

  // MARK: What goes wrong

  @Test(.enabled(if: SmallFileSystem.isPossible(.tmpfs), "needs root and the right to mount"))
  func aDiskThatFillsAndIsFreedLosesNothingAndIsSaidOnce() throws {
    for kind in SmallFileSystem.Kind.allCases where SmallFileSystem.isPossible(kind) {
      try withTemporaryFolder { folder in
        let disk = try #require(SmallFileSystem(kind))
        let place = try Place(folder, log: disk.path + "/events")
        let run = try Running(place.arguments(["--speed", "30"]), in: folder)
        #expect(run.wait { ((try? place.lines(in: disk.path + "/events")) ?? []).count > 20 })
        let filler = try disk.fill()
        let trouble = "cannot write: No space left on device; events wait in memory"
        #expect(run.wait(forLine: trouble), "\(kind): \(run.said)")
        // It goes on hearing meanwhile, and says nothing more.
        usleep(1_500_000)
        #expect(run.said.components(separatedBy: "No space").count == 2)
        try FileManager.default.removeItem(atPath: filler)
        #expect(run.wait(forLine: "writing again, nothing was lost"), "\(kind): \(run.said)")
        run.process.waitUntilExit()
        #expect(run.process.terminationStatus == 0)
        let replay = try Beacond.run(["replay", "--format", "json", LobbyFixture.path("lobby.btsnoop")])
        let logged = try events(place.lines(in: disk.path + "/events"))
        #expect(logged == events(replay.lines), "\(kind)")
      }
    }
  }

  @Test func oneFolderHasOneRun() throws {
    try withTemporaryFolder { folder in
      let place = try Place(folder)
      let run = try Running(place.arguments(["--speed", "1"]), in: folder)
      #expect(run.wait(forLine: "starting anew"))
      let outcome = try Beacond.run(place.arguments())
      #expect(outcome.code == 75)
      #expect(
        outcome.error
          == "beacond run: \(place.log) is written by process \(run.process.processIdentifier) already\n")
      #expect(run.end().code == 0)
    }
  }

  @Test(.enabled(if: access("/usr/bin/setpriv", X_OK) == 0 && getuid() == 0, "nobody to be: no setpriv, or not root"))
  func whoMayNotHearIsToldWhatGrantsIt() throws {
    try withTemporaryFolder { folder in
      let place = try Place(folder)
      let outcome = try Beacond.run(
        place.arguments([], source: "hci"), program: Beacond.copyForOthers(in: folder),
        through: ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
      #expect(outcome.code == 77)
      #expect(outcome.errorLines.count == 1)
      #expect(outcome.error.contains("needs CAP_NET_RAW") && outcome.error.contains("setcap cap_net_raw"))
    }
  }

  @Test func faultsEndItWithALineAndACode() throws {
    try withTemporaryFolder { folder in
      let place = try Place(folder)
      func outcome(_ arguments: [String]) throws -> (Int32, String) {
        let outcome = try Beacond.run(arguments)
        return (outcome.code, outcome.error)
      }
      #expect(
        try outcome(place.arguments(source: "lobby")) == (
          64,
          "beacond run: --source 'lobby': it is hci, bluez or auto; 'run' also takes replay:CAPTURE. 'beacond run --help' says how it is used.\n"
        ))
      #expect(try outcome(place.arguments(source: "replay:-")).0 == 64)
      #expect(try outcome(place.arguments(["--speed", "0"])).0 == 64)
      #expect(
        try outcome(place.arguments(["capture"])) == (
          64,
          "beacond run: 'capture': a capture is given as --source replay:capture. 'beacond run --help' says how it is used.\n"
        ))
      let missing = try outcome(place.arguments(source: "replay:\(folder)/none"))
      #expect(missing == (66, "beacond run: \(folder)/none: cannot open: No such file or directory\n"))
      let letter = folder + "/letter"
      try Data("Dear all,\n".utf8).write(to: URL(fileURLWithPath: letter))
      #expect(try outcome(place.arguments(source: "replay:" + letter)).0 == 65)
      try place.write("", log: letter + "/events")
      let (code, error) = try outcome(place.arguments())
      #expect(code == 73 && error.hasPrefix("beacond run: event log: cannot make \(letter)/events: "), "\(error)")
      try place.write("regions: 7\n")
      #expect(try outcome(place.arguments()).0 == 78)
    }
  }

  @Test func aStateThatIsDamagedIsKeptAndSaid() throws {
    try withTemporaryFolder { folder in
      let place = try Place(folder)
      _ = try Beacond.run(place.arguments())
      try Data("{}".utf8).write(to: URL(fileURLWithPath: place.log + "/state"))
      let outcome = try Beacond.run(place.arguments())
      #expect(outcome.code == 0)
      let line = try #require(outcome.errorLines.first)
      #expect(line.hasPrefix("beacond: \(place.log)/state: line 1: the file is cut; it is kept as \(place.log)/state."))
      #expect(line.hasSuffix(", what happened before is taken from the log"))
      #expect(
        outcome.errorLines.dropFirst().first?.hasSuffix("when it ended without saying so: 1 region is entered") == true)
      let kept = try FileManager.default.contentsOfDirectory(atPath: place.log).filter { $0.hasPrefix("state.") }
      #expect(kept.count == 1)
    }
  }
}
