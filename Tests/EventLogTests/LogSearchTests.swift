import BluetoothLE
import EventLog
import Foundation
import TestSupport
import Testing

@testable import EventLog

struct LogSearchTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func found(_ since: Int64?, _ until: Int64?) throws -> [UInt64] {
    var sequences: [UInt64] = []
    let search = try LogSearch(folder.log, since: since.map(logTime), until: until.map(logTime))
    try search.forEachLine {
      sequences.append($0.sequence)
      return true
    }
    #expect(try search.firstSequence() == sequences.first)
    return sequences
  }

  @Test func aFolderThatIsNotThereHasNoEvents() throws {
    #expect(try found(nil, nil) == [])
    try folder.write([], "00000000000000000001.jsonl")
    #expect(try found(nil, nil) == [])
  }

  /// Times that repeat, jump and fall, lines of all lengths, small segments and large ones: searching finds what looking at
  /// all of them does.
  @Test(arguments: [64 << 10, 64 << 20] as [Int64]) func itFindsWhatLookingAtEveryLineFinds(_ size: Int64) throws {
    var random = SplitMix(seed: UInt64(size))
    var times: [Int64] = []
    var time: Int64 = 0
    let store = try LogStore(folder.log, LogSettings(maxSize: size), disk: RecordingDisk())
    for sequence in 1...3000 as ClosedRange<UInt64> {
      time += random.chance(0.01) ? -Int64(random.next() % 5000) : Int64(random.next() % 4) * 100
      times.append(time)
      let padding = random.chance(0.02) ? Int(random.next() % 30_000) : Int(random.next() % 50)
      try store.write(logLine(sequence, at: time, padding: padding))
    }
    let first = try #require(folder.sequences.first)
    #expect(folder.segments.count > 3)
    let (earliest, latest) = (try #require(times.min()), try #require(times.max()))
    for _ in 0..<200 {
      let bounds = [0, 1].map { _ in earliest - 500 + Int64(random.next() % UInt64(latest - earliest + 1000)) }.sorted()
      let expected = (first...3000).filter { bounds[0] <= times[Int($0) - 1] && times[Int($0) - 1] <= bounds[1] }
      #expect(try found(bounds[0], bounds[1]) == expected)
    }
    #expect(try found(nil, nil) == Array(first...3000))
    #expect(try found(latest + 1, nil) == [])
    #expect(try found(nil, earliest - 1) == [])
  }

  @Test func aTornTailIsNotFound() throws {
    try folder.write(Array((logLine(1) + logLine(2)).utf8.dropLast(5)), "00000000000000000001.jsonl")
    #expect(try found(nil, nil) == [1])
    #expect(try found(0, 0) == [1])
  }

  @Test func aReaderGoesOnWhereTheSearchBegan() throws {
    let store = try LogStore(folder.log, LogSettings(maxSize: 64 << 10), disk: RecordingDisk())
    for sequence in 1...200 as ClosedRange<UInt64> { try store.write(logLine(sequence, at: Int64(sequence))) }
    let first = try #require(try LogSearch(folder.log, since: logTime(150)).firstSequence())
    #expect(try readLog(LogReader(folder.log, from: first)) == Array(150...200))
  }
}
