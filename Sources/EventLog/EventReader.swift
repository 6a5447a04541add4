import BluetoothLE
import Proximity

/// Reads events back from the lines of the log.
///
/// What a line has is what its text needs: numbers as they are rounded there, a URL in its shortest encoding, and no
/// address in the identity of a beacon that was told from others by it.
package struct EventReader {
  /// Beacons read so far; each counts as another, so that nothing is kept of one for the next.
  private var beacons: UInt64 = 0

  package init() {}

  /// Appends the event to the batch; says whether it could. A line that this version would not write is not read.
  package mutating func read(_ line: LogLine, into batch: inout EventBatch) -> Bool {
    guard let name = line.event, let value = line.json else { return false }
    let region: String
    if name.isOfRegion {
      guard let id = value["region"]?.string, !id.isEmpty else { return false }
      region = id
    } else {
      guard value["region"] == nil else { return false }
      region = ""
    }
    var location: Location?
    if name.hasLocation {
      let isUpdate = name == .didUpdateLocations
      guard let place = isUpdate ? Self.only(value["locations"]) : value["location"] else { return false }
      if isUpdate || !place.isNull {
        guard let read = Location(place) else { return false }
        location = read
      }
    }
    var list: [RangedBeacon] = []
    guard let content = content(name, value, &list, after: batch.ranged.count) else { return false }
    for beacon in list { batch.append(beacon) }
    batch.append(Event(time: line.time, region: region, content: content, location: location))
    return true
  }

  /// The element of an array of one.
  private static func only(_ value: JSONValue?) -> JSONValue? {
    guard let value, value[1] == nil else { return nil }
    return value[0]
  }

  /// What happened; for a list also its beacons, which come to stand behind the first `start` of the batch.
  private mutating func content(
    _ name: EventName, _ value: JSONValue, _ list: inout [RangedBeacon], after start: Int
  ) -> Event.Content? {
    switch name {
    case .didStartMonitoring: return .didStartMonitoring
    case .monitoringDidFail: return EngineFailure(value["error"]).map { .monitoringDidFail($0) }
    case .didFailRanging: return EngineFailure(value["error"]).map { .didFailRanging($0) }
    case .didDetermineState:
      guard let subject = subject(value), let state: RegionState = value["state"]?.word(\.word) else { return nil }
      return .didDetermineState(subject, state)
    case .didEnter: return subject(value).map { .didEnter($0) }
    case .didExit:
      guard let subject = subject(value), let lastSeen = value.optional("lastSeen", { $0.time }),
        let dwell = value["dwell"]?.fixed(3), let cause: ExitCause = value["cause"]?.word(\.word)
      else { return nil }
      return .didExit(subject, lastSeen: lastSeen, dwell: dwell, cause)
    case .didRange:
      guard let beacons = value["beacons"], beacons.isArray,
        let omitted = value.optional("omitted", { $0.unsigned.flatMap { Int(exactly: $0) } })
      else { return nil }
      var isSound = true
      beacons.forEachElement { element in
        let beacon = isSound ? ranged(element) : nil
        if let beacon { list.append(beacon) }
        isSound = beacon != nil
      }
      return isSound ? .didRange(start..<start + list.count, omitted: omitted ?? 0) : nil
    case .scannerDidChange: return ScannerReport(value).map { .scannerDidChange($0) }
    case .didUpdateLocations: return .didUpdateLocations
    case .didUpdateHeading: return Heading(value).map { .didUpdateHeading($0) }
    case .didChangeAuthorization: return Authorization(value).map { .didChangeAuthorization($0) }
    }
  }

  private mutating func subject(_ value: JSONValue) -> Subject? {
    guard let beacon = value.optional("beacon", { self.beacon($0) }) else { return nil }
    switch value["scope"]?.string {
    case "region": return .region(beacon)
    case "beacon": return beacon.map { .beacon($0) }
    default: return nil
    }
  }

  private mutating func ranged(_ value: JSONValue) -> RangedBeacon? {
    guard let beacon = value["beacon"].flatMap({ self.beacon($0) }),
      let proximity: ProximityClass = value["proximity"]?.word(\.word), let distance = value["distance"],
      let interval = value["interval"], let rssi = value["rssi"],
      let packets = value["packets"]?.unsigned.flatMap({ Int(exactly: $0) }), let lastSeen = value["lastSeen"]?.time
    else { return nil }
    var estimate: DistanceEstimate?
    if !distance.isNull || !interval.isNull {
      guard let read = DistanceEstimate(distance, interval) else { return nil }
      estimate = read
    }
    let level = rssi.fixed(1)
    guard level != nil || rssi.isNull else { return nil }
    return RangedBeacon(
      beacon: beacon, proximity: proximity, estimate: estimate, level: level, packets: packets, lastSeen: lastSeen)
  }

  private mutating func beacon(_ value: JSONValue) -> BeaconSnapshot? {
    guard let identity = BeaconIdentity(value), let address = value["address"],
      let power = value["measuredPower"]?.fixed(1),
      let source: PowerAtOneMeter.Source = value["powerSource"]?.word(\.word),
      let name = value.optional("name", { $0.string }),
      let telemetry = value.optional("telemetry", { EddystoneTLM($0) })
    else { return nil }
    let device = address.string.flatMap { DeviceAddress($0) }
    guard device != nil || address.isNull else { return nil }
    beacons += 1
    return BeaconSnapshot(
      edition: beacons << 32, identity: identity, name: name, address: device,
      power: PowerAtOneMeter(power, from: source), telemetry: telemetry)
  }
}

extension EventName {
  fileprivate var isOfRegion: Bool {
    switch self {
    case .scannerDidChange, .didUpdateLocations, .didUpdateHeading, .didChangeAuthorization: false
    case .didStartMonitoring, .monitoringDidFail, .didDetermineState, .didEnter, .didExit, .didRange, .didFailRanging:
      true
    }
  }

  fileprivate var hasLocation: Bool {
    switch self {
    case .didDetermineState, .didEnter, .didExit, .didRange, .didUpdateLocations: true
    case .didStartMonitoring, .monitoringDidFail, .didFailRanging, .scannerDidChange, .didUpdateHeading,
      .didChangeAuthorization:
      false
    }
  }
}

extension Location {
  fileprivate init?(_ value: JSONValue) {
    guard let latitude = value["latitude"]?.fixed(7), let longitude = value["longitude"]?.fixed(7),
      let coordinate = Coordinate(latitude: latitude, longitude: longitude),
      let accuracy = value["accuracy"]?.accuracy(2), let altitude = value.optional("altitude", { $0.fixed(2) }),
      let speed = value.optional("speed", { $0.fixed(2) }), let course = value.optional("course", { $0.fixed(7) }),
      let source: Fix.Source = value["source"]?.word(\.word), let age = value["age"]?.fixed(3),
      let isStale = value.optional("stale", { $0.boolean }),
      let fix = Fix(coordinate, accuracy: accuracy, altitude: altitude, speed: speed, course: course, from: source)
    else { return nil }
    self.init(fix, age: age, isStale: isStale ?? false)
  }
}

extension Heading {
  fileprivate init?(_ value: JSONValue) {
    guard let trueHeading = value["trueHeading"]?.fixed(7),
      let magnetic = value.optional("magneticHeading", { $0.fixed(7) }),
      let accuracy = value["accuracy"]?.accuracy(7)
    else { return nil }
    self.init(trueHeading: trueHeading, magneticHeading: magnetic, accuracy: accuracy)
  }
}

extension EngineFailure {
  fileprivate init?(_ value: JSONValue?) {
    guard let code: Code = value?["code"]?.word(\.word), let message = value?["message"]?.string else { return nil }
    self.init(code, message)
  }
}

extension ScannerReport {
  fileprivate init?(_ value: JSONValue) {
    guard let name = value["adapter"]?.string, let state: ScannerState = value["state"]?.choice(),
      let reason = value["reason"]?.string, let reports = value["reportsPerSecond"]
    else { return nil }
    let rate = reports.fixed(1)
    guard rate != nil || reports.isNull else { return nil }
    self.init(state, name: name, reason: reason, reportsPerSecond: rate)
  }
}

extension Authorization {
  fileprivate init?(_ value: JSONValue) {
    guard let service: Service = value["service"]?.choice(), let status: Status = value["status"]?.choice(),
      let reason = value["reason"]?.string
    else { return nil }
    self.init(service, status, reason: reason)
  }
}

extension DistanceEstimate {
  fileprivate init?(_ distance: JSONValue, _ interval: JSONValue) {
    guard let distance = distance.fixed(2), let low = interval["low"]?.fixed(2), let high = interval["high"]?.fixed(2)
    else { return nil }
    self.init(
      distance: distance, log10Distance: .log10(distance), interval68: DistanceInterval(low: low, high: high))
  }
}

extension EddystoneTLM {
  /// The temperature is the nearest that a beacon can say, as it is written with fewer decimals than that has.
  fileprivate init?(_ value: JSONValue) {
    guard let battery = value["battery"], let temperature = value["temperature"],
      let count = value["advertisements"]?.unsigned.flatMap({ UInt32(exactly: $0) }),
      let deciseconds = value["uptime"]?.fixed(1).flatMap({ UInt32(exactly: ($0 * 10).rounded()) })
    else { return nil }
    let millivolts = battery.fixed(3).flatMap { UInt16(exactly: ($0 * 1000).rounded()) }
    guard let millivolts = millivolts ?? (battery.isNull ? 0 : nil) else { return nil }
    var temperature256: Int16?
    if !temperature.isNull {
      guard let degrees = temperature.fixed(2), (-128..<128).contains(degrees) else { return nil }
      temperature256 = Int16(min(max((degrees * 256).rounded(), -32_767), 32_767))
    }
    self.init(
      batteryMillivolts: millivolts, temperature256: temperature256, advertisingCount: count, deciseconds: deciseconds)
  }
}

extension JSONValue {
  /// A number above 0 that may be too small for its decimals.
  fileprivate func accuracy(_ places: Int) -> Double? {
    fixed(places).flatMap { $0 >= 0 ? max($0, .leastNormalMagnitude) : nil }
  }
}
