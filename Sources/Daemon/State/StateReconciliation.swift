import BluetoothLE
import EventLog
import Proximity

/// Brings a saved state up to the end of the log: who entered and left since it was saved.
///
/// Without a saved state it makes one of the log alone, in which only rhythms and silences are missing.
package struct StateReconciliation {
  /// All but its regions and beacons.
  private var state: SavedState?
  private var regions: [SavedRegion] = []
  private var places: [String: Int] = [:]
  private var beacons: [BeaconIdentity: SavedBeacon] = [:]
  /// Regions that are watched now: what the log does not say of one.
  private let watched: [String: BeaconRegion]
  /// Of each region the newest list: when its beacons were seen last.
  private var lists: [String: [UInt8]] = [:]
  /// Whose state the last line says is inside, since when: of that its enter may follow.
  private var insider: (region: String, beacon: BeaconIdentity?, age: Int64)?
  /// When the newest event was, and whether a clock said so that is kept right.
  private var latest: (time: UnixTime, isSynchronized: Bool)?

  package init(_ saved: SavedState?, watching configured: [Configuration.Region]) {
    state = saved
    watched = Dictionary(
      configured.compactMap { BeaconRegion($0) }.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    guard let saved else { return }
    regions = saved.engine.regions
    for (place, region) in regions.enumerated() { places[region.id] = place }
    for beacon in saved.engine.beacons { beacons[beacon.identity] = beacon }
  }

  /// Takes in the line behind the last one.
  package mutating func take(_ line: LogLine) {
    latest = (line.time, line.isSynchronized)
    if state == nil {
      let moment = Moment(utc: line.time, isSynchronized: line.isSynchronized)
      state = SavedState(EngineState(), at: moment, after: 0, isFinal: false)
    }
    state?.sequence = line.sequence
    state?.isFinal = false
    // A start: the line before it was the last of a run that ended early.
    if line.event == .didStartMonitoring { insider = nil }
    noteInsider()
    guard let event = line.event, let id = line.region else { return }
    switch event {
    case .didRange: lists[id] = line.octets.withUnsafeBytes { Array($0) }
    case .didEnter, .didExit, .didDetermineState:
      guard let value = line.json else { return }
      let age = age(of: line.time)
      if value["scope"]?.string == "beacon" {
        takeBeacon(event, value, in: id, age)
      } else {
        takeRegion(event, value, in: id, age)
      }
    default: break
    }
  }

  /// The state at the end of the log; nil where neither said anything.
  package mutating func finish() -> SavedState? {
    guard var state else { return nil }
    if state.isFinal { return state }
    for (id, octets) in lists { octets.withUnsafeBytes { takeList(JSONValue(Octets($0)), in: id) } }
    state.engine.regions = regions
    state.engine.beacons = beacons.values.sorted { a, b in (b.age, a.identity) < (a.age, b.identity) }
    // From here on ages count from the newest event.
    if let latest {
      let isComparable = latest.isSynchronized == state.moment.isSynchronized
      let elapsed = isComparable ? max(-age(of: latest.time), 0) : 0
      state.moment.utc = latest.time
      state.moment.isSynchronized = latest.isSynchronized
      state.moment.sinceBoot = state.moment.sinceBoot.addingReportingOverflow(elapsed).partialValue
      state.engine.advance(by: elapsed)
    }
    // How long somebody listened after the state was saved is not known: nobody leaves for it.
    for index in state.engine.beacons.indices { state.engine.beacons[index].silence = 0 }
    return state
  }

  /// Nanoseconds from a line's time to the state's; below zero for what came after.
  private func age(of time: UnixTime) -> Int64 {
    guard let saved = state?.moment.utc.nanoseconds else { return 0 }
    let (age, overflow) = saved.subtractingReportingOverflow(time.nanoseconds)
    return overflow ? 0 : age
  }

  /// Whoever is said to be inside, and does not enter with that, had entered before: in events that were removed.
  private mutating func noteInsider() {
    guard let (id, identity, age) = insider else { return }
    insider = nil
    if let identity {
      if beacons[identity]?.memberships[id]?.inside == nil { enter(identity, id, age) }
    } else if let place = places[id], regions[place].inside == nil {
      regions[place].inside = age
    }
  }

  private mutating func enter(_ identity: BeaconIdentity, _ id: String, _ age: Int64) {
    beacons[identity]?.memberships[id, default: SavedMembership()].inside = age
    beacons[identity]?.memberships[id, default: SavedMembership()].isPresent = true
  }

  private mutating func takeRegion(_ event: EventName, _ value: JSONValue, in id: String, _ age: Int64) {
    let place = place(of: id, each: false)
    switch event {
    case .didDetermineState:
      guard let said: RegionState = value["state"]?.word(\.word) else { return }
      regions[place].state = said
      if said == .inside { insider = (id, nil, age) }
    case .didEnter:
      regions[place].inside = age
      guard let identity = meet(value, in: id, age) else { return }
      beacons[identity]?.age = age
      beacons[identity]?.memberships[id, default: SavedMembership()].isPresent = true
    default:
      regions[place].inside = nil
      if regions[place].each { return }
      // Who is in a region that keeps no side for each leaves with it.
      let cause: ExitCause? = value["cause"]?.word(\.word)
      let last = value["beacon"].flatMap { identity(of: $0, in: id) }
      for identity in beacons.keys {
        leave(identity, id, cause == .silence && identity != last ? nil : cause, age)
      }
    }
  }

  private mutating func takeBeacon(_ event: EventName, _ value: JSONValue, in id: String, _ age: Int64) {
    _ = place(of: id, each: true)
    guard let identity = meet(value, in: id, age) else { return }
    switch event {
    case .didDetermineState:
      guard let said: RegionState = value["state"]?.word(\.word) else { return }
      beacons[identity]?.memberships[id, default: SavedMembership()].state = said
      if said == .inside { insider = (id, identity, age) } else { forgetIfIdle(identity) }
    case .didEnter:
      beacons[identity]?.age = age
      enter(identity, id, age)
    default:
      if let seen = lastSeen(value) { beacons[identity]?.age = seen }
      leave(identity, id, value["cause"]?.word(\.word), age)
    }
  }

  private mutating func leave(_ identity: BeaconIdentity, _ id: String, _ cause: ExitCause?, _ age: Int64) {
    if var part = beacons[identity]?.memberships[id] {
      part.inside = nil
      // Beyond a distance it is heard still.
      if cause != .zone { part.isPresent = false }
      if cause == .silence { part.left = age }
      beacons[identity]?.memberships[id] = part
    }
    forgetIfIdle(identity)
  }

  /// Nothing is left to be known of one that only the log has, and that is in no region.
  private mutating func forgetIfIdle(_ identity: BeaconIdentity) {
    guard let beacon = beacons[identity], beacon.rhythm == Rhythm() else { return }
    if beacon.memberships.values.contains(where: { $0.isPresent || $0.inside != nil }) { return }
    beacons[identity] = nil
  }

  private mutating func takeList(_ value: JSONValue?, in id: String) {
    value?["beacons"]?.forEachElement { element in
      guard let identity = element["beacon"].flatMap({ identity(of: $0, in: id) }), let seen = lastSeen(element),
        let known = beacons[identity]?.age
      else { return }
      beacons[identity]?.age = min(known, seen)
    }
  }

  /// As an age.
  private func lastSeen(_ value: JSONValue) -> Int64? {
    value["lastSeen"]?.time.map { age(of: $0) }
  }

  private mutating func place(of id: String, each: Bool) -> Int {
    if let place = places[id] { return place }
    places[id] = regions.count
    regions.append(SavedRegion(id: id, each: watched[id]?.each ?? each, state: .unknown))
    return regions.count - 1
  }

  /// The event's beacon, known or new.
  private mutating func meet(_ value: JSONValue, in id: String, _ age: Int64) -> BeaconIdentity? {
    guard let snapshot = value["beacon"], let identity = identity(of: snapshot, in: id) else { return nil }
    var beacon = beacons[identity] ?? SavedBeacon(identity, age: age, silence: 0)
    if let address = snapshot["address"]?.string.flatMap({ DeviceAddress($0) }) { beacon.address = address }
    if snapshot["powerSource"]?.string == PowerAtOneMeter.Source.advertised.word.description {
      beacon.advertisedPower = snapshot["measuredPower"]?.number.flatMap { Int(exactly: $0) }
    }
    beacons[identity] = beacon
    return identity
  }

  private func identity(of snapshot: JSONValue, in id: String) -> BeaconIdentity? {
    guard let identity = BeaconIdentity(snapshot) else { return nil }
    guard watched[id]?.distinguishesAddresses == true, identity.kind != .device,
      let address = snapshot["address"]?.string.flatMap({ DeviceAddress($0) })
    else { return identity }
    return identity.of(address)
  }
}

extension EngineState {
  /// Makes everything older by so many nanoseconds; what came after the state is not younger than nothing.
  fileprivate mutating func advance(by elapsed: Int64) {
    func older(_ age: Int64) -> Int64 { max(age.addingReportingOverflow(elapsed).partialValue, 0) }
    for index in regions.indices { regions[index].inside = regions[index].inside.map(older) }
    for index in beacons.indices {
      beacons[index].age = older(beacons[index].age)
      for id in beacons[index].memberships.keys {
        guard var part = beacons[index].memberships[id] else { continue }
        part.inside = part.inside.map(older)
        part.left = part.left.map(older)
        beacons[index].memberships[id] = part
      }
    }
    if let age = fix?.age { fix?.age = older(age) }
  }
}
