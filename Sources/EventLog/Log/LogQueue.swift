import BluetoothLE

/// What waits to be written, and when it is: small sums between the thread that appends and the one that writes.
struct LogQueue {
  /// Octets that may wait. At 1000 events/s that is half a minute, and on a small gateway still no burden.
  static let capacity = 8 << 20
  /// Who can wait does so from here on: the writer is busy with as much, and more would only be memory.
  static let comfort = 2 << 20
  /// What waits is written before its time from here on: more in one go gains nothing.
  private static let fill = 1 << 20

  private var octets: [UInt8] = []
  /// Memory of the group before, for the next.
  private var spare: [UInt8] = []
  private var isDurable = false
  /// Octets of the group that is being written.
  private var taken = 0
  /// When the oldest event came that is to be on the disk soon.
  private var oldestDurable: Int64?
  private var lastGroup: Int64?
  /// Nanoseconds from an event to the disk.
  var sync: Int64
  /// The number that the next event must have.
  private(set) var next: UInt64
  /// What was refused since somebody asked.
  private var refused = RefusedEvents()

  init(next: UInt64, sync: Int64) {
    self.next = next
    self.sync = sync
  }

  /// Octets that wait, or are being written.
  var count: Int { octets.count + taken }

  private var isEmpty: Bool { octets.isEmpty && !isDurable }

  /// Whether another event may come, told before it is given its number, so that none is skipped: lists leave half of the
  /// memory to what happens once.
  mutating func admits(isDurable: Bool) -> Bool {
    if count < (isDurable ? Self.capacity : Self.capacity / 2) { return true }
    if isDurable { refused.events += 1 } else { refused.lists += 1 }
    return false
  }

  mutating func takeRefused() -> RefusedEvents {
    defer { refused = RefusedEvents() }
    return refused
  }

  /// Takes lines in, each with its end, numbered on from `next`; says whether they make the next group due earlier.
  mutating func append(_ lines: UnsafeRawBufferPointer, at now: Int64) -> Bool {
    let before = due
    var reader = LogLines(lines)
    while let line = reader.next() {
      precondition(line.sequence == next, "an event without its number")
      next += 1
      if line.isDurable { want(at: now) }
    }
    precondition(reader.isEmpty, "no line of the log")
    octets += lines
    return isEarlier(than: before)
  }

  /// Makes the next group durable, also an empty one; says whether that makes it due earlier.
  mutating func wantSync(at now: Int64) -> Bool {
    let before = due
    want(at: now)
    return isEarlier(than: before)
  }

  private mutating func want(at now: Int64) {
    isDurable = true
    if oldestDurable == nil { oldestDurable = now }
  }

  private func isEarlier(than before: Int64?) -> Bool {
    guard let due else { return false }
    return before.map { due < $0 } ?? true
  }

  /// When the next group is to be written; nil while nothing waits.
  ///
  /// At once after a pause, under load once in the time that an event has; what is to be durable leaves the last tenth of
  /// it to the disk.
  var due: Int64? {
    if isEmpty { return nil }
    guard let lastGroup, octets.count < Self.fill else { return .min }
    let usual = lastGroup.addingReportingOverflow(sync).partialValue
    guard let oldestDurable else { return usual }
    return min(usual, oldestDurable.addingReportingOverflow(sync - sync / 10).partialValue)
  }

  /// Everything that waits.
  mutating func take(at now: Int64) -> LogGroup {
    let group = LogGroup(octets, isDurable: isDurable)
    taken = octets.count
    octets = []
    swap(&octets, &spare)
    isDurable = false
    oldestDurable = nil
    lastGroup = now
    return group
  }

  /// The group taken last is written; its memory is used again, unless trouble has made it large.
  mutating func finish(_ memory: inout [UInt8]) {
    taken = 0
    guard memory.capacity <= 2 * Self.comfort else { return }
    memory.removeAll(keepingCapacity: true)
    swap(&memory, &spare)
  }
}

/// How many events found no room.
struct RefusedEvents: Hashable, Sendable {
  /// Lists and updates.
  var lists = 0
  /// What would have been durable.
  var events = 0

  var isEmpty: Bool { lists == 0 && events == 0 }
}

extension RefusedEvents: CustomStringConvertible {
  var description: String {
    let (list, event) = (lists == 1 ? "list" : "lists", events == 1 ? "event" : "events")
    return "\(lists) \(list) and \(events) \(event)"
  }
}
