import Proximity

/// What must hold of every event that an engine says, in the light of those before.
package struct EnginePromises {
  /// Regions of every kind there is; that of `assumed` starts inside.
  package static let regions = [
    BeaconRegion.everything,
    BeaconRegion(id: "zone", patterns: [.any], each: true, isRanged: true, zone: ZoneLimit(meters: 3)),
    BeaconRegion(id: "quick", patterns: [.any], each: true, exitAfter: 4, entersOnFirstPacket: true),
    BeaconRegion(id: "assumed", patterns: [.any], assuming: .inside),
    BeaconRegion(id: "open", patterns: [.any], isRanged: true, assuming: .unknown),
    BeaconRegion(id: "devices", patterns: [.any], each: true, distinguishesAddresses: true),
  ]

  private struct Key: Hashable {
    let region: String
    let beacon: BeaconIdentity?
  }

  private let capacity: Int
  private var inside: Set<Key> = []
  private var states: [Key: RegionState] = [:]
  private var checked = 0
  private var down: Set<Int> = []
  private var known: Set<Int> = []
  private var position: Coordinate?
  /// Regions that a restart has not said it watches yet.
  private var restarting: Set<String> = []
  private var heading: Double?

  /// Of an engine that watches some of `regions` and tracks at most so many beacons.
  package init(capacity: Int) {
    self.capacity = capacity
  }

  /// Notes that the engine was told something of an adapter, before what it says of that is checked.
  package mutating func note(adapter: Int) {
    known.insert(adapter)
  }

  /// Notes that another engine goes on from the state of the one before.
  package mutating func noteRestart(from state: EngineState) {
    restarting = Set(state.regions.filter { !$0.isRedefined }.map { $0.id })
    known = []
    down = []
    position = nil
    heading = nil
  }

  /// The promise that the events since the last call break, in words; nil if they break none. Scanner reports are to be
  /// named by adapter, as in `hci0`.
  package mutating func broken(by batch: EventBatch) -> String? {
    defer {
      checked = batch.events.count
      restarting.removeAll()
    }
    for event in batch.events[checked...] {
      if let broken = broken(by: event, batch) { return broken }
    }
    return nil
  }

  /// To be called when the batch was emptied.
  package mutating func batchWasEmptied() {
    checked = 0
  }

  private mutating func broken(by event: Event, _ batch: EventBatch) -> String? {
    if let location = event.location, !(location.age >= 0) { return "a fix of the future" }
    switch event.content {
    case .didStartMonitoring:
      if restarting.remove(event.region) != nil { return nil }
      states = states.filter { $0.key.region != event.region }
      if event.region == "assumed" { inside.insert(Key(region: event.region, beacon: nil)) }
      return inside.contains { $0.region == event.region && $0.beacon != nil } ? "starts with somebody inside" : nil
    case .didDetermineState(let subject, let state):
      let key = key(event, subject)
      defer { states[key] = state }
      return states[key] == state ? "a state is said twice: \(state)" : nil
    case .didEnter(let subject):
      let key = key(event, subject)
      if states[key] != .inside { return "entered without being determined inside" }
      return inside.insert(key).inserted ? nil : "entered twice: \(event.region)"
    case .didExit(let subject, _, let dwell, let cause):
      if inside.remove(key(event, subject)) == nil { return "left without having entered: \(event.region)" }
      if !(dwell >= 0) { return "a negative dwell" }
      let isByTime = cause == .silence || cause == .unobserved
      return isByTime && !known.isEmpty && known.isSubset(of: down) ? "left while every adapter was down" : nil
    case .didRange(let range, let omitted):
      if range.count > 256 || range.count + omitted > capacity { return "more beacons are ranged than may be tracked" }
      return broken(by: batch.ranged[range])
    case .scannerDidChange(let report):
      let adapter = Int(report.name.dropFirst(3)) ?? -1
      if report.state == .stopped { down.insert(adapter) } else { down.remove(adapter) }
      return nil
    case .monitoringDidFail, .didFailRanging:
      return nil
    case .didChangeAuthorization:
      return "the engine knows of no authorization"
    case .didUpdateLocations:
      guard let location = event.location, location.age == 0 else { return "an update without a new fix" }
      defer { position = location.fix.coordinate }
      guard let position else { return nil }
      let isFar = position.distance(to: location.fix.coordinate) >= EngineSettings().distanceFilter
      return isFar ? nil : "an update of no movement"
    case .didUpdateHeading(let heading):
      defer { self.heading = heading.trueHeading }
      guard let last = self.heading else { return nil }
      let turn = (heading.trueHeading - last).magnitude
      return min(turn, 360 - turn) >= EngineSettings().headingFilter ? nil : "a heading of no turn"
    }
  }

  private func key(_ event: Event, _ subject: Subject) -> Key {
    switch subject {
    case .region: Key(region: event.region, beacon: nil)
    case .beacon(let beacon): Key(region: event.region, beacon: beacon.identity)
    }
  }

  private func broken(by list: ArraySlice<RangedBeacon>) -> String? {
    let isSorted = zip(list, list.dropFirst()).allSatisfy { a, b in
      if a.proximity != b.proximity { return a.proximity < b.proximity }
      let (near, far) = (a.estimate?.distance ?? 0, b.estimate?.distance ?? 0)
      return near == far ? a.beacon.identity < b.beacon.identity : near < far
    }
    guard isSorted else { return "a list is not sorted" }
    for beacon in list {
      if (beacon.proximity == .unknown) != (beacon.estimate == nil) { return "a class without a distance" }
      guard let estimate = beacon.estimate else { continue }
      let (low, high) = (estimate.interval68.low, estimate.interval68.high)
      // The grid's edges: docs/ranging.md, section 3.
      guard 0.047 < low, low <= estimate.distance, estimate.distance <= high, high < 85 else {
        return "a distance out of its interval"
      }
    }
    return nil
  }
}
