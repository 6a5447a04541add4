import EventLog
import Foundation
import Linux
import TestSupport
import Testing

@testable import EventLog

struct LogReaderTests {
  private let folder: TemporaryFolder
  private let disk = RecordingDisk()
  private let small = LogSettings(maxSize: 64 << 10)

  init() throws {
    folder = try TemporaryFolder()
  }

  private func store(_ settings: LogSettings = LogSettings(), from sequence: UInt64 = 1) throws(LogFailure) -> LogStore
  {
    try LogStore(folder.log, settings, from: sequence, disk: disk)
  }

  /// What a reader is given until there is no more: lines as `7`, what is missing as `3...5`.
  private func items(_ reader: LogReader, atMost limit: Int = .max) throws(LogFailure) -> [String] {
    var items: [String] = []
    try reader.readAvailable(atMost: limit) { item in
      switch item {
      case .line(let line): items.append("\(line.sequence)")
      case .missing(let range): items.append("\(range)")
      case .restarted(let sequence): items.append("again \(sequence)")
      }
    }
    return items
  }

  private func numbers(_ range: ClosedRange<Int>) -> [String] { range.map { "\($0)" } }

  @Test func anEmptyOrMissingFolderIsAnEmptyLog() throws {
    let reader = LogReader(folder.log)
    #expect(try items(reader) == [])
    let store = try store()
    #expect(try items(reader) == [])
    try store.write(logLine(1))
    #expect(try items(reader) == ["1"])
    #expect(try items(reader) == [])
  }

  @Test func linesAreGivenAsTheyWereWritten() throws {
    let store = try store()
    let text = logLine(1, padding: 200_000)
    try store.write(text)
    var given: [String] = []
    try LogReader(folder.log).readAvailable { item in
      if case .line(let line) = item { given.append(String(decoding: line.octets.array, as: UTF8.self) + "\n") }
    }
    #expect(given == [text])
  }

  @Test func readingBeginsAtAnyEvent() throws {
    let store = try store(small)
    try store.write((1...100).map { logLine($0) }.joined())
    for start in 1...101 {
      #expect(try items(LogReader(folder.log, from: UInt64(start))) == (start == 101 ? [] : numbers(start...100)))
    }
  }

  @Test func aReaderFollowsAcrossSegments() throws {
    let store = try store(small)
    let reader = LogReader(folder.log)
    for sequence in 1...200 {
      try store.write(logLine(UInt64(sequence)))
      #expect(try items(reader) == ["\(sequence)"])
    }
    #expect(folder.segments.count > 4)
  }

  @Test func aLimitIsKeptAndReadingGoesOnBehindIt() throws {
    let store = try store(small)
    try store.write((1...100).map { logLine($0) }.joined())
    let reader = LogReader(folder.log)
    var all: [String] = []
    while true {
      let some = try items(reader, atMost: 7)
      if some.isEmpty { break }
      #expect(some.count <= 7)
      all += some
    }
    #expect(all == numbers(1...100))
  }

  @Test func aLineIsGivenWhenItIsWhole() throws {
    let line = Array(logLine(1).utf8)
    let reader = LogReader(folder.log)
    for length in 0..<line.count {
      try folder.write(line[..<length], "00000000000000000001.jsonl")
      #expect(try items(reader) == [])
    }
    try folder.write(line, "00000000000000000001.jsonl")
    #expect(try items(reader) == ["1"])
  }

  @Test func aTornLineThatTheNextWriterCutsIsNeverSeen() throws {
    let name = "00000000000000000001.jsonl"
    let first = Array(logLine(1).utf8)
    try folder.write(first + Array(logLine(2, padding: 50).utf8.dropLast(9)), name)
    let reader = LogReader(folder.log)
    #expect(try items(reader) == ["1"])
    // Cut and written on in place, by another line of the same number.
    let store = try store()
    try store.write(logLine(2, "didExit"), logLine(3))
    #expect(try items(reader) == ["2", "3"])
  }

  @Test func whatWasRemovedIsTold() throws {
    let store = try store(small)
    try store.write((1...1000).map { logLine($0) }.joined())
    let first = try #require(folder.sequences.first)
    #expect(first > 100)
    #expect(try items(LogReader(folder.log, from: 5)).prefix(2) == ["5...\(first - 1)", "\(first)"])
    // Who did not say where to begin misses nothing.
    #expect(try items(LogReader(folder.log)).first == "\(first)")
  }

  @Test func aRemovedSegmentThatIsOpenIsReadToItsEnd() throws {
    let store = try store(small)
    try store.write((1...120).map { logLine($0) }.joined())
    let reader = LogReader(folder.log)
    #expect(try items(reader, atMost: 3) == numbers(1...3))
    let segments = folder.segments
    try #require(segments.count > 2)
    let second = try #require(SegmentName.first(segments[1]))
    let third = try #require(SegmentName.first(segments[2]))
    for name in segments.prefix(2) { try FileManager.default.removeItem(atPath: "\(folder.log)/\(name)") }
    let expected = numbers(4...Int(second) - 1) + ["\(second)...\(third - 1)"] + numbers(Int(third)...120)
    #expect(try items(reader) == expected)
  }

  @Test func aDamagedLineIsMissingAndTheRestIsThere() throws {
    let lines = (1...5).map { Array(logLine($0).utf8) }
    try folder.write(lines[0] + lines[1] + [0, 0, 10] + lines[3] + lines[4], "00000000000000000001.jsonl")
    #expect(try items(LogReader(folder.log)) == ["1", "2", "3...3", "4", "5"])
  }

  @Test func aLogThatWasDeletedIsReadFromItsNewBeginning() throws {
    do {
      let store = try store()
      try store.write((1...9).map { logLine($0) }.joined())
    }
    let reader = LogReader(folder.log)
    #expect(try items(reader) == numbers(1...9))
    try FileManager.default.removeItem(atPath: folder.log)
    #expect(try items(reader) == [])
    let store = try store()
    try store.write(logLine(1), logLine(2))
    #expect(try items(reader) == ["again 1", "1", "2"])
    #expect(try items(LogReader(folder.log, from: 10)) == ["again 1", "1", "2"])
    #expect(try items(LogReader(folder.log, from: 3)) == [])
  }

  @Test func aFolderThatWasMovedAwayIsLeftForTheNewOne() throws {
    let store = try store()
    try store.write(logLine(1))
    let reader = LogReader(folder.log)
    #expect(try items(reader) == ["1"])
    try FileManager.default.moveItem(atPath: folder.log, toPath: folder.path + "/elsewhere")
    #expect(try items(reader) == [])
    #expect(throws: LogFailure.gone(folder: folder.log)) { try store.write(logLine(2)) }
    try store.write(logLine(2))
    #expect(try items(reader) == ["2"])
  }

  @Test func aReaderWritesNothing() throws {
    let store = try store(small)
    try store.write((1...60).map { logLine($0) }.joined())
    let before = folder.segments.map { folder.content($0) }
    _ = try items(LogReader(folder.log))
    #expect(folder.segments.map { folder.content($0) } == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.log).count == before.count + 1)
  }

  @Test func whatIsWrittenWakesWhoWaits() throws {
    let store = try store()
    let reader = LogReader(folder.log)
    _ = try items(reader)
    try store.write(logLine(1))
    // A watch that did not see it would wait for a minute.
    let start = BootClock.now
    reader.wait(until: start + 60_000_000_000)
    #expect(BootClock.now - start < 30_000_000_000)
    #expect(try items(reader) == ["1"])
    // Nothing has come since, so that the deadline ends the wait.
    reader.wait(until: BootClock.now)
  }

  @Test func aFolderThatIsRemovedAndMadeAnewWakesWhoWaits() throws {
    do {
      let store = try store()
      try store.write((1...9).map { logLine($0) }.joined())
    }
    let reader = LogReader(folder.log)
    #expect(try items(reader) == numbers(1...9))
    try FileManager.default.removeItem(atPath: folder.log)
    let start = BootClock.now
    reader.wait(until: start + 60_000_000_000)
    #expect(try items(reader) == [])
    let store = try store()
    try store.write(logLine(1))
    reader.wait(until: start + 60_000_000_000)
    #expect(BootClock.now - start < 30_000_000_000)
    #expect(try items(reader) == ["again 1", "1"])
  }

  @Test func anotherDescriptorEndsTheWait() throws {
    let reader = LogReader(folder.log)
    _ = try items(reader)
    let wakeup = try Wakeup()
    wakeup.signal()
    let start = BootClock.now
    reader.wait(until: start + 60_000_000_000, or: wakeup.number)
    #expect(BootClock.now - start < 30_000_000_000)
  }

  /// A reader that is killed after any number of lines and begins anew behind the last, while the writer goes on and
  /// removes the oldest.
  @Test(arguments: 1...3) func aReaderThatIsKilledMissesNothingUntold(_ seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let store = try store(small)
    let cursor = LogCursor(folder.path + "/cursor")
    var reader = LogReader(folder.log, from: 1)
    var written: UInt64 = 0
    var seen: [UInt64: Int] = [:]
    var missing: [UInt64: Int] = [:]
    var kills = 0
    while kills < 200 || reader.next <= written {
      if kills < 200 {
        let count = random.next() % 60
        try store.write(
          (written..<written + count).map { logLine($0 + 1, random.chance(0.5) ? "didRange" : "didEnter") }.joined())
        written += count
      }
      try reader.readAvailable(atMost: Int(random.next() % 60)) { item in
        switch item {
        case .line(let line): seen[line.sequence, default: 0] += 1
        case .missing(let range): for sequence in range { missing[sequence, default: 0] += 1 }
        case .restarted: Issue.record("a log that was only written on")
        }
      }
      if kills < 200, random.chance(0.7) {
        kills += 1
        try cursor.save(reader.next - 1)
        let dealtWith = try #require(try cursor.load())
        reader = LogReader(folder.log, from: dealtWith + 1)
      }
    }
    #expect(kills == 200)
    #expect(seen.count + missing.count == Int(written))
    #expect(seen.values.allSatisfy { $0 == 1 } && missing.values.allSatisfy { $0 == 1 })
    #expect(seen.count > 1000)
  }
}
