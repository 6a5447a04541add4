import EventLog
import Foundation
import Linux
import TestSupport
import Testing

struct LogRecoveryTests {
  private let folder: TemporaryFolder
  private let first = "00000000000000000001.jsonl"

  init() throws {
    folder = try TemporaryFolder()
  }

  private func store(from sequence: UInt64 = 1) throws(LogFailure) -> LogStore {
    try LogStore(folder.log, LogSettings(), from: sequence, disk: RecordingDisk())
  }

  @Test func aTailTornAtAnyOctetIsCutAndSaid() throws {
    let lines = (1...5).map { logLine($0, at: Int64($0)) }
    let octets = Array(lines.joined().utf8)
    let ends = lines.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.utf8.count) }
    for length in ends[2]..<octets.count {
      try folder.write(octets[..<length], first)
      let whole = ends.lastIndex { $0 <= length } ?? 0
      let torn = length - ends[whole]
      let notes: [String]
      do {
        let store = try store()
        notes = store.takeNotes()
        #expect(store.next == UInt64(whole) + 1)
        try store.write(logLine(store.next, at: 9))
      }
      #expect(notes == (torn > 0 ? ["cut \(torn) octets of torn lines after event \(whole)"] : []))
      #expect(folder.sequences == Array(1...UInt64(whole) + 1))
      #expect(try store().takeNotes().isEmpty)
    }
  }

  /// What a disk may hold where the last lines were to be.
  private static let garbage: [[UInt8]] = [
    [0], [UInt8](repeating: 0, count: 4096), [UInt8](repeating: 0xff, count: 100), Array("\n".utf8),
    Array("\n\n\n".utf8), [UInt8](repeating: 0, count: 600) + Array(logLine(4).utf8), Array(logLine(3).utf8),
    Array(logLine(5).utf8), Array("{}\n".utf8), Array("null\n".utf8), Array(logLine(4).utf8.dropLast(3)) + [0, 0, 10],
    Array(logLine(4).replacingOccurrences(of: "hall", with: "ha\u{1}l").utf8),
    [UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20), Array(logLine(4).utf8.dropLast(2)) + Array(",\n".utf8),
  ]

  @Test(arguments: garbage) func whatIsNoLineOfTheLogIsCut(_ tail: [UInt8]) throws {
    let good = Array((1...3).map { logLine($0) }.joined().utf8)
    try folder.write(good + tail, first)
    let store = try store()
    #expect(store.takeNotes() == ["cut \(tail.count) octets of torn lines after event 3"])
    #expect(store.next == 4)
    #expect(folder.content(first) == good)
  }

  @Test func aLastSegmentWithoutALineGoesAndItsNumberIsNotGivenAgain() throws {
    for tail in [[], [0], Array(logLine(4).utf8.dropLast())] as [[UInt8]] {
      try folder.write((1...3).map { logLine($0) }.joined().utf8, first)
      try folder.write(tail, "00000000000000000004.jsonl")
      let store = try store()
      #expect(store.next == 4)
      #expect(folder.segments == [first])
      #expect(store.takeNotes().count == (tail.isEmpty ? 0 : 1))
    }
  }

  @Test func theNumberOfAnOnlySegmentIsKept() throws {
    try folder.write([], "00000000000000004711.jsonl")
    #expect(try store().next == 4711)
    #expect(try store().next == 4711)
    let store = try store()
    try store.write(logLine(4711))
    #expect(folder.segments == ["00000000000000004711.jsonl"])
  }

  @Test func numbersBeginWhereTheyAreToldToOrBeyond() throws {
    do { #expect(try store(from: 10).next == 10) }
    try folder.write((1...3).map { logLine($0) }.joined().utf8, first)
    do { #expect(try store(from: 2).next == 4) }
    let store = try store(from: 10)
    #expect(store.next == 10)
    try store.write(logLine(10))
    #expect(folder.segments == [first, "00000000000000000010.jsonl"])
    #expect(folder.sequences == [1, 2, 3, 10])
  }

  @Test func filesOfOthersAreLeftAlone() throws {
    let names = [
      "notes.txt", "1.jsonl", "00000000000000000009.json", "0000000000000000000x.jsonl", "99999999999999999999.jsonl",
    ]
    for name in names { try folder.write(Array("hello".utf8), name) }
    let store = try store()
    #expect(store.next == 1)
    try store.write(logLine(1))
    for name in names { #expect(folder.content(name) == Array("hello".utf8)) }
  }

  @Test func gapsAndOverlapsAreSaidAndNothingIsRemoved() throws {
    let files: [(String, ClosedRange<UInt64>)] = [
      (first, 1...3), ("00000000000000000006.jsonl", 6...9), ("00000000000000000008.jsonl", 8...9),
      ("00000000000000000010.jsonl", 10...11),
    ]
    for (name, numbers) in files { try folder.write(numbers.map { logLine($0) }.joined().utf8, name) }
    let store = try store()
    #expect(store.takeNotes() == ["events 4 to 5 are missing", "events 8 to 9 are there twice"])
    #expect(store.next == 12)
    #expect(folder.segments == files.map(\.0))
  }

  @Test func aRenamedSegmentIsSaidAndLeftAsItIs() throws {
    let renamed = "00000000000000000005.jsonl"
    let octets = Array((20...22).map { logLine($0) }.joined().utf8)
    try folder.write((1...3).map { logLine($0) }.joined().utf8, first)
    try folder.write(octets, renamed)
    let store = try store()
    #expect(store.next == 23)
    #expect(store.takeNotes().contains("\(renamed) begins with event 20"))
    try store.write(logLine(23))
    #expect(Array(folder.content(renamed).prefix(octets.count)) == octets)
    #expect(folder.sequences == [1, 2, 3, 20, 21, 22, 23])
  }

  @Test func aDamagedSegmentThatIsNotTheLastIsLeftAsItIs() throws {
    try folder.write([UInt8](repeating: 0, count: 300), first)
    try folder.write((4...5).map { logLine($0) }.joined().utf8, "00000000000000000004.jsonl")
    let store = try store()
    #expect(store.next == 6)
    #expect(folder.content(first).count == 300)
  }

  @Test func aFolderThatCannotBeMadeIsAnError() throws {
    try folder.write([], "file")
    do throws(LogFailure) {
      _ = try LogStore("\(folder.log)/file/events", LogSettings())
      Issue.record("a log in a file")
    } catch {
      #expect(error == .system(SystemError("cannot make \(folder.log)/file/events", number: ENOTDIR)))
    }
  }
}
