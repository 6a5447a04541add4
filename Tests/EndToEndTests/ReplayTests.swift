import Foundation
import Testing

/// `beacond replay` with all that a person can ask of it.
struct ReplayTests {
  /// The lobby's recording in two captures, each record in the one that `isFirst` says of its number from 0.
  private static func split(_ isFirst: (Int, _ count: Int) -> Bool) throws -> (Data, Data) {
    let capture = try LobbyFixture.data("lobby.btsnoop")
    var records: [Data] = []
    var rest = capture.dropFirst(16)
    while rest.count >= 24 {
      let length = rest.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | Int($1) }
      records.append(rest.prefix(24 + length))
      rest = rest.dropFirst(24 + length)
    }
    var parts = (capture.prefix(16), capture.prefix(16))
    for (number, record) in records.enumerated() {
      if isFirst(number, records.count) { parts.0 += record } else { parts.1 += record }
    }
    return parts
  }

  private static func replay(_ arguments: [String]) throws -> Beacond.Outcome {
    try Beacond.run(["replay", "--format", "json"] + arguments)
  }

  private let whole = try? replay([LobbyFixture.path("lobby.btsnoop")])

  // MARK: Several captures

  @Test func inPartsItGivesTheSameBytesInAnyOrder() throws {
    let whole = try #require(whole)
    let parts = try Self.split { $0 < $1 / 3 }
    try withTemporaryFolder { folder in
      try parts.0.write(to: URL(fileURLWithPath: folder + "/a"))
      try parts.1.write(to: URL(fileURLWithPath: folder + "/b"))
      for order in [["a", "b"], ["b", "a"]] {
        let outcome = try Self.replay(order.map { folder + "/" + $0 })
        #expect(outcome.code == 0)
        #expect(outcome.output == whole.output)
      }
      let piped = try Beacond.run(["replay", folder + "/a", "-"], input: Array(parts.1))
      #expect(piped.output == whole.output)
    }
  }

  @Test func heardByTwoGatewaysWhoCameAndLeftStaysTheSame() throws {
    let whole = try #require(whole)
    let parts = try Self.split { number, _ in number % 2 == 0 }
    try withTemporaryFolder { folder in
      try parts.0.write(to: URL(fileURLWithPath: folder + "/even"))
      try parts.1.write(to: URL(fileURLWithPath: folder + "/odd"))
      let merged = try Self.replay([folder + "/even", folder + "/odd"])
      // Without times: a second antenna makes for a rhythm of its own, and so for another moment to give a beacon up.
      func presence(_ outcome: Beacond.Outcome) -> [Substring] {
        outcome.lines.filter { $0.contains("didEnter") || $0.contains("didExit") }.compactMap { line in
          line.split(separator: "\"event\":").last?.split(separator: ",\"address\"").first
        }
      }
      #expect(presence(whole).count == 11)
      #expect(presence(merged) == presence(whole))
    }
  }

  @Test func aBrokenCaptureIsNamedAndTheOthersAreReplayed() throws {
    let whole = try #require(whole)
    try withTemporaryFolder { folder in
      try Data("Dear all,\n".utf8).write(to: URL(fileURLWithPath: folder + "/letter"))
      let outcome = try Self.replay([folder + "/letter", LobbyFixture.path("lobby.btsnoop")])
      #expect(outcome.code == 65)
      #expect(outcome.output == whole.output)
      #expect(outcome.errorLines.last?.hasPrefix("beacond replay: \(folder)/letter: ") == true)
    }
  }

  // MARK: Pace

  @Test func atASpeedItGivesTheSameBytesAndTakesItsTime() throws {
    let whole = try #require(whole)
    let start = ContinuousClock.now
    let outcome = try Self.replay(["--speed", "400", LobbyFixture.path("lobby.btsnoop")])
    #expect(outcome.output == whole.output)
    // 345 s of the recording.
    #expect(ContinuousClock.now - start >= .milliseconds(860))
    #expect(try Self.replay(["--speed=max", LobbyFixture.path("lobby.btsnoop")]).output == whole.output)
  }

  // MARK: Outages

  @Test func whatIsSaidOfAdaptersMakesAnOutage() throws {
    try withTemporaryFolder { folder in
      let changes = "100 0 stopped pulled out\n100 1 stopped pulled out\n220 1 scanning found again\n"
      try Data(changes.utf8).write(to: URL(fileURLWithPath: folder + "/changes"))
      // Two minutes in which nothing was heard.
      let heard = try Self.split { _, _ in true }.0
      var quiet = heard.prefix(16)
      var rest = heard.dropFirst(16)
      var start: Int64?
      while rest.count >= 24 {
        let length = rest.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let time = rest.dropFirst(16).prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let seconds = Double(time - (start ?? time)) / 1e6
        start = start ?? time
        if !(100...220).contains(seconds) { quiet += rest.prefix(24 + length) }
        rest = rest.dropFirst(24 + length)
      }
      try quiet.write(to: URL(fileURLWithPath: folder + "/quiet"))
      func events(_ options: [String]) throws -> [Substring] {
        let outcome = try Self.replay(options + ["--range-log", "none", folder + "/quiet"])
        #expect(outcome.code == 0)
        return outcome.lines
      }
      let told = try events(["--scanner-events", folder + "/changes"])
      #expect(told.filter { $0.contains("scannerDidChange") }.count == 3)
      #expect(told.contains { $0.contains(#""event":"monitoringDidFail""#) && $0.contains("pulled out") })
      // From 08:31:40 to 08:33:40 nobody leaves, as nobody could be heard; when who is gone afterwards left is not known.
      func exits(_ lines: [Substring]) -> [Substring] { lines.filter { $0.contains("didExit") } }
      #expect(exits(told).count == 2)
      #expect(exits(told).allSatisfy { $0.contains("T08:33:5") && $0.contains(#""cause":"unobserved""#) })
      #expect(exits(try events([])).contains { $0.contains("T08:32:") && $0.contains(#""cause":"silence""#) })
    }
  }

  @Test func aFaultInTheChangesIsNamedWithItsLine() throws {
    try withTemporaryFolder { folder in
      let path = folder + "/changes"
      try Data("1 0 stopped\n2 0 asleep\n".utf8).write(to: URL(fileURLWithPath: path))
      let outcome = try Self.replay(["--scanner-events", path, LobbyFixture.path("lobby.btsnoop")])
      #expect(outcome.code == 65)
      #expect(outcome.output == "")
      #expect(
        outcome.error == "beacond replay: \(path):2: 'asleep' is not a state; "
          + "it is one of scanning, degraded, stopped\n")
      #expect(try Self.replay(["--scanner-events", folder + "/none", "-"]).code == 66)
    }
  }

  // MARK: For a person

  @Test func eventsAreNumberedWithoutAGap() throws {
    let lines = try #require(whole).lines
    #expect(lines.count > 300)
    for (index, line) in lines.enumerated() {
      guard line.hasPrefix("{\"seq\":\(index + 1),") else {
        Issue.record("line \(index + 1): \(line.prefix(40))")
        return
      }
    }
  }

  @Test func theSummaryCountsWhatWasWritten() throws {
    let whole = try #require(whole)
    var counts: [Substring: Int] = [:]
    for line in whole.lines {
      let event = try #require(line.split(separator: "\"event\":\"").dropFirst().first).prefix { $0 != "\"" }
      counts[event, default: 0] += 1
    }
    let expected = ["didStartMonitoring", "didDetermineState", "didEnter", "didExit", "didRange"].map { name in
      "\(counts[Substring(name), default: 0]) \(name)"
    }
    #expect(whole.error == "3389 reports in 345.0 s\n\(expected.joined(separator: ", "))\n")
    #expect(try Self.replay(["--quiet", LobbyFixture.path("lobby.btsnoop")]).error == "")
    let empty = try Beacond.run(["replay", "-"], input: Array(try LobbyFixture.data("lobby.btsnoop").prefix(16)))
    #expect(empty.code == 0)
    #expect(empty.error == "0 reports in 0.0 s\nno events\n")
  }

  /// With a terminal of its own; script is part of every Debian.
  @Test(.enabled(if: access("/usr/bin/script", X_OK) == 0, "no terminal: /usr/bin/script is missing"))
  func onATerminalItIsTextInColors() throws {
    let path = LobbyFixture.path("lobby.btsnoop")
    func onTerminal(_ variables: [String]) throws -> String {
      let command = "\(Beacond.path) replay --quiet --range-log none \(path)"
      return try Beacond.run(
        ["-qec", command, "/dev/null"], program: "/usr/bin/script", through: ["/usr/bin/env"] + variables
      ).output.replacing("\r\n", with: "\n")
    }
    let plain = try Beacond.run(["replay", "--quiet", "--format", "text", "--range-log", "none", path]).output
    #expect(plain.contains(" entered") && !plain.contains("\u{1b}"))
    let colored = try onTerminal(["-u", "NO_COLOR", "TERM=xterm"])
    #expect(colored.contains("\u{1b}[32meverything entered"))
    #expect(try Regex("\u{1b}\\[[0-9]+m").removed(from: colored) == plain)
    for variables in [["NO_COLOR=1", "TERM=xterm"], ["-u", "NO_COLOR", "TERM=dumb"]] {
      #expect(try onTerminal(variables) == plain)
    }
  }
}

extension Regex {
  fileprivate func removed(from text: String) -> String { text.replacing(self, with: "") }
}
