import BluetoothLE
import Proximity

/// Events of every kind, with all that may be in them, drawn anew for each seed.
package struct RandomEvents {
  private var random: SplitMix
  private var beacons: UInt64 = 0

  package init(seed: UInt64) {
    random = SplitMix(seed: seed)
  }

  /// A batch with so many events, the kinds in turn.
  package mutating func batch(of count: Int) -> EventBatch {
    var batch = EventBatch()
    for number in 0..<count { append(kind: number % 11, to: &batch) }
    return batch
  }

  private mutating func append(kind: Int, to batch: inout EventBatch) {
    let content: Event.Content
    switch kind {
    case 0: content = .didStartMonitoring
    case 1: content = .monitoringDidFail(failure())
    case 2: content = .didDetermineState(subject(), pick(RegionState.allCases))
    case 3: content = .didEnter(subject())
    case 4:
      let lastSeen = random.chance(0.5) ? time() : nil
      content = .didExit(subject(), lastSeen: lastSeen, dwell: random.uniform(0...1e9), pick(ExitCause.allCases))
    case 5:
      let start = batch.ranged.count
      for _ in 0..<random.next() % 5 { batch.append(ranged()) }
      content = .didRange(start..<batch.ranged.count, omitted: random.chance(0.7) ? 0 : Int(random.next() % 1000))
    case 6: content = .didFailRanging(failure())
    case 7:
      let rate = random.chance(0.5) ? random.uniform(0...5000) : nil
      content = .scannerDidChange(
        ScannerReport(pick(ScannerState.allCases), name: text(), reason: text(), reportsPerSecond: rate))
    case 8: content = .didUpdateLocations
    case 9:
      content = .didChangeAuthorization(
        Authorization(pick(Authorization.Service.allCases), pick(Authorization.Status.allCases), reason: text()))
    default: content = heading().map { .didUpdateHeading($0) } ?? .didStartMonitoring
    }
    let isOfRegion = ![7, 8, 9, 10].contains(kind)
    let hasLocation = [2, 3, 4, 5, 8].contains(kind)
    batch.append(
      Event(
        time: time(), region: isOfRegion ? text() : "", content: content,
        location: kind == 8 || hasLocation && random.chance(0.7) ? location() : nil))
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value { values[Int(random.next() % UInt64(values.count))] }

  /// From 2000 to 2096, with nanoseconds.
  private mutating func time() -> UnixTime {
    UnixTime(nanoseconds: 946_684_800_000_000_000 + Int64(random.next() % 3_029_529_600_000_000_000))
  }

  private mutating func text() -> String {
    let scalars: [Unicode.Scalar] = [
      "a", "Z", " ", "\"", "\\", "/", "\u{7f}", "\n", "é", "…", "😀", "\u{0}", "\u{e000}",
    ]
    var text = ""
    for _ in 0...random.next() % 6 { text.unicodeScalars.append(pick(scalars)) }
    return text
  }

  private mutating func failure() -> EngineFailure { EngineFailure(pick(EngineFailure.Code.allCases), text()) }

  private mutating func subject() -> Subject {
    if random.chance(0.3) { return .region(nil) }
    return random.chance(0.5) ? .region(beacon()) : .beacon(beacon())
  }

  private mutating func uuid() -> UUID128 { UUID128(high: random.next(), low: random.next()) }

  private mutating func identity() -> BeaconIdentity {
    switch random.next() % 6 {
    case 0:
      return BeaconIdentity(
        iBeacon: uuid(), major: UInt16(truncatingIfNeeded: random.next()),
        minor: UInt16(truncatingIfNeeded: random.next()))
    case 1: return BeaconIdentity(eddystoneUID: uuid())
    case 2:
      // All that a frame may hold, also words that are spelt out.
      let codes = Array(0x00...0x0d) + Array(0x21...0x7e as ClosedRange<UInt8>)
      var encoded = [UInt8(random.next() % 4)]
      if random.chance(0.3) { encoded += Array("www.".utf8) }
      for _ in 0...random.next() % 24 { encoded.append(pick(codes)) }
      if random.chance(0.3) { encoded += Array(".com/".utf8) }
      return encoded.withUnsafeBytes { BeaconIdentity(eddystoneURL: Octets($0).prefix(BeaconIdentity.longestURL)) }
        ?? BeaconIdentity(eddystoneEID: 0)
    case 3: return BeaconIdentity(eddystoneEID: random.next())
    case 4:
      return BeaconIdentity(
        altBeacon: uuid(), unit: UInt32(truncatingIfNeeded: random.next()),
        manufacturer: UInt16(truncatingIfNeeded: random.next()))
    default: return BeaconIdentity(device: DeviceAddress(random.next()))
    }
  }

  private mutating func beacon() -> BeaconSnapshot {
    let identity = identity()
    let address = identity.deviceAddress ?? (random.chance(0.8) ? DeviceAddress(random.next()) : nil)
    let name = random.chance(0.3) ? text() : nil
    let power = PowerAtOneMeter(random.uniform(-120...0), from: pick(PowerAtOneMeter.Source.allCases))
    beacons += 1
    return BeaconSnapshot(
      edition: beacons << 32, identity: identity, name: name, address: address, power: power,
      telemetry: random.chance(0.5) ? telemetry() : nil)
  }

  private mutating func telemetry() -> EddystoneTLM {
    let temperature = Int16(truncatingIfNeeded: random.next())
    return EddystoneTLM(
      batteryMillivolts: random.chance(0.2) ? 0 : UInt16(truncatingIfNeeded: random.next()),
      temperature256: temperature == .min ? nil : temperature,
      advertisingCount: UInt32(truncatingIfNeeded: random.next()),
      deciseconds: UInt32(truncatingIfNeeded: random.next()))
  }

  private mutating func ranged() -> RangedBeacon {
    let distance = random.uniform(0.047...84)
    let interval = DistanceInterval(low: distance * random.uniform(0...1), high: distance * random.uniform(1...4))
    let estimate = DistanceEstimate(distance: distance, log10Distance: .log10(distance), interval68: interval)
    let proximity = pick(ProximityClass.allCases)
    return RangedBeacon(
      beacon: beacon(), proximity: proximity, estimate: proximity == .unknown ? nil : estimate,
      level: random.chance(0.8) ? random.uniform(-127...20) : nil, packets: Int(random.next() % 100_000),
      lastSeen: time())
  }

  private mutating func location() -> Location? {
    let place = Coordinate(latitude: random.uniform(-90...90), longitude: random.uniform(-180...180))
    // From less than is written to more than the earth.
    let accuracy = random.chance(0.5) ? random.uniform(0.0001...10) : random.uniform(10...1e9)
    let altitude = random.chance(0.5) ? random.uniform(-500...9000) : nil
    let speed = random.chance(0.5) ? random.uniform(0...300) : nil
    let course = random.chance(0.5) ? random.uniform(0...359.999) : nil
    let source = pick([Fix.Source.gps, .network, .place])
    let fix = place.flatMap {
      Fix($0, accuracy: accuracy, altitude: altitude, speed: speed, course: course, from: source)
    }
    let age = random.uniform(0...200)
    return fix.map { Location($0, age: age, isStale: age > 60) }
  }

  private mutating func heading() -> Heading? {
    let magnetic = random.chance(0.5) ? random.uniform(0...359.999) : nil
    return Heading(
      trueHeading: random.uniform(0...359.999), magneticHeading: magnetic, accuracy: random.uniform(0.001...180))
  }
}
