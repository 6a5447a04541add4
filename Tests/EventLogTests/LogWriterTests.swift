import Dispatch
import EventLog
import Foundation
import Linux
import TestSupport
import Testing

@testable import EventLog

struct LogWriterTests {
  /// What a writer says, and a way to wait until it does.
  private final class Reports: Sendable {
    private let lines = Guarded<[String]>([])
    private let news = DispatchSemaphore(value: 0)

    func take(_ line: String) {
      lines.withLock { $0.append(line) }
      news.signal()
    }

    var all: [String] { lines.withLock { $0 } }

    /// Waits for the next one, a minute at most.
    func wait() -> Bool { news.wait(timeout: .now() + 60) == .success }
  }

  private let folder: TemporaryFolder
  private let disk = RecordingDisk()
  private let reports = Reports()

  init() throws {
    folder = try TemporaryFolder()
  }

  private func writer(
    _ settings: LogSettings = LogSettings(), whenFull: LogWriter.WhenFull = .refuse
  ) throws(LogFailure) -> LogWriter {
    try LogWriter(folder.log, settings, whenFull: whenFull, disk: disk, report: reports.take)
  }

  private func append(_ lines: String..., to writer: LogWriter) {
    Array(lines.joined().utf8).withUnsafeBytes { writer.append(lines: $0) }
  }

  @Test func otherCapsHoldAtOnceAndAnotherSyncToo() throws {
    let writer = try writer(LogSettings(maxSize: 64 << 10, sync: .seconds(3600)))
    for sequence in 1...40 { append(logLine(UInt64(sequence), padding: 1000), to: writer) }
    writer.apply(LogSettings(maxSize: 16 << 10, sync: .zero))
    append(logLine(41), to: writer)
    let deadline = BootClock.now + 60_000_000_000
    while writer.synced < 41 || folder.segments.count > 4 {
      try #require(BootClock.now < deadline, "\(writer.synced) \(folder.segments)")
      BootClock.sleep(until: BootClock.now + 1_000_000)
    }
    #expect(folder.sequences.last == 41 && folder.sequences.first ?? 0 > 20)
    #expect(writer.close(within: .seconds(60)))
  }

  @Test func whatIsAppendedIsOnTheDiskWhenTheWriterHasClosed() throws {
    let writer = try writer()
    #expect(writer.next == 1)
    #expect(writer.synced == 0)
    append(logLine(1), logLine(2, "didRange"), to: writer)
    append(logLine(3, "didRange"), to: writer)
    #expect(writer.close(within: .seconds(60)))
    #expect(writer.synced == 3)
    #expect(folder.sequences == [1, 2, 3])
    #expect(disk.calls.last == .synchronize("00000000000000000001.jsonl"))
    #expect(reports.all == [])
    // And another may write.
    let next = try self.writer().next
    #expect(next == 4)
  }

  @Test func aWriterThatIsLetGoWritesWhatItHas() throws {
    do {
      let writer = try writer(LogSettings(sync: .seconds(3600)))
      append(logLine(1, "didRange"), to: writer)
      append(logLine(2, "didRange"), to: writer)
    }
    // Its thread may still hold the lock for a moment.
    while (try? LogStore(folder.log, LogSettings())) == nil { sched_yield() }
    #expect(folder.sequences == [1, 2])
  }

  @Test func whatIsToRunAfterASyncRunsWhenEverythingBeforeIsSynced() throws {
    let writer = try writer()
    let disk = disk
    let order = Reports()
    for sequence in 1...20 as ClosedRange<UInt64> {
      append(logLine(sequence, "didRange"), to: writer)
      writer.afterSync {
        let calls = disk.calls
        let write = calls.lastIndex { $0.written.contains("\"seq\":\(sequence),") }
        let sync = calls.lastIndex { $0.isSynchronize }
        let isSynced = write.flatMap { write in sync.map { $0 > write } }
        order.take("\(sequence) \(isSynced == true)")
      }
      if sequence % 5 == 0 { for _ in 0..<5 { #expect(order.wait()) } }
    }
    #expect(order.all == (1...20).map { "\($0) true" })
    writer.close(within: .seconds(60))
  }

  @Test func troubleIsSaidOnceWhenItBeginsAndOnceWhenItEnds() throws {
    disk.fail { $0.isWrite ? ENOSPC : nil }
    let writer = try writer()
    append(logLine(1), to: writer)
    #expect(reports.wait())
    append(logLine(2), to: writer)
    #expect(!writer.close(within: .zero))
    #expect(reports.all == ["event log: cannot do it: No space left on device; events wait in memory"])
    #expect(folder.sequences == [])
  }

  @Test func whatWaitedForTheDiskIsWritten() throws {
    disk.fail { $0.isWrite ? ENOSPC : nil }
    let writer = try writer()
    append(logLine(1), to: writer)
    #expect(reports.wait())
    append(logLine(2), logLine(3), to: writer)
    disk.fail(nil)
    #expect(writer.close(within: .seconds(60)))
    #expect(folder.sequences == [1, 2, 3])
    #expect(
      reports.all == [
        "event log: cannot do it: No space left on device; events wait in memory",
        "event log: writing again, nothing was lost",
      ])
  }

  @Test func whatFoundNoRoomIsCounted() throws {
    disk.fail { $0.isWrite ? EROFS : nil }
    let writer = try writer()
    var sequence: UInt64 = 0
    var refused = RefusedEvents()
    while refused.events < 3 {
      let isDurable = sequence % 2 == 0 || refused.lists > 4
      guard writer.admits(isDurable: isDurable) else {
        if isDurable { refused.events += 1 } else { refused.lists += 1 }
        continue
      }
      sequence += 1
      append(logLine(sequence, isDurable ? "didEnter" : "didRange", padding: 50_000), to: writer)
    }
    disk.fail(nil)
    #expect(writer.close(within: .seconds(60)))
    #expect(reports.all.last == "event log: writing again, 5 lists and 3 events were lost")
    // No number is skipped for it.
    #expect(folder.sequences == Array(1...sequence))
  }

  @Test func whoMayWaitWaitsForRoomAndLosesNothing() throws {
    let writer = try writer(whenFull: .wait)
    for sequence in 1...400 as ClosedRange<UInt64> {
      #expect(writer.admits(isDurable: false))
      append(logLine(sequence, "didRange", padding: 100_000), to: writer)
    }
    #expect(writer.close(within: .seconds(60)))
    #expect(folder.sequences == Array(1...400))
    #expect(reports.all == [])
  }

  @Test func whatWasFoundAtTheStartIsSaid() throws {
    try folder.write(Array((logLine(1) + logLine(2)).utf8.dropLast(7)), "00000000000000000001.jsonl")
    let writer = try writer()
    #expect(writer.next == 2)
    let torn = logLine(2).utf8.count - 7
    #expect(reports.all == ["event log: cut \(torn) octets of torn lines after event 1"])
    writer.close(within: .seconds(60))
  }

  /// One writes and removes, two read, each begun anew again and again: for the thread sanitizer too.
  @Test func readersKeepUpWithAWriterThatRemoves() throws {
    let last: UInt64 = 20_000
    let writer = try LogWriter(
      folder.log, LogSettings(maxSize: 64 << 10, sync: .milliseconds(1)), whenFull: .wait, report: reports.take)
    let path = folder.log
    let counts = Guarded<[[UInt64: Int]]>([])
    DispatchQueue.concurrentPerform(iterations: 3) { role in
      if role == 0 {
        var sequence: UInt64 = 0
        while sequence < last {
          let group = (sequence + 1...sequence + 20).map { logLine($0, $0 % 3 == 0 ? "didEnter" : "didRange") }.joined()
          Array(group.utf8).withUnsafeBytes { writer.append(lines: $0) }
          sequence += 20
        }
        writer.close(within: .seconds(60))
        return
      }
      var seen: [UInt64: Int] = [:]
      var random = SplitMix(seed: UInt64(role))
      var reader = LogReader(path, from: 1)
      while reader.next <= last {
        do throws(LogFailure) {
          let count = try reader.readAvailable(atMost: 1 + Int(random.next() % 500)) { item in
            switch item {
            case .line(let line): seen[line.sequence, default: 0] += 1
            case .missing(let range): for sequence in range { seen[sequence, default: 0] += 1 }
            case .restarted: seen[0] = 1
            }
          }
          if count == 0 { reader.wait(until: BootClock.now + 1_000_000_000) }
        } catch {
          Issue.record(error)
        }
        if random.chance(0.2) { reader = LogReader(path, from: reader.next) }
      }
      counts.withLock { $0.append(seen) }
    }
    for seen in counts.withLock({ $0 }) {
      #expect(seen.count == Int(last))
      #expect(seen.values.allSatisfy { $0 == 1 })
      #expect(seen[0] == nil)
    }
    #expect(counts.withLock { $0.count } == 2)
    #expect(reports.all == [])
  }
}
