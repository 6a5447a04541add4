import BluetoothLE

/// Turns advertising reports into events: who came, how far each beacon is and how sure that is, who left.
///
/// It has no clock: every input carries its instant, and `advance` says that time has passed without one. The same
/// inputs in the same order give the same events. Each input first fires the timers that are due by its instant, then
/// takes effect; the events are appended to the batch in the order in which they happen. Inputs of one instant are to
/// come in this order: scanner, proof, report, then by adapter.
package struct Engine: Sendable {
  let settings: EngineSettings
  /// For what is asked of a beacon apart from any region.
  let presence: PresenceSettings
  let distances: DistanceModel
  let classifier: ProximityClassifier

  var adapters = Adapters()
  var beacons: BeaconTable
  /// By number; a removed region leaves a gap.
  var regions: [MonitoredRegion?] = []
  var index = RegionIndex([])
  /// The shortest silence that a region sets for an exit, in seconds.
  var shortestExitAfter = Double.infinity
  /// When each beacon's silence is looked at next.
  var silences = DeadlineQueue()
  /// When regions that only time can decide are looked at next.
  var absences = DeadlineQueue()
  var advertisers = AdvertiserTable()
  var ticker: RangingTicker
  /// Beacons whose silence does not mean absence yet.
  var present = 0
  private var serial: UInt64 = 0
  var now: Instant
  /// Nanoseconds from an instant to UTC.
  private var utcOffset: Int64
  /// Kept for its memory only.
  var listing: [ListPlace] = []

  /// Starts at `instant`, which is `utc` by the wall clock; appends what is monitored.
  package init(
    _ settings: EngineSettings = EngineSettings(), at instant: Instant, utc: UnixTime, _ events: inout EventBatch
  ) {
    self.settings = settings
    presence = PresenceSettings(sensitivity: settings.sensitivity)
    distances = DistanceModel(thresholds: settings.thresholds)
    classifier = ProximityClassifier(thresholds: settings.thresholds)
    beacons = BeaconTable(capacity: max(1, settings.mostBeacons))
    now = instant
    utcOffset = utc.nanoseconds.subtractingReportingOverflow(instant.nanoseconds).partialValue
    ticker = RangingTicker(interval: settings.rangingInterval, utcOffset: utcOffset)
    for region in settings.regions { monitor(region, &events) }
    reindex()
  }

  /// Says that the wall clock reads `utc` at `instant`: at a step of the clock. No decision depends on it.
  package mutating func setUTC(_ utc: UnixTime, at instant: Instant, _ events: inout EventBatch) {
    advance(to: instant, &events)
    utcOffset = utc.nanoseconds.subtractingReportingOverflow(instant.nanoseconds).partialValue
  }

  /// Fires the timers that are due up to and including `instant`.
  package mutating func advance(to instant: Instant, _ events: inout EventBatch) {
    while let timer = nextTimer(), timer.due <= instant {
      now = max(now, timer.due)
      switch timer.kind {
      case .silence(let slot): checkSilence(slot, &events)
      case .absence(let number): checkAbsence(number, &events)
      case .tick: range(&events)
      }
    }
    now = max(now, instant)
  }

  private enum Timer {
    case silence(slot: Int)
    case absence(region: Int)
    case tick
  }

  /// The timer that fires next. Of one instant exits come first, then what time decides, then the list.
  private func nextTimer() -> (kind: Timer, due: Instant)? {
    var next: (kind: Timer, due: Instant)?
    if let due = ticker.next { next = (.tick, due) }
    if let first = absences.first, next == nil || first.deadline <= ticker.next ?? first.deadline {
      next = (.absence(region: first.slot), first.deadline)
    }
    if let first = silences.first {
      guard let other = next, other.due < first.deadline else { return (.silence(slot: first.slot), first.deadline) }
    }
    return next
  }

  /// Takes a report that an adapter heard at `instant`. One that is damaged or nobody's concern proves that the
  /// adapter hears, and changes nothing else.
  package mutating func take(
    _ report: AdvertisingReport, from adapter: Int, at instant: Instant, _ events: inout EventBatch
  ) {
    advance(to: instant, &events)
    let number = adapters.number(of: adapter)
    adapters[number].proven = max(adapters[number].proven, instant)
    guard report.isSound else { return }
    for frame in Frames(report.data) {
      if let identity = BeaconIdentity(frame) {
        hear(identity, frame.powerAtOneMeter, report, from: number, at: instant, &events)
      } else if case .eddystoneTLM(let telemetry) = frame, let address = report.address,
        let (slot, serial) = advertisers.beacon(of: address, report.addressType, at: instant),
        beacons[slot].serial == serial
      {
        beacons[slot].telemetry = telemetry
      }
    }
    if index.hasAddresses, let address = report.address, index.watches(address) {
      hear(BeaconIdentity(device: address), nil, report, from: number, at: instant, &events)
    }
  }

  // MARK: Events

  /// UTC of an instant.
  func utc(_ instant: Instant) -> UnixTime {
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(utcOffset)
    return UnixTime(nanoseconds: overflow ? (utcOffset > 0 ? .max : .min) : sum)
  }

  func emit(_ content: Event.Content, _ region: BeaconRegion?, _ events: inout EventBatch) {
    events.append(Event(time: utc(now), region: region?.id ?? "", content: content))
  }

  // MARK: Sightings

  private mutating func hear(
    _ identity: BeaconIdentity, _ power: Int?, _ report: AdvertisingReport, from adapter: Int, at instant: Instant,
    _ events: inout EventBatch
  ) {
    sight(identity, power, report, from: adapter, at: instant, &events)
    if index.distinguishes, identity.kind != .device, let address = report.address {
      sight(identity.of(address), power, report, from: adapter, at: instant, &events)
    }
  }

  private mutating func sight(
    _ identity: BeaconIdentity, _ power: Int?, _ report: AdvertisingReport, from adapter: Int, at instant: Instant,
    _ events: inout EventBatch
  ) {
    guard let slot = beacons.slot(of: identity) ?? track(identity, power, at: instant, &events) else { return }
    beacons.touch(slot)
    if let address = report.address {
      beacons[slot].address = address
      advertisers.note(address, report.addressType, slot: slot, serial: beacons[slot].serial, at: instant)
    }
    beacons[slot].advertise(power)
    update(slot, rssi: report.rssi, from: adapter, at: instant, &events)
  }

  /// Gives a beacon a slot; nil when no region and no name is about it, or when there is no room.
  private mutating func track(
    _ identity: BeaconIdentity, _ power: Int?, at instant: Instant, _ events: inout EventBatch
  ) -> Int? {
    let matching = regions(of: identity)
    guard !matching.isEmpty else { return nil }
    let configured = settings.beacons.first { $0.pattern.matches(identity) }
    serial += 1
    var beacon = TrackedBeacon(
      identity, serial: serial, advertisedPower: power, configured: configured, at: instant)
    beacon.memberships = matching.map { Membership(region: $0) }
    let rank: BeaconTable.Rank = configured == nil ? .stranger : .configured
    guard beacons.isFull else { return beacons.insert(beacon, rank) }
    guard let slot = beacons.dispensable else { return nil }
    leave(slot, .evicted, &events)
    silences.remove(slot)
    beacons.replace(slot, with: beacon, rank)
    return slot
  }

  /// The regions that an identity belongs to: those that tell devices apart have the identities with a device.
  func regions(of identity: BeaconIdentity) -> [Int] {
    let found = index.regions(matching: identity)
    guard index.distinguishes, identity.kind != .device else { return found }
    let isDevice = identity.deviceAddress != nil
    return found.filter { regions[$0]?.region.distinguishesAddresses == isDevice }
  }
}
