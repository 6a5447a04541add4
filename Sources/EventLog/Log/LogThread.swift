import BluetoothLE
import Linux

/// The thread of a log's writer, and what it shares with others.
final class LogThread: Sendable {
  /// A disk that is full is seldom freed within less than a second; who ends has less time.
  private static let retryInterval: Int64 = 1_000_000_000
  private static let lastRetryInterval: Int64 = 100_000_000
  /// A disk that does not keep up is no news more often than once a minute.
  private static let refusalInterval: Int64 = 60_000_000_000

  private struct Shared {
    var queue: LogQueue
    /// What is to be run when the next group is on the disk.
    var afterSync: [@Sendable () -> Void] = []
    var news = News()
    var synced: UInt64
    /// When the thread gives up writing; nil while it goes on.
    var end: Int64?
    var hasEnded = false
    var isAllSynced = false
    var isWaitedFor = false
  }

  /// What the store is to know, since the thread looked.
  private struct News: Sendable {
    /// Steps of the wall clock.
    var steps: [(before: UInt64, nanoseconds: Int64)] = []
    var settings: LogSettings?

    func tell(_ store: LogStore) {
      for step in steps { store.clockStepped(by: step.nanoseconds, before: step.before) }
      if let settings { store.settings = settings }
    }
  }

  private let shared: Guarded<Shared>
  /// Nil when the thread has ended. Nobody else asks for it, so that nobody waits for the disk.
  private let store: Guarded<LogStore?>
  private let wakeup: Wakeup
  private let room: Wakeup
  private let ended: Wakeup
  private let report: @Sendable (String) -> Void

  init(
    _ store: sending LogStore, next: UInt64, sync: Duration, report: @escaping @Sendable (String) -> Void
  ) throws(SystemError) {
    let wakeup = try Wakeup()
    let room = try Wakeup()
    let ended = try Wakeup()
    self.wakeup = wakeup
    self.room = room
    self.ended = ended
    self.store = Guarded(store)
    self.report = report
    shared = Guarded(Shared(queue: LogQueue(next: next, sync: sync.nanoseconds), synced: next - 1))
  }

  // MARK: For others

  func admits(isDurable: Bool) -> Bool { shared.withLock { $0.queue.admits(isDurable: isDurable) } }

  var synced: UInt64 { shared.withLock { $0.synced } }

  func append(_ lines: UnsafeRawBufferPointer) {
    let now = BootClock.now
    let isEarlier = shared.withLock { shared in !shared.hasEnded && shared.queue.append(lines, at: now) }
    if isEarlier { wakeup.signal() }
  }

  func afterSync(_ body: @escaping @Sendable () -> Void) {
    let now = BootClock.now
    let isEarlier = shared.withLock { shared in
      shared.afterSync.append(body)
      return shared.queue.wantSync(at: now)
    }
    if isEarlier { wakeup.signal() }
  }

  func clockStepped(by nanoseconds: Int64) {
    shared.withLock { $0.news.steps.append(($0.queue.next, nanoseconds)) }
  }

  func apply(_ settings: LogSettings) {
    shared.withLock { shared in
      shared.news.settings = settings
      shared.queue.sync = settings.sync.nanoseconds
    }
    wakeup.signal()
  }

  /// Returns when little waits, or the thread has ended.
  func waitForRoom() {
    while isFull() { room.wait() }
  }

  private func isFull() -> Bool {
    shared.withLock { shared in
      shared.isWaitedFor = !shared.hasEnded && shared.queue.count >= LogQueue.comfort
      return shared.isWaitedFor
    }
  }

  /// Lets the thread end when everything is on the disk, or the boot clock reads `deadline`.
  func end(by deadline: Int64) {
    let now = BootClock.now
    shared.withLock { shared in
      shared.end = deadline
      _ = shared.queue.wantSync(at: now)
    }
    wakeup.signal()
  }

  /// Waits for the thread's end; says whether everything is on the disk.
  func waitForEnd(until deadline: Int64) -> Bool {
    while !shared.withLock({ $0.hasEnded }) {
      guard ended.wait(until: deadline) else { break }
    }
    // Another may wait for the same.
    ended.signal()
    return shared.withLock { $0.isAllSynced }
  }

  // MARK: The thread

  func run() {
    var turn = Turn()
    while !isDone(turn) {
      wakeup.wait(until: deadline(turn))
      removeOld(&turn)
      hurry(&turn)
      if turn.group == nil { take(&turn) }
      if turn.group != nil, turn.nextTry <= BootClock.now { write(&turn) }
      tellOfRefusals(&turn)
    }
    let isAllSynced = turn.group == nil
    // The folder's lock goes before anybody is told.
    store.withLock { $0 = nil }
    shared.withLock { shared in
      shared.hasEnded = true
      shared.isAllSynced = isAllSynced && shared.queue.due == nil
    }
    room.signal()
    ended.signal()
  }

  /// What the thread keeps from one turn to the next.
  private struct Turn {
    /// The group that is being written.
    var group: LogGroup?
    var afterSync: [@Sendable () -> Void] = []
    var isTroubled = false
    var isEnding = false
    var nextTry = Int64.min
    /// When the caps are looked at without a new segment.
    var nextCaps = Int64.min
    var nextRefusals = Int64.min
  }

  /// Who ends does not wait for the next try.
  private func hurry(_ turn: inout Turn) {
    guard !turn.isEnding, shared.withLock({ $0.end != nil }) else { return }
    turn.isEnding = true
    turn.nextTry = .min
  }

  private func isDone(_ turn: Turn) -> Bool {
    let (end, isEmpty) = shared.withLock { ($0.end, $0.queue.due == nil) }
    guard let end else { return false }
    // One try is due to everything, also where there is no time.
    return turn.group == nil ? isEmpty : turn.isEnding && end <= BootClock.now
  }

  private func deadline(_ turn: Turn) -> Int64 {
    let (end, due) = shared.withLock { ($0.end, $0.queue.due) }
    if turn.group != nil { return min(turn.nextTry, turn.nextCaps, end ?? .max) }
    return end == nil ? min(due ?? .max, turn.nextCaps) : .min
  }

  private func take(_ turn: inout Turn) {
    let now = BootClock.now
    let (group, bodies) = shared.withLock { shared -> (LogGroup?, [@Sendable () -> Void]) in
      guard let due = shared.queue.due, due <= now || shared.end != nil else { return (nil, []) }
      defer { shared.afterSync = [] }
      return (shared.queue.take(at: now), shared.afterSync)
    }
    turn.group = group
    turn.afterSync = bodies
  }

  private func write(_ turn: inout Turn) {
    guard var group = turn.group.take() else { return }
    let news = takeNews()
    let (failure, synced, notes) = store.withLock { store -> (LogFailure?, UInt64, [String]) in
      guard let store else { return (nil, 0, []) }
      news.tell(store)
      var failure: LogFailure?
      do throws(LogFailure) {
        try store.write(&group)
      } catch {
        failure = error
      }
      return (failure, store.synced, store.takeNotes())
    }
    for note in notes { report("event log: \(note)") }
    if let failure {
      if !turn.isTroubled { report("event log: \(failure); events wait in memory") }
      turn.isTroubled = true
      turn.group = group
      turn.nextTry = BootClock.now + (turn.isEnding ? Self.lastRetryInterval : Self.retryInterval)
      shared.withLock { $0.synced = synced }
      return
    }
    let isWaitedFor = shared.withLock { shared in
      shared.synced = synced
      shared.queue.finish(&group.octets)
      return shared.isWaitedFor
    }
    if isWaitedFor { room.signal() }
    for body in turn.afterSync { body() }
    turn.afterSync = []
  }

  private func takeNews() -> News {
    shared.withLock { shared in
      defer { shared.news = News() }
      return shared.news
    }
  }

  private func removeOld(_ turn: inout Turn) {
    let areNew = shared.withLock { $0.news.settings != nil }
    guard areNew || turn.nextCaps <= BootClock.now else { return }
    turn.nextCaps = BootClock.now + LogStore.capInterval
    let news = takeNews()
    store.withLock { store in
      guard let store else { return }
      news.tell(store)
      // What cannot be removed now is tried again when a segment begins, and then said.
      try? store.removeOld()
    }
  }

  /// Says once that trouble has ended, and what it cost.
  private func tellOfRefusals(_ turn: inout Turn) {
    let isOver = turn.isTroubled && turn.group == nil
    guard isOver || !turn.isTroubled && turn.nextRefusals <= BootClock.now else { return }
    let refused = shared.withLock { $0.queue.takeRefused() }
    if isOver {
      turn.isTroubled = false
      report("event log: writing again, \(refused.isEmpty ? "nothing was lost" : "\(refused) were lost")")
    } else if !refused.isEmpty {
      turn.nextRefusals = BootClock.now + Self.refusalInterval
      report("event log: the disk does not keep up, \(refused) were lost")
    }
  }
}
