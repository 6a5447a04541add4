import EventLog
import Foundation
import Linux
import TestSupport
import Testing

@testable import EventLog

struct LogStoreTests {
  private let folder: TemporaryFolder
  private let clock = TestClock()
  private let disk = RecordingDisk()
  /// Segments of 4 KB, sixteen of them.
  private let small = LogSettings(maxSize: 64 << 10, maxAge: .seconds(30 * 86_400))

  init() throws {
    folder = try TemporaryFolder()
  }

  private func store(_ settings: LogSettings = LogSettings(), from sequence: UInt64 = 1) throws(LogFailure) -> LogStore
  {
    try LogStore(folder.log, settings, from: sequence, bootClock: clock.sinceBoot, disk: disk)
  }

  private func name(_ sequence: UInt64) -> String {
    let digits = String(sequence)
    return String(repeating: "0", count: 20 - digits.count) + digits + ".jsonl"
  }

  /// The error number that writing ends with; nil where it succeeds.
  private func failure(_ store: LogStore, _ group: inout LogGroup) -> LogFailure? {
    do throws(LogFailure) {
      try store.write(&group)
      return nil
    } catch {
      return error
    }
  }

  // MARK: Files

  @Test func linesAreInTheFileAsTheyCame() throws {
    let store = try store()
    let lines = (1...3).map { logLine($0, at: Int64($0)) }
    try store.write(lines[0], lines[1])
    try store.write(lines[2])
    #expect(folder.segments == [name(1)])
    #expect(folder.content(name(1)) == Array(lines.joined().utf8))
    #expect(store.next == 4)
    #expect(store.synced == 3)
  }

  @Test func othersCannotReadOrWriteIt() throws {
    try store().write(logLine(1))
    func mode(_ path: String) throws -> Int {
      try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
    #expect(try mode(folder.log) & ~0o750 == 0)
    #expect(try mode("\(folder.log)/\(name(1))") & ~0o640 == 0)
    #expect(try mode("\(folder.log)/lock") & ~0o640 == 0)
  }

  @Test func aSegmentIsInItsFolderBeforeItHasALine() throws {
    try store().write(logLine(1))
    #expect(
      disk.calls == [
        .make(name(1)), .synchronizeFolder, .write(name(1), offset: 0, Array(logLine(1).utf8)), .synchronize(name(1)),
      ])
  }

  @Test func whatIsSaidAgainAnywayIsNotSynced() throws {
    let store = try store()
    try store.write(logLine(1))
    let before = disk.calls.count
    try store.write(logLine(2, "didRange"), isDurable: false)
    #expect(disk.calls[before...].map(\.isWrite) == [true])
    #expect(store.synced == 1)
    try store.write(isDurable: true)
    #expect(store.synced == 2)
  }

  @Test func theLogGoesOnWhereItEnded() throws {
    try store().write(logLine(1), logLine(2))
    let again = try store()
    #expect(again.next == 3)
    #expect(again.takeNotes().isEmpty)
    try again.write(logLine(3))
    #expect(folder.segments == [name(1)])
    #expect(folder.sequences == [1, 2, 3])
  }

  @Test func aSecondWriterIsToldWhoTheFirstIs() throws {
    let first = try store()
    let expected = LogFailure.locked(folder: folder.log, process: getpid())
    #expect(throws: expected) { try store() }
    #expect(expected.description == "\(folder.log) is written by process \(getpid()) already")
    withExtendedLifetime(first) {}
    // It is let go with its owner.
  }

  @Test func theLockEndsWithItsWriter() throws {
    do { _ = try store() }
    _ = try store()
  }

  // MARK: Segments

  @Test func aSegmentEndsBeforeItIsTooLarge() throws {
    let store = try store(small)
    for sequence in 1...100 { try store.write(logLine(UInt64(sequence), at: Int64(sequence))) }
    #expect(folder.segments.count > 2)
    #expect(folder.segments.allSatisfy { folder.content($0).count <= 4 << 10 })
    #expect(folder.sequences == Array(1...100))
  }

  @Test func oneGroupFillsSeveralSegmentsAndEachIsSyncedBeforeTheNextBegins() throws {
    let store = try store(small)
    try store.write((1...100).map { logLine($0, "didRange") }.joined(), isDurable: false)
    #expect(folder.sequences == Array(1...100))
    let order = disk.calls.filter { !$0.isWrite }
    let names = folder.segments
    var expected: [RecordingDisk.Call] = [.make(names[0]), .synchronizeFolder]
    for (before, name) in zip(names, names.dropFirst()) {
      expected += [.synchronize(before), .make(name), .synchronizeFolder]
    }
    #expect(order == expected)
  }

  @Test func aLineLongerThanASegmentHasOneOfItsOwn() throws {
    let store = try store(small)
    try store.write(logLine(1), logLine(2, padding: 6000), logLine(3))
    #expect(folder.segments == [name(1), name(2), name(3)])
    #expect(folder.sequences == [1, 2, 3])
  }

  @Test func timesNeverFallWithinASegment() throws {
    let store = try store()
    try store.write(logLine(1, at: 500), logLine(2, at: 500), logLine(3, at: 499), logLine(4, at: 600))
    #expect(folder.segments == [name(1), name(3)])
  }

  @Test func aSegmentHasOneStateOfTheClock() throws {
    let store = try store()
    try store.write(
      logLine(1, at: 1, isSynchronized: false), logLine(2, at: 2, isSynchronized: false), logLine(3, at: 3),
      logLine(4, at: 4, isSynchronized: false))
    #expect(folder.segments == [name(1), name(3), name(4)])
  }

  // MARK: Caps

  @Test func theLogIsNeverLargerThanItMayBe() throws {
    let store = try store(small)
    for sequence in 1...2000 {
      try store.write(logLine(UInt64(sequence), at: Int64(sequence)))
      let size = folder.segments.reduce(0) { $0 + folder.content($1).count }
      #expect(size <= 64 << 10)
    }
    let sequences = folder.sequences
    #expect(sequences.last == 2000)
    #expect(sequences == Array((sequences.first ?? 0)...2000))
    // And no more is removed than has to be: a segment, and the room that the one that is written has left.
    #expect(folder.segments.reduce(0) { $0 + folder.content($1).count } > 52 << 10)
  }

  /// Three segments, written a day apart from day 0 on; the clock since boot then shows the last one's.
  private func threeDays(isSynchronized: Bool = true) throws -> LogStore {
    let store = try store(small)
    for sequence in 1...3 {
      let time = day(Int64(sequence) - 1)
      clock.set(time)
      try store.write(logLine(UInt64(sequence), at: time, isSynchronized: isSynchronized, padding: 3900))
    }
    return store
  }

  @Test func theOldestGoesWhenTheNextIsTooOld() throws {
    let store = try threeDays()
    clock.set(day(31) - 1)
    try store.removeOld()
    #expect(folder.sequences == [1, 2, 3])
    clock.set(day(31) + 1)
    try store.removeOld()
    #expect(folder.sequences == [2, 3])
    // The one that is written never goes.
    clock.set(day(1000))
    try store.removeOld()
    #expect(folder.sequences == [3])
  }

  @Test func whatIsTooOldGoesWhenASegmentBegins() throws {
    let store = try threeDays()
    clock.set(day(33))
    try store.write(logLine(4, at: day(33), padding: 3900))
    #expect(folder.sequences == [3, 4])
  }

  @Test func aClockThatIsNotKeptRightRemovesNothing() throws {
    let store = try threeDays()
    try store.write(logLine(4, at: day(1000), isSynchronized: false))
    clock.set(day(2000))
    try store.removeOld()
    #expect(folder.sequences == [1, 2, 3, 4])
  }

  @Test func linesOfAClockThatWasNotKeptRightHaveNoAge() throws {
    let store = try threeDays(isSynchronized: false)
    try store.write(logLine(4, at: day(1000)))
    try store.removeOld()
    #expect(folder.sequences == [1, 2, 3, 4])
  }

  @Test func aStepOfTheClockIsNoAge() throws {
    let store = try threeDays()
    let step: Int64 = 14 * 86_400_000_000_000
    store.clockStepped(by: step, before: 4)
    try store.write(logLine(4, at: day(2 + 14), padding: 3900))
    // A month on by itself, and two weeks too far; so all are a month old, and not six weeks.
    clock.set(day(31) - 1)
    try store.removeOld()
    #expect(folder.sequences == [1, 2, 3, 4])
    clock.set(day(31) + 1)
    try store.removeOld()
    #expect(folder.sequences == [2, 3, 4])
  }

  @Test func aStepThatNobodyHasToldOfYetIsNoAge() throws {
    let store = try threeDays()
    // The lines know nothing of it, and the clock since boot has none.
    clock.set(day(2) + 1)
    try store.write(logLine(4, at: day(2), padding: 3900))
    try store.removeOld()
    #expect(folder.sequences == [1, 2, 3, 4])
  }

  @Test func aStepBackRemovesNothing() throws {
    let store = try threeDays()
    store.clockStepped(by: -14 * 86_400_000_000_000, before: 4)
    try store.removeOld()
    #expect(folder.sequences == [1, 2, 3])
    // And none of what is written then is older for it.
    try store.write(logLine(4, at: day(-12), padding: 3900), logLine(5, at: day(-12), padding: 3900))
    #expect(folder.sequences == [1, 2, 3, 4, 5])
  }

  @Test func aStepCountsOnlyForWhatWasWrittenBeforeIt() throws {
    let store = try threeDays()
    store.clockStepped(by: 14 * 86_400_000_000_000, before: 2)
    clock.set(day(31) + 1)
    try store.removeOld()
    #expect(folder.sequences == [2, 3])
  }

  @Test func manyStepsKeepMoreAndNotLess() throws {
    let store = try threeDays()
    for _ in 0..<1000 { store.clockStepped(by: 86_400_000_000_000, before: 4) }
    try store.write(logLine(4, at: day(1002), padding: 3900))
    clock.set(day(31) - 1)
    try store.removeOld()
    #expect(folder.sequences == [1, 2, 3, 4])
    clock.set(day(31) + 1)
    try store.removeOld()
    #expect(folder.sequences == [2, 3, 4])
  }

  // MARK: Failures

  @Test func aShortWriteGoesOn() throws {
    disk.takeAtMost(7)
    let store = try store()
    try store.write(logLine(1), logLine(2))
    #expect(folder.content(name(1)) == Array((logLine(1) + logLine(2)).utf8))
  }

  @Test(arguments: [ENOSPC, EDQUOT, EROFS, EIO]) func aFullDiskLosesNothing(_ number: Int32) throws {
    let store = try store(small)
    try store.write(logLine(1))
    disk.takeAtMost(1000)
    // Three pieces are taken, the third ends within a line.
    let before = disk.calls.count(where: \.isWrite)
    disk.fail { [disk] in $0.isWrite && disk.calls.count(where: \.isWrite) >= before + 3 ? number : nil }
    var group = LogGroup(Array((2...60).map { logLine($0) }.joined().utf8), isDurable: true)
    let error = failure(store, &group)
    #expect(error == .system(SystemError("cannot do it", number: number)))
    #expect(failure(store, &group) == error)
    #expect(store.synced == 1)
    #expect(!group.isWritten)
    disk.fail(nil)
    #expect(failure(store, &group) == nil)
    #expect(folder.sequences == Array(1...60))
    #expect(store.synced == 60)
  }

  @Test(arguments: [ENOSPC, EMFILE, EROFS]) func aSegmentThatCannotBeMadeIsMadeLater(_ number: Int32) throws {
    let store = try store(small)
    disk.fail { if case .make = $0 { number } else { nil } }
    var group = LogGroup(Array((1...60).map { logLine($0) }.joined().utf8), isDurable: true)
    #expect(failure(store, &group) != nil)
    #expect(folder.segments.isEmpty)
    // Then the folder cannot be synced: the segment is there, and must not be in the way.
    disk.fail { $0 == .synchronizeFolder ? number : nil }
    #expect(failure(store, &group) != nil)
    #expect(failure(store, &group) != nil)
    disk.fail(nil)
    #expect(failure(store, &group) == nil)
    #expect(folder.sequences == Array(1...60))
  }

  @Test func aFileThatCouldNotBeSyncedIsNotWrittenAnyMore() throws {
    let store = try store()
    try store.write(logLine(1))
    try store.write(logLine(2, "didRange"), isDurable: false)
    disk.fail { $0.isSynchronize ? EIO : nil }
    var group = LogGroup(Array((logLine(3) + logLine(4)).utf8), isDurable: true)
    for _ in 0..<3 {
      #expect(failure(store, &group) == .system(SystemError("cannot do it", number: EIO)))
      #expect(store.synced == 1)
    }
    disk.fail(nil)
    #expect(failure(store, &group) == nil)
    #expect(store.synced == 4)
    #expect(folder.segments == [name(1), name(3)])
    #expect(folder.sequences == [1, 2, 3, 4])
    try store.write(logLine(5))
    #expect(folder.segments == [name(1), name(3)])
  }

  @Test func aSegmentThatCouldNotBeSyncedOrCutIsThereTwiceAndReadOnce() throws {
    let store = try store()
    try store.write(logLine(1))
    disk.fail { call in
      if case .truncate = call { EIO } else { call.isSynchronize ? EIO : nil }
    }
    var group = LogGroup(Array((logLine(2) + logLine(3)).utf8), isDurable: true)
    #expect(failure(store, &group) != nil)
    disk.fail(nil)
    #expect(failure(store, &group) == nil)
    #expect(folder.sequences == [1, 2, 3, 2, 3])
    #expect(try readLog(LogReader(folder.log)) == [1, 2, 3])
  }

  @Test func aFolderThatIsGoneIsMadeAnew() throws {
    let store = try store()
    try store.write(logLine(1))
    try FileManager.default.moveItem(atPath: folder.log, toPath: folder.path + "/elsewhere")
    var group = LogGroup(Array(logLine(2).utf8), isDurable: true)
    #expect(failure(store, &group) == .gone(folder: folder.log))
    #expect(failure(store, &group) == nil)
    #expect(folder.segments == [name(2)])
    #expect(folder.sequences == [2])
    // And it is locked again.
    #expect(throws: LogFailure.locked(folder: folder.log, process: getpid())) { try self.store() }
  }

  @Test func whatWasHalfWrittenWhenTheFolderWentIsWrittenWhole() throws {
    let store = try store(small)
    disk.takeAtMost(1000)
    disk.fail { [disk] in $0.isWrite && disk.calls.count(where: \.isWrite) >= 6 ? ENOSPC : nil }
    var group = LogGroup(Array((1...60).map { logLine($0) }.joined().utf8), isDurable: true)
    #expect(failure(store, &group) != nil)
    #expect(folder.segments.count == 2)
    try FileManager.default.removeItem(atPath: folder.log)
    disk.fail(nil)
    #expect(failure(store, &group) == .gone(folder: folder.log))
    #expect(failure(store, &group) == nil)
    #expect(folder.sequences == Array(1...60))
  }

  @Test func aSegmentThatSomebodyRemovesEnds() throws {
    let store = try store()
    try store.write(logLine(1))
    try FileManager.default.removeItem(atPath: "\(folder.log)/\(name(1))")
    try store.write(logLine(2))
    #expect(folder.segments == [name(2)])
  }

  @Test func anotherLogInTheFolderIsNotWritten() throws {
    let store = try store()
    try store.write(logLine(1))
    try FileManager.default.moveItem(atPath: folder.log, toPath: folder.path + "/elsewhere")
    try folder.write((1...9).map { logLine($0) }.joined().utf8, name(1))
    var group = LogGroup(Array(logLine(2).utf8), isDurable: true)
    #expect(failure(store, &group) == .gone(folder: folder.log))
    #expect(failure(store, &group) == .ahead(folder: folder.log, sequence: 9))
    #expect(failure(store, &group) == .ahead(folder: folder.log, sequence: 9))
    try FileManager.default.removeItem(atPath: folder.log)
    #expect(failure(store, &group) == nil)
    #expect(folder.sequences == [2])
  }
}
