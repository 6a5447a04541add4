import Foundation
import Linux
import TestSupport
import Testing

/// `beacond events` on a log that nobody writes.
struct EventsCommandTests {
  // MARK: What is written

  /// The lobby's events as a log in three segments.
  @Test func theLogOfAReplayIsWhatTheReplayWrites() throws {
    let capture = LobbyFixture.path("lobby.btsnoop")
    let json = try Beacond.run(["replay", "--quiet", "--format", "json", capture])
    let text = try Beacond.run(["replay", "--quiet", "--format", "text", capture])
    #expect(json.lines.count > 300)
    try withEventsScene { scene in
      for (start, end) in [(0, 100), (100, 101), (101, json.lines.count)] {
        try scene.write(start + 1, json.lines[start..<end].map { $0 + "\n" }.joined())
      }
      let asIs = try scene.events()
      #expect(asIs.code == 0 && asIs.error == "")
      #expect(asIs.output == json.output)
      #expect(try scene.events("--format", "text").output == text.output)
    }
  }

  @Test func whatALaterVersionWritesIsPassedOn() throws {
    let later =
      #"{"seq":2,"time":"2026-12-01T08:30:00.125Z","event":"didVisit","gateway":"g","region":"hall","x":{"y":[1.50]}}"#
    let enter = #"{"seq":3,"time":"2026-12-01T08:30:01.000Z","event":"didEnter","gateway":"g","region":"hall","z":1}"#
    try withEventsScene { scene in
      try scene.write(1, logLine(1, "didStartMonitoring"), later + "\n", enter + "\n")
      #expect(try scene.events().lines.dropFirst() == [Substring(later), Substring(enter)])
      #expect(
        try scene.events("--format", "text").output == """
          2026-12-01 08:30:00.000  hall: monitoring starts
          2026-12-01 08:30:00.125  \(later)
          2026-12-01 08:30:01.000  \(enter)

          """)
      #expect(try scene.events("--region", "hall", "--after", "1").sequences == [2, 3])
    }
  }

  // MARK: Times

  private static let span: [([String], ClosedRange<Int>)] = [
    (["--since", "2026-12-01T08:30:02Z"], 3...6), (["--since", "2026-12-01T08:30:02.000000001"], 4...6),
    (["--since", "2026-12-01T08:30:01.999"], 3...6), (["--until", "2026-12-01T08:30:02"], 1...3),
    (["--until", "2026-12-01T08:30:01.999999999Z"], 1...2), (["--until=2026-12-01T08:30"], 1...1),
    (["--since", "2026-12-01T08:30:01", "--until", "2026-12-01T08:30:03Z"], 2...4),
    (["--since", "2026-12-01"], 1...6), (["--since", "2026-12-02"], 6...6), (["--until", "2026-12-01"], 1...5),
    (["--until", "2026-12-02"], 1...6), (["--until", "2026-12-02T00:00Z"], 1...6),
  ]

  @Test(arguments: span) func aSpanHasItsEnds(options: [String], expected: ClosedRange<Int>) throws {
    try withEventsScene { scene in
      try scene.write(1, logLine(1), logLine(2, at: 1000), logLine(3, at: 2000))
      // The last one is the first moment of the next day.
      try scene.write(4, logLine(4, at: 3000), logLine(5, at: 4000), logLine(6, at: 55_800_000))
      let outcome = try Beacond.run(["events", "--folder", scene.log] + options)
      #expect(outcome.code == 0 && outcome.error == "")
      #expect(outcome.sequences == expected.map { UInt64($0) })
    }
  }

  @Test func howLongAgoCounts() throws {
    try withEventsScene { scene in
      // In milliseconds after the lines' first moment.
      let now = (WallClock.now - logTime(0).nanoseconds) / 1_000_000
      let ages: [Int64] = [4 * 86_400_000, 2 * 86_400_000, 3 * 3_600_000, 1_200_000, 100_000, 0]
      for (index, age) in ages.enumerated() { try scene.write(1, logLine(UInt64(index) + 1, at: now - age)) }
      for (option, first) in [("3d", 2), ("1.5d", 3), ("4h", 3), ("30min", 4), ("150s", 5), ("90000ms", 6)] {
        #expect(try scene.events("--since", option).sequences == (first...6).map { UInt64($0) })
        #expect(try scene.events("--until", option).sequences == (1..<first).map { UInt64($0) })
      }
      #expect(try scene.events("--since", "100000000d").sequences.count == 6)
    }
  }

  @Test func whereTheClockWasSetEveryEventOfTheSpanIsFound() throws {
    try withEventsScene { scene in
      try scene.write(1, logLine(1, at: 1000), logLine(2, at: 9000))
      try scene.write(3, logLine(3, at: 2000), logLine(4, at: 3000), logLine(5, at: 8000))
      try scene.write(6, logLine(6, at: 0), logLine(7, at: 2500), logLine(8, at: 9500))
      let outcome = try scene.events("--since", "2026-12-01T08:30:01", "--until", "2026-12-01T08:30:03")
      #expect(outcome.sequences == [1, 3, 4, 7])
      #expect(try scene.events("--since", "2026-12-01T08:30:09").sequences == [2, 8])
      #expect(try scene.events("--until", "2026-12-01T08:30:00").sequences == [6])
      #expect(try scene.events("--since", "2026-12-01T08:31:00").sequences == [])
    }
  }

  // MARK: Filters

  private static func line(_ number: Int, _ event: String, _ region: String, _ rest: String = "") -> String {
    #"{"seq":\#(number),"time":"2026-12-01T08:30:00.000Z","event":"\#(event)","gateway":"g","region":"\#(region)"\#(rest)}"#
      + "\n"
  }

  private static func beacon(_ minor: Int, _ more: String = "") -> String {
    #""beacon":{"kind":"ibeacon","uuid":"01020304-0506-0708-090a-0b0c0d0e0f10","major":1,"minor":\#(minor),"#
      + #""address":"c0:00:00:00:00:0\#(minor)","measuredPower":-59.0,"powerSource":"advertised"\#(more)}"#
  }

  private static let filters: [([String], [UInt64])] = [
    (["--region", "hall"], [1, 2, 4]), (["--region", "hall,yard"], [1, 2, 3, 4]), (["--region", "a,b"], [5]),
    (["--region", "attic"], []), (["--event", "didEnter"], [2, 3]), (["--event", "didEnter,didRange"], [2, 3, 4]),
    (["--event", "didEnter", "--region", "yard"], [3]), (["--event", "scannerDidChange"], [6]),
    (["--beacon", "Desk"], [3, 4]), (["--beacon", "Door, left"], [5]), (["--beacon", "c0:00:00:00:00:01"], [2]),
    (["--beacon", "C0:00:00:00:00:02"], [3, 4]), (["--beacon", "c0:00:00:00:00:01,Desk"], [2, 3, 4]),
    (["--beacon", "iBeacon 01020304-0506-0708-090a-0b0c0d0e0f10/1/1"], [2]),
    (["--beacon", "01020304-0506-0708-090a-0b0c0d0e0f10/1/3"], [4]), (["--beacon", "3"], []),
    (["--beacon", "Desk", "--event", "didRange"], [4]), (["--region", #"q"\"#], [7]),
  ]

  @Test(arguments: filters) func onlyWhatIsAskedForIsWritten(options: [String], expected: [UInt64]) throws {
    let ranged = { (beacon: String) in
      #"{\#(beacon),"proximity":"unknown","distance":null,"interval":null,"rssi":null,"packets":0,"#
        + #""lastSeen":"2026-12-01T08:30:00.000Z"}"#
    }
    let list = ranged(Self.beacon(3)) + "," + ranged(Self.beacon(2, #","name":"Desk""#))
    try withEventsScene { scene in
      try scene.write(
        1, Self.line(1, "didStartMonitoring", "hall"),
        Self.line(2, "didEnter", "hall", #","scope":"beacon",\#(Self.beacon(1)),"location":null"#),
        Self.line(3, "didEnter", "yard", #","scope":"region",\#(Self.beacon(2, #","name":"Desk""#)),"location":null"#),
        Self.line(4, "didRange", "hall", #","beacons":[\#(list)],"location":null"#),
        Self.line(5, "didExit", "a,b", #","scope":"beacon",\#(Self.beacon(4, #","name":"Door, left""#))"#),
        #"{"seq":6,"time":"2026-12-01T08:30:00.000Z","event":"scannerDidChange","gateway":"g","adapter":"hci0","#
          + #""state":"stopped","reason":"unplugged","reportsPerSecond":null}"# + "\n",
        Self.line(7, "didStartMonitoring", #"q\"\\"#))
      let outcome = try Beacond.run(["events", "--folder", scene.log] + options)
      #expect(outcome.code == 0 && outcome.error == "")
      #expect(outcome.sequences == expected)
    }
  }

  // MARK: Places

  @Test func behindANumberItGoesOn() throws {
    try withEventsScene { scene in
      try scene.write(1, logLine(1), logLine(2))
      try scene.write(3, logLine(3))
      for after in 0...3 as ClosedRange<UInt64> {
        #expect(try scene.events("--after", "\(after)").sequences == Array([1, 2, 3].dropFirst(Int(after))))
      }
      let beyond = try scene.events("--after", "9")
      #expect(beyond.sequences == [1, 2, 3])
      #expect(beyond.error == "beacond events: the log was begun anew; it is read from event 1 on\n")
    }
  }

  @Test func aCursorGoesOnWhereTheLastRunEnded() throws {
    try withEventsScene { scene in
      try scene.write(1, logLine(1), logLine(2, at: 1000))
      let until = try scene.events("--cursor", scene.cursor, "--until", "2026-12-01T08:30:00.500")
      #expect(until.sequences == [1])
      #expect(try scene.events("--cursor", scene.cursor).sequences == [2])
      #expect(try scene.events("--cursor", scene.cursor).sequences == [])
      try scene.write(3, logLine(3, "didExit"), logLine(4))
      // What another option leaves out counts as dealt with.
      #expect(try scene.events("--cursor", scene.cursor, "--event", "didExit").sequences == [3])
      #expect(try scene.events("--cursor", scene.cursor).sequences == [])
      #expect(try String(contentsOfFile: scene.cursor, encoding: .utf8) == "{\"seq\":4}\n")
      // What was removed is told once.
      try FileManager.default.removeItem(atPath: scene.log)
      try scene.write(7, logLine(7))
      let gap = try scene.events("--cursor", scene.cursor)
      #expect(gap.sequences == [7] && gap.code == 0)
      #expect(gap.error == "beacond events: events 5 to 6 are missing: removed, or damaged\n")
      #expect(try scene.events("--cursor", scene.cursor).error == "")
    }
  }

  @Test func aPlaceThatWasNotWrittenOutIsNotKept() throws {
    try withEventsScene { scene in
      try scene.write(1, logLine(1))
      let full = try Beacond.run(
        ["events", "--folder", scene.log, "--cursor", scene.cursor], output: "/dev/full")
      #expect(full.code == 74)
      #expect(full.error == "beacond events: standard output: cannot write: No space left on device\n")
      #expect(!FileManager.default.fileExists(atPath: scene.cursor))
      #expect(try scene.events("--cursor", scene.cursor).sequences == [1])
    }
  }

  @Test func aDamagedCursorIsSaidAndNothingIsRead() throws {
    try withEventsScene { scene in
      try scene.write(1, logLine(1))
      try Data("{\"seq\":".utf8).write(to: URL(fileURLWithPath: scene.cursor))
      let outcome = try scene.events("--cursor", scene.cursor)
      #expect(outcome.code == 65)
      #expect(outcome.output == "")
      #expect(outcome.error.hasPrefix("beacond events: \(scene.cursor) is damaged"))
      let nowhere = try scene.events("--cursor", "/nowhere/cursor")
      #expect(nowhere.code == 74)
      // At least once.
      #expect(nowhere.sequences == [1])
    }
  }

  // MARK: What is there

  @Test(arguments: [
    "{\"seq\":2", "\u{0}\u{0}", "{\"seq\":2,\"time\":\"2026-13-01T08:30:00.000Z\",\"event\":\"didEnter\"}",
  ])
  func aDamagedLineIsToldAndTheRestIsWritten(_ line: String) throws {
    try withEventsScene { scene in
      try scene.write(1, logLine(1), line + "\n", logLine(3), logLine(4))
      let outcome = try scene.events()
      #expect(outcome.code == 0)
      #expect(outcome.sequences == [1, 3, 4])
      #expect(outcome.error == "beacond events: event 2 is missing: removed, or damaged\n")
    }
  }

  @Test func aLineThatIsNoEventInTheEndIsWrittenAsItIs() throws {
    try withEventsScene { scene in
      let line = #"{"seq":2,"time":"2026-12-01T08:30:00.000Z","event":"didEnter","gateway":"g","region":"hall"oops"#
      try scene.write(1, logLine(1), line + "\n")
      #expect(try scene.events().lines.last == Substring(line))
      #expect(try scene.events("--format", "text").lines.last == "2026-12-01 08:30:00.000  \(line)")
      #expect(try scene.events("--beacon", "Desk").sequences == [])
    }
  }

  @Test func anEmptyLogHasNoEventsAndNoLogIsCode66() throws {
    try withEventsScene { scene in
      let none = try scene.events()
      #expect(none.code == 66)
      #expect(none.error == "beacond events: cannot open \(scene.log): No such file or directory\n")
      try scene.write(1)
      let empty = try scene.events("--since", "3d")
      #expect(empty.code == 0 && empty.output == "" && empty.error == "")
      #expect(try scene.events("--cursor", scene.cursor).code == 0)
      #expect(!FileManager.default.fileExists(atPath: scene.cursor))
    }
  }

  /// Root reads everything; the program is run as nobody then.
  @Test(.enabled(if: access("/usr/bin/setpriv", X_OK) == 0 || getuid() != 0, "nobody to be: no setpriv"))
  func aLogThatMayNotBeReadIsCode66() throws {
    try withEventsScene { scene in
      try scene.write(1, logLine(1))
      let program = try Beacond.copyForOthers(in: scene.folder)
      let launcher = getuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
      for (path, mode, follows) in [
        (scene.segment(1), 0, false), (scene.segment(1), 0, true), (scene.log, 0, false), (scene.log, 0, true),
      ] as [(String, mode_t, Bool)] {
        chmod(path, mode)
        let outcome = try Beacond.run(
          ["events", "--folder", scene.log] + (follows ? ["-f"] : []), program: program, through: launcher)
        #expect(outcome.code == 66)
        #expect(outcome.error.hasSuffix(": Permission denied\n"))
        chmod(path, 0o755)
      }
    }
  }

  @Test func theConfigurationSaysWhereTheLogIs() throws {
    try withEventsScene { scene in
      try scene.write(1, logLine(1))
      let file = scene.folder + "/beacond.yaml"
      try Data("log: {folder: \(scene.log)}\n".utf8).write(to: URL(fileURLWithPath: file))
      #expect(try Beacond.run(["events", "--config", file]).sequences == [1])
      try Data("log: {folder: relative}\n".utf8).write(to: URL(fileURLWithPath: file))
      #expect(try Beacond.run(["events", "--config", file]).code == 78)
      // A folder that is named needs no configuration.
      #expect(try scene.events("--config", file).sequences == [1])
      #expect(try Beacond.run(["events", "--config", scene.folder + "/none"]).code == 66)
    }
  }

  @Test func whoLooksAtTheBeginningOnlyEndsItQuietly() throws {
    try withEventsScene { scene in
      for number in 1...4000 as ClosedRange<UInt64> where number % 500 == 1 {
        try scene.write(Int(number), (number..<number + 500).map { logLine($0) }.joined())
      }
      let command = "'\(Beacond.path)' events --folder '\(scene.log)' | head -n 2"
      let outcome = try Beacond.run(
        ["-c", command], program: "/bin/sh", through: ["/usr/bin/env", "--default-signal=PIPE"])
      #expect(outcome.code == 0 && outcome.error == "")
      #expect(outcome.sequences == [1, 2])
    }
  }

  @Test(
    arguments: [
      (arguments: ["--since", "yesterday"], says: "--since 'yesterday': it is a UTC time, as 2026-12-01T08:30 or"),
      (["--until", "2026-02-29"], "a date, as 2026-12-01, or how long ago, as 90s, 10min, 2h or 3d"),
      (["--until", "2026-12-01T24:00"], "--until"), (["--since", "2026-12-01T08:30:00."], "--since"),
      (["--since", "2026-12-01Z"], "--since"), (["--since", "2026-12-01T08:30:00.1234567891"], "--since"),
      (["--since", "2026-12-01T08:30:00.123+5"], "--since"), (["--since", "0s"], "--since"),
      (["--since", "3w"], "--since"), (["--since", ""], "--since"),
      (["--after", "-1"], "it is the number of an event"),
      (["--after", "first"], "--after 'first'"), (["--after", "1", "--cursor", "x"], "exclude each other"),
      (["--event", "didEntr"], "did you mean didEnter?"), (["--event", "didEnter,x"], "--event 'x': it is one of"),
      (["--format", "yaml"], "it is one of auto, json, text"), (["--folow"], "did you mean --follow?"),
      (["/var/log"], "the log is given with --folder"),
    ] as [(arguments: [String], says: String)])
  func wrongUseIsOneLineAndCode64(arguments: [String], says: String) throws {
    let outcome = try Beacond.run(["events"] + arguments)
    #expect(outcome.code == 64)
    #expect(outcome.output == "" && outcome.errorLines.count == 1)
    #expect(outcome.error.contains(says))
    #expect(outcome.error.hasSuffix(" 'beacond events --help' says how it is used.\n"))
  }
}
