import BluetoothLE

/// Turns advertising reports into events: who came, how far each beacon is and how sure that is, who left.
///
/// It has no clock: every input carries its instant, and `advance` says that time has passed without one. The same
/// inputs in the same order give the same events. Each input first fires the timers that are due by its instant, then
/// takes effect; the events are appended to the batch in the order in which they happen.
package struct Engine: Sendable {
  let settings: EngineSettings
  let presence: PresenceSettings
  let distances: DistanceModel
  let classifier: ProximityClassifier

  var beacons: BeaconTable
  var regions: [MonitoredRegion]
  /// When each beacon's silence is looked at next.
  var silences = DeadlineQueue()
  var advertisers = AdvertiserTable()
  var ticker: RangingTicker
  /// Beacons whose silence does not mean absence yet.
  var present = 0
  private var serial: UInt64 = 0
  /// Kept for its memory only.
  var listing: [ListPlace] = []
  private(set) var now: Instant
  /// Nanoseconds from an instant to UTC.
  private var utcOffset: Int64

  /// Starts at `instant`, which is `utc` by the wall clock.
  package init(_ settings: EngineSettings = EngineSettings(), at instant: Instant, utc: UnixTime) {
    self.settings = settings
    presence = PresenceSettings(sensitivity: settings.sensitivity)
    distances = DistanceModel(thresholds: settings.thresholds)
    classifier = ProximityClassifier(thresholds: settings.thresholds)
    beacons = BeaconTable(capacity: max(1, settings.mostBeacons))
    regions = settings.regions.map { MonitoredRegion($0) }
    now = instant
    utcOffset = utc.nanoseconds.subtractingReportingOverflow(instant.nanoseconds).partialValue
    ticker = RangingTicker(interval: settings.rangingInterval, utcOffset: utcOffset)
  }

  /// Says what is monitored: once, before any other input.
  package func start(_ events: inout EventBatch) {
    for region in regions { emit(.didStartMonitoring, region.region, &events) }
  }

  /// Says that the wall clock reads `utc` at `instant`: at a step of the clock. No decision depends on it.
  package mutating func setUTC(_ utc: UnixTime, at instant: Instant, _ events: inout EventBatch) {
    advance(to: instant, &events)
    utcOffset = utc.nanoseconds.subtractingReportingOverflow(instant.nanoseconds).partialValue
  }

  /// Fires the timers that are due up to and including `instant`.
  package mutating func advance(to instant: Instant, _ events: inout EventBatch) {
    while true {
      let silence = silences.first
      let tick = ticker.next
      // An exit comes before the list of the same instant, which then lacks the beacon.
      if let silence, silence.deadline <= instant, tick.map({ silence.deadline <= $0 }) ?? true {
        now = max(now, silence.deadline)
        checkSilence(silence.slot, &events)
      } else if let tick, tick <= instant {
        now = max(now, tick)
        range(&events)
      } else {
        break
      }
    }
    now = max(now, instant)
  }

  /// Takes a report that adapter number `adapter` heard at `instant`. One that is damaged or no beacon's changes
  /// nothing but the time.
  package mutating func take(
    _ report: AdvertisingReport, from adapter: Int, at instant: Instant, _ events: inout EventBatch
  ) {
    advance(to: instant, &events)
    guard report.isSound else { return }
    for frame in Frames(report.data) {
      if let identity = BeaconIdentity(frame) {
        hear(identity, frame.powerAtOneMeter, report, at: instant, &events)
      } else if case .eddystoneTLM(let telemetry) = frame, let address = report.address,
        let (slot, serial) = advertisers.beacon(of: address, report.addressType, at: instant),
        beacons[slot].serial == serial
      {
        beacons[slot].telemetry = telemetry
      }
    }
  }

  // MARK: Events

  /// UTC of an instant.
  func utc(_ instant: Instant) -> UnixTime {
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(utcOffset)
    return UnixTime(nanoseconds: overflow ? (utcOffset > 0 ? .max : .min) : sum)
  }

  func emit(_ content: Event.Content, _ region: BeaconRegion, _ events: inout EventBatch) {
    events.append(Event(time: utc(now), region: region.id, content: content))
  }

  // MARK: Sightings

  private mutating func hear(
    _ identity: BeaconIdentity, _ advertisedPower: Int?, _ report: AdvertisingReport, at instant: Instant,
    _ events: inout EventBatch
  ) {
    let slot: Int
    if let known = beacons.slot(of: identity) {
      slot = known
      beacons.touch(slot)
    } else {
      slot = track(identity, advertisedPower, at: instant, &events)
    }
    if let address = report.address {
      beacons[slot].address = address
      advertisers.note(address, report.addressType, slot: slot, serial: beacons[slot].serial, at: instant)
    }
    if beacons[slot].advertisedPower != advertisedPower {
      beacons[slot].advertisedPower = advertisedPower
      beacons[slot].power = PowerAtOneMeter(advertised: advertisedPower)
    }
    update(slot, rssi: report.rssi, at: instant, &events)
  }

  private mutating func track(
    _ identity: BeaconIdentity, _ advertisedPower: Int?, at instant: Instant, _ events: inout EventBatch
  ) -> Int {
    serial += 1
    let beacon = TrackedBeacon(
      identity, serial: serial, advertisedPower: advertisedPower, regions: regions.indices, at: instant)
    guard beacons.isFull, let slot = beacons.longestSilent else { return beacons.insert(beacon) }
    leave(slot, .evicted, &events)
    silences.remove(slot)
    beacons.replace(slot, with: beacon)
    return slot
  }
}
