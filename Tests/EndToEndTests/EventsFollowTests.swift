import EventLog
import Foundation
import Linux
import TestSupport
import Testing

/// `beacond events -f` while the log is written.
struct EventsFollowTests {
  /// A writer with segments of 4 KB, some 40 lines of these tests; `maxSize` octets stay.
  private static func writer(_ scene: EventsScene, maxSize: Int64 = 64 << 20) throws -> LogWriter {
    let settings = LogSettings(maxSize: maxSize, maxAge: .seconds(3600), sync: .milliseconds(1))
    return try LogWriter(scene.log, settings, whenFull: .wait) { _ in }
  }

  private static func append(_ numbers: ClosedRange<UInt64>, to writer: LogWriter, at time: Int64 = 0) {
    withMemory(numbers.map { logLine($0, at: time, $0 % 3 == 0 ? "didRange" : "didEnter") }.joined().utf8) { octets in
      octets.withUnsafeBytes { writer.append(lines: $0) }
    }
  }

  @Test func whatComesIsWrittenAtOnce() throws {
    try withEventsScene { scene in
      let writer = try Self.writer(scene)
      Self.append(1...2, to: writer)
      #expect(writer.close(within: .seconds(30)))
      let follower = try scene.follow()
      #expect(try follower.sequences(2) == [1, 2])
      let next = try Self.writer(scene)
      for number in 3...20 as ClosedRange<UInt64> {
        Self.append(number...number, to: next)
        // Nothing is written on before it came out.
        #expect(try follower.sequences(1) == [number])
      }
      #expect(next.close(within: .seconds(30)))
      // No other signal: a thread of the tests may block those, and so its programs.
      follower.signal(SIGKILL)
      #expect(try follower.rest() == [])
      #expect(follower.end() == -SIGKILL)
      #expect(follower.errors == "")
    }
  }

  @Test func aFolderThatComesLaterIsWaitedFor() throws {
    try withEventsScene { scene in
      for options in [[], ["--since", "2026-12-01"]] {
        let follower = try Follower(
          ["events", "--folder", scene.log, "--follow"] + options, errors: scene.folder + "/errors")
        let writer = try Self.writer(scene)
        Self.append(1...3, to: writer)
        #expect(try follower.sequences(3) == [1, 2, 3])
        #expect(writer.close(within: .seconds(30)))
        try FileManager.default.removeItem(atPath: scene.log)
      }
    }
  }

  /// The writer begins segments and removes old ones all the time.
  @Test(arguments: [[], ["--since", "2026-12-01T08:30:00"], ["--after", "0"]])
  func nothingIsMissedUntoldWhileSegmentsComeAndGo(_ options: [String]) throws {
    try withEventsScene { scene in
      let last: UInt64 = 20_000
      let writer = try Self.writer(scene, maxSize: 256 << 10)
      Self.append(1...10, to: writer)
      #expect(writer.close(within: .seconds(30)))
      let follower = try Follower(
        ["events", "--folder", scene.log, "-f"] + options, errors: scene.folder + "/errors")
      #expect(try follower.sequences(10) == Array(1...10))
      let next = try Self.writer(scene, maxSize: 256 << 10)
      for start in stride(from: 11, through: last, by: 10) { Self.append(start...min(start + 9, last), to: next) }
      #expect(next.close(within: .seconds(30)))
      var seen: [UInt64] = []
      while seen.last != last { seen += try follower.sequences(1) }
      follower.signal(SIGKILL)
      #expect(follower.end() == -SIGKILL)
      // Each is written or said to be missing, once.
      let said = follower.errors.split(separator: "\n").flatMap { line -> [UInt64] in
        let numbers = line.split(separator: " ").compactMap { UInt64($0) }
        return numbers.isEmpty ? [] : Array(numbers[0]...numbers[numbers.count - 1])
      }
      #expect(seen == seen.sorted())
      #expect((seen + said).sorted() == Array(11...last))
    }
  }

  @Test func handingOverFromTheSearchMissesAndRepeatsNothing() throws {
    try withEventsScene { scene in
      let writer = try Self.writer(scene, maxSize: 1 << 20)
      // A second between any two.
      for number in 1...500 as ClosedRange<UInt64> {
        Self.append(number...number, to: writer, at: Int64(number) * 1000)
      }
      #expect(writer.close(within: .seconds(30)))
      // 08:35:00 is the 300th; nothing is as late as 09:00.
      let follower = try scene.follow("--since", "2026-12-01T08:35")
      let later = try Follower(
        ["events", "--folder", scene.log, "-f", "--since", "2026-12-01T09:00"], errors: scene.folder + "/other")
      #expect(try follower.sequences(201) == Array(300...500))
      let next = try Self.writer(scene, maxSize: 1 << 20)
      Self.append(501...600, to: next, at: 501_000)
      Self.append(601...700, to: next, at: 3_600_000)
      #expect(next.close(within: .seconds(30)))
      #expect(try follower.sequences(200) == Array(501...700))
      #expect(try later.sequences(100) == Array(601...700))
      for one in [follower, later] {
        one.signal(SIGKILL)
        #expect(try one.rest() == [])
      }
    }
  }

  @Test func anEventBehindTheEndOfTheSpanEndsIt() throws {
    try withEventsScene { scene in
      // The clock was set back in between, so that the second is no end; the end is far from now.
      let writer = try Self.writer(scene)
      for (number, time) in [(1, 0), (2, 9000), (3, 1000)] as [(UInt64, Int64)] {
        Self.append(number...number, to: writer, at: time + day(40_000))
      }
      #expect(writer.close(within: .seconds(30)))
      let until = written { $0.put(iso8601: logTime(day(40_000) + 2000)) }
      let follower = try scene.follow("--until", until, "--cursor", scene.cursor)
      #expect(try follower.sequences(2) == [1, 3])
      let next = try Self.writer(scene)
      for (number, time) in [(4, 2000), (5, 2001), (6, 2002)] as [(UInt64, Int64)] {
        Self.append(number...number, to: next, at: time + day(40_000))
      }
      #expect(try follower.rest() == [4])
      #expect(follower.end() == 0)
      #expect(next.close(within: .seconds(30)))
      // The one that ended it was not dealt with.
      #expect(try scene.events("--cursor", scene.cursor).sequences == [5, 6])
    }
  }

  @Test func theEndOfTheSpanEndsItWhenItHasPassed() throws {
    try withEventsScene { scene in
      try scene.write(1, logLine(1, at: -day(40_000)))
      let past = try scene.follow("--until", "1h")
      #expect(try past.rest() == [1])
      #expect(past.end() == 0)
      // Two seconds later, as an event may need as long to come.
      let start = BootClock.now
      let soon = try scene.follow("--until", "1ms")
      #expect(try soon.rest() == [1])
      #expect(soon.end() == 0)
      #expect(BootClock.now - start >= 1_900_000_000)
    }
  }

  /// Killed in the middle again and again while the log is written, each run going on with the cursor.
  @Test func whoIsKilledGetsEveryEventAtLeastOnce() throws {
    try withEventsScene { scene in
      let writer = try Self.writer(scene)
      var random = SplitMix(seed: 7)
      var written: UInt64 = 0
      var seen: Set<UInt64> = []
      for _ in 0..<30 {
        let follower = try scene.follow("--cursor", scene.cursor)
        var last: UInt64 = 0
        for _ in 0..<random.next() % 4 {
          let count = 1 + random.next() % 3000
          Self.append(written + 1...written + count, to: writer)
          written += count
          // Up to anywhere in what came; no gap within a run.
          for number in try follower.sequences(Int(random.next() % count)) {
            #expect(last == 0 || number == last + 1)
            last = number
            seen.insert(number)
          }
        }
        follower.signal(SIGKILL)
        // What was in the pipe had been written out.
        for number in try follower.rest() where number > 0 { seen.insert(number) }
        _ = follower.end()
        #expect(follower.errors == "")
      }
      #expect(writer.close(within: .seconds(30)))
      let rest = try scene.events("--cursor", scene.cursor)
      #expect(rest.code == 0 && rest.error == "")
      seen.formUnion(rest.sequences)
      #expect(seen == Set(1...written))
      #expect(try scene.events("--cursor", scene.cursor).sequences == [])
    }
  }

  /// The place is saved without an end, too.
  @Test func thePlaceIsKeptWhileItFollows() throws {
    try withEventsScene { scene in
      try scene.write(1, logLine(1))
      let watch = FolderWatch()
      let isWatched = watch.watch(scene.folder)
      #expect(isWatched)
      let follower = try scene.follow("--cursor", scene.cursor)
      #expect(try follower.sequences(1) == [1])
      while !FileManager.default.fileExists(atPath: scene.cursor) {
        try #require(Wakeup.poll([watch.number], until: BootClock.now + 60_000_000_000))
        watch.take()
      }
      follower.signal(SIGKILL)
      _ = follower.end()
      #expect(try scene.events("--cursor", scene.cursor).sequences == [])
    }
  }

  @Test func aLogThatIsBegunAnewIsReadFromItsFirstEvent() throws {
    try withEventsScene { scene in
      let writer = try Self.writer(scene)
      Self.append(1...9, to: writer)
      #expect(writer.close(within: .seconds(30)))
      let follower = try scene.follow("--cursor", scene.cursor)
      #expect(try follower.sequences(9) == Array(1...9))
      try FileManager.default.removeItem(atPath: scene.log)
      let next = try Self.writer(scene)
      Self.append(1...2, to: next)
      #expect(next.close(within: .seconds(30)))
      #expect(try follower.sequences(2) == [1, 2])
      #expect(follower.errors == "beacond events: the log was begun anew; it is read from event 1 on\n")
    }
  }
}
