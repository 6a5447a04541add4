import Foundation
import Linux
import Testing

struct ThreadTests {
  /// A wake-up that a closure may hold.
  private final class Signal: Sendable {
    let wakeup: Wakeup
    let name = Guarded("")

    init() throws {
      wakeup = try Wakeup()
    }
  }

  @Test func aThreadRunsItsBodyUnderItsName() throws {
    let signal = try Signal()
    try Thread.detach("a name that is too long") {
      let octets = FileManager.default.contents(atPath: "/proc/thread-self/comm") ?? Data()
      let name = String(decoding: octets, as: UTF8.self)
      signal.name.withLock { $0 = name }
      signal.wakeup.signal()
    }
    let isWoken = signal.wakeup.wait(until: BootClock.now + 60_000_000_000)
    #expect(isWoken)
    #expect(signal.name.withLock { $0 } == "a name that is \n")
  }

  @Test func signalsThatNobodyWaitedForAreOne() throws {
    let wakeup = try Wakeup()
    let none = wakeup.wait(until: 0)
    for _ in 0..<3 { wakeup.signal() }
    let one = wakeup.wait()
    let other = wakeup.wait(until: 0)
    #expect([none, one, other] == [false, true, false])
  }

  @Test func aDeadlineInThePastOrOfNoTimeIsNoWait() throws {
    let wakeup = try Wakeup()
    for deadline in [Int64.min, -1, 0, BootClock.now] {
      let isWoken = wakeup.wait(until: deadline)
      #expect(!isWoken)
    }
    wakeup.signal()
    let isWoken = wakeup.wait(until: .max)
    #expect(isWoken)
  }

  @Test func theWallClockIsThatOfFoundation() {
    let before = Date().timeIntervalSince1970
    let now = Double(WallClock.now) / 1e9
    let after = Date().timeIntervalSince1970
    #expect(before - 0.001 <= now && now <= after + 0.001)
    // Whatever it is, it can be asked.
    _ = WallClock.isSynchronized
  }
}
