import EventLog
import TestSupport
import Testing

@testable import EventLog

/// When a group is written, and what finds room; times in seconds.
struct LogQueueTests {
  private static func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

  /// A queue with a sync of one second that has written a group at second 100.
  private func queue() -> LogQueue {
    var queue = LogQueue(next: 1, sync: Self.nanoseconds(1))
    append(to: &queue, at: 100)
    var group = queue.take(at: Self.nanoseconds(100))
    queue.finish(&group.octets)
    return queue
  }

  @discardableResult
  private func append(to queue: inout LogQueue, _ event: String = "didEnter", at seconds: Double) -> Bool {
    let line = Array(logLine(queue.next, event).utf8)
    return line.withUnsafeBytes { queue.append($0, at: Self.nanoseconds(seconds)) }
  }

  private func due(_ queue: LogQueue) -> Double? { queue.due.map { Double($0) / 1e9 } }

  @Test func nothingIsDueWhereNothingWaits() {
    #expect(LogQueue(next: 1, sync: 1).due == nil)
    #expect(queue().due == nil)
  }

  @Test func afterAPauseAnEventIsDueAtOnce() {
    for event in ["didEnter", "didRange"] {
      var queue = queue()
      let isEarlier = append(to: &queue, event, at: 200)
      #expect(isEarlier)
      #expect(due(queue).map { $0 <= 200 } == true)
    }
    var first = LogQueue(next: 1, sync: Self.nanoseconds(1))
    append(to: &first, at: 0)
    #expect(first.due == .min)
  }

  @Test func underLoadEventsAreDueOnceASync() {
    var queue = queue()
    append(to: &queue, "didRange", at: 100.2)
    #expect(due(queue) == 101)
    append(to: &queue, "didRange", at: 100.5)
    #expect(due(queue) == 101)
  }

  @Test func aDurableEventLeavesATenthOfItsTimeToTheDisk() {
    var queue = queue()
    append(to: &queue, at: 100.05)
    #expect(due(queue).map { ($0 * 1000).rounded() } == 100_950)
    // The oldest one counts.
    append(to: &queue, at: 100.06)
    #expect(due(queue).map { ($0 * 1000).rounded() } == 100_950)
    append(to: &queue, "didRange", at: 100.07)
    #expect(due(queue).map { ($0 * 1000).rounded() } == 100_950)
  }

  @Test func whoWritesIsWokenOnlyWhereThatIsEarlier() {
    var queue = queue()
    let first = append(to: &queue, "didRange", at: 100.01)
    let second = append(to: &queue, "didRange", at: 100.02)
    let durable = append(to: &queue, at: 100.03)
    let later = append(to: &queue, at: 100.04)
    #expect([first, second, durable, later] == [true, false, true, false])
  }

  @Test func aGroupIsDurableWhereOneOfItsEventsIs() {
    var queue = queue()
    append(to: &queue, "didRange", at: 101)
    #expect(!queue.take(at: 0).isDurable)
    append(to: &queue, "didRange", at: 101)
    append(to: &queue, at: 101)
    #expect(queue.take(at: 0).isDurable)
    append(to: &queue, "didRange", at: 101)
    #expect(!queue.take(at: 0).isDurable)
  }

  @Test func aSyncThatIsWantedIsAGroupWithoutLines() {
    var queue = queue()
    let isEarlier = queue.wantSync(at: Self.nanoseconds(100.5))
    #expect(isEarlier)
    #expect(due(queue) == 101)
    let group = queue.take(at: Self.nanoseconds(101))
    #expect(group.isDurable && group.octets.isEmpty)
    #expect(queue.due == nil)
  }

  @Test func aFullMegabyteIsDueAtOnce() {
    var queue = queue()
    while queue.count < 1 << 20 {
      #expect(due(queue).map { $0 >= 100.9 } ?? true)
      append(to: &queue, at: 100.1)
    }
    #expect(queue.due == .min)
  }

  @Test func listsLeaveHalfOfTheRoomToEvents() {
    var queue = queue()
    let line = Array(logLine(2, padding: 100_000).utf8)
    func fill(to size: Int) {
      while queue.count < size {
        let text = Array(logLine(queue.next, padding: line.count).utf8)
        _ = text.withUnsafeBytes { queue.append($0, at: 0) }
      }
    }
    #expect([queue.admits(isDurable: false), queue.admits(isDurable: true)] == [true, true])
    fill(to: LogQueue.capacity / 2)
    #expect([queue.admits(isDurable: false), queue.admits(isDurable: true)] == [false, true])
    // What is being written is in memory too.
    var group = queue.take(at: 0)
    #expect([queue.admits(isDurable: false), queue.admits(isDurable: true)] == [false, true])
    fill(to: LogQueue.capacity)
    #expect([queue.admits(isDurable: false), queue.admits(isDurable: true)] == [false, false])
    #expect(queue.takeRefused() == RefusedEvents(lists: 3, events: 1))
    #expect(queue.takeRefused().isEmpty)
    queue.finish(&group.octets)
    #expect([queue.admits(isDurable: false), queue.admits(isDurable: true)] == [false, true])
  }

  @Test func whatIsLostIsCountedInWords() {
    #expect(RefusedEvents(lists: 1, events: 0).description == "1 list and 0 events")
    #expect(RefusedEvents(lists: 12, events: 1).description == "12 lists and 1 event")
  }
}
