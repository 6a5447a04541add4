import BluetoothLE

/// Turns advertising reports into events: who came, how far each beacon is and how sure that is, who left.
///
/// It has no clock: every input carries its instant, and `advance` says that time has passed without one. The same
/// inputs in the same order give the same events. Each input first fires the timers that are due by its instant, then
/// takes effect; the events are appended to the batch in the order in which they happen. Inputs of one instant are to
/// come in this order: scanner, proof, fix, heading, report, then by adapter.
package struct Engine: Sendable {
  var settings: EngineSettings
  /// For what is asked of a beacon apart from any region.
  var presence: PresenceSettings
  var distances: DistanceModel
  var classifier: ProximityClassifier

  var adapters = Adapters()
  var beacons: BeaconTable
  /// By number; when one is removed, those after it count one less.
  var regions: [MonitoredRegion] = []
  /// The numbers of regions by what they match.
  var index = PatternIndex()
  /// The numbers of configured beacons by what they match.
  var names: PatternIndex
  /// Some region tells devices of one identity apart.
  var distinguishes = false
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
  // Kept for their memory only.
  var listing: [ListPlace] = []
  var listingOrder = MergeSort<ListPlace>()
  /// The regions whose last list of ranged beacons had somebody on it, in order.
  var listed: [Int] = []
  var newestFix: (fix: Fix, instant: Instant)?
  /// What the last didUpdateLocations said.
  var announcedPosition: Coordinate?
  /// The true heading of the last didUpdateHeading.
  var announcedHeading: Double?

  /// Starts at `instant`, which is `utc` by the wall clock; appends what is monitored.
  package init(
    _ settings: EngineSettings = EngineSettings(), at instant: Instant, utc: UnixTime, _ events: inout EventBatch
  ) {
    self.init(watchingNothing: settings, at: instant, utc: utc)
    for region in settings.regions { monitor(region, &events) }
  }

  /// Starts without the regions of the settings.
  init(watchingNothing settings: EngineSettings, at instant: Instant, utc: UnixTime) {
    self.settings = settings
    presence = PresenceSettings(sensitivity: settings.sensitivity)
    distances = DistanceModel(thresholds: settings.thresholds)
    classifier = ProximityClassifier(thresholds: settings.thresholds)
    beacons = BeaconTable(capacity: max(1, settings.mostBeacons))
    now = instant
    utcOffset = utc.nanoseconds.subtractingReportingOverflow(instant.nanoseconds).partialValue
    ticker = RangingTicker(interval: settings.rangingInterval, utcOffset: utcOffset)
    var names = PatternIndex()
    for (number, beacon) in settings.beacons.enumerated() { names.add(beacon.pattern, number) }
    self.names = names
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

  /// When the engine has something to do next, though nothing comes in; nil if never.
  package var nextDeadline: Instant? { nextTimer()?.due }

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
    let number = number(ofAdapter: adapter)
    adapters.deliver(number, at: instant)
    guard report.isSound else { return }
    var isBeacons = false
    for frame in Frames(report.data) {
      if let identity = BeaconIdentity(frame) {
        isBeacons = true
        hear(identity, frame.powerAtOneMeter, report, from: number, at: instant, &events)
      } else if case .eddystoneTLM(let telemetry) = frame, let address = report.address,
        let (slot, serial) = advertisers.beacon(of: address, report.addressType, at: instant),
        beacons[slot].serial == serial
      {
        join(telemetry, to: slot, of: address)
      }
    }
    if index.hasAddresses, let address = report.address, index.watches(address) {
      isBeacons = true
      hear(BeaconIdentity(device: address), nil, report, from: number, at: instant, &events)
    }
    if isBeacons { adapters[number].sightings += 1 }
  }

  /// Reports of beacons that an adapter has heard since the start.
  package func sightings(of adapter: Int) -> UInt64 { adapters.sightings(of: adapter) }

  // MARK: Events

  /// UTC of an instant.
  func utc(_ instant: Instant) -> UnixTime {
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(utcOffset)
    return UnixTime(nanoseconds: overflow ? (utcOffset > 0 ? .max : .min) : sum)
  }

  func emit(_ content: Event.Content, _ region: BeaconRegion?, _ events: inout EventBatch) {
    events.append(Event(time: utc(now), region: region?.id ?? "", content: content, location: location))
  }

  // MARK: Sightings

  private mutating func hear(
    _ identity: BeaconIdentity, _ power: Int?, _ report: AdvertisingReport, from adapter: Int, at instant: Instant,
    _ events: inout EventBatch
  ) {
    sight(identity, power, report, from: adapter, at: instant, &events)
    if distinguishes, identity.kind != .device, let address = report.address {
      sight(identity.of(address), power, report, from: adapter, at: instant, &events)
    }
  }

  private mutating func sight(
    _ identity: BeaconIdentity, _ power: Int?, _ report: AdvertisingReport, from adapter: Int, at instant: Instant,
    _ events: inout EventBatch
  ) {
    guard let slot = slot(of: identity, from: report) ?? track(identity, power, at: instant, &events) else { return }
    beacons.touch(slot)
    if let address = report.address {
      advertisers.note(address, report.addressType, slot: slot, serial: beacons[slot].serial, at: instant)
    }
    let sighting = Sighting(
      address: report.address, power: power, rssi: report.rssi, adapter: adapter, instant: instant,
      isAdapterDown: adapters[adapter].isDown)
    update(slot, sighting, &events)
  }

  /// The slot of a tracked beacon: mostly that of the beacon that the address was last, which spares hashing.
  private func slot(of identity: BeaconIdentity, from report: AdvertisingReport) -> Int? {
    if let address = report.address, let slot = advertisers.slot(of: address, report.addressType),
      beacons[slot].identity == identity
    {
      return slot
    }
    return beacons.slot(of: identity)
  }

  /// Joins telemetry to the beacon in `slot`; where devices of one identity are told apart, to both that it is then.
  private mutating func join(_ telemetry: EddystoneTLM, to slot: Int, of address: DeviceAddress) {
    beacons[slot].telemetry = telemetry
    guard distinguishes, beacons[slot].identity.kind != .device else { return }
    let whole = beacons[slot].identity.ofAnyDevice
    for identity in [whole, whole.of(address)] {
      if let other = beacons.slot(of: identity) { beacons[other].telemetry = telemetry }
    }
  }

  /// Gives a beacon a slot; nil when no region and no name is about it, or when there is no room.
  private mutating func track(
    _ identity: BeaconIdentity, _ power: Int?, at instant: Instant, _ events: inout EventBatch
  ) -> Int? {
    let matching = regions(of: identity)
    return matching.isEmpty ? nil : track(identity, power, in: matching, at: instant, &events)
  }

  /// Gives a beacon of some regions a slot; nil when there is no room.
  mutating func track(
    _ identity: BeaconIdentity, _ power: Int?, in matching: [Int], at instant: Instant, _ events: inout EventBatch
  ) -> Int? {
    let configured = names.numbers(matching: identity).first.map { settings.beacons[$0] }
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
    let found = index.numbers(matching: identity)
    guard distinguishes, identity.kind != .device else { return found }
    let isDevice = identity.deviceAddress != nil
    return found.filter { regions[$0].region.distinguishesAddresses == isDevice }
  }
}
