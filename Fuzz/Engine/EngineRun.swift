import BluetoothLE
import Proximity
import TestSupport

/// An engine that octets drive: the first two say how it is set, then each says what comes next, and those behind it how
/// and when. Every promise is checked after every input.
struct EngineRun {
  private static let adapters = 3

  /// Of every event: two runs that say the same have the same.
  private(set) var events: [Int] = []

  private var reader: ByteReader
  /// Time is also told in between.
  private let isCut: Bool
  private let isProven: Bool
  private let settings: EngineSettings
  private var engine: Engine
  private var decoder = ReportDecoder(joiningFragments: true)
  private var batch = EventBatch()
  private var promises: EnginePromises
  private var now = Instant(nanoseconds: 1_000_000_000_000) {
    didSet { latest = max(latest, now) }
  }
  private var latest = Instant(nanoseconds: 1_000_000_000_000)
  private var down: Set<Int> = []

  init(_ octets: UnsafeRawBufferPointer, isCut: Bool) {
    self.isCut = isCut
    reader = ByteReader(Octets(octets))
    let flags = reader.readOctet() ?? 0
    var settings = EngineSettings()
    isProven = flags & 1 == 0
    settings.isProvenThroughout = isProven
    settings.mostBeacons = Int(flags >> 1 & 7) + 1
    // Hours of lists would be most of the work.
    settings.rangingInterval = 7
    let watched = reader.readOctet() ?? 1
    settings.regions = EnginePromises.regions.enumerated().filter { watched >> $0.offset & 1 == 1 }.map { $0.element }
    if flags & 0x80 != 0 {
      settings.regions.append(
        BeaconRegion(id: "watched", patterns: [.address(DeviceAddress(0xc000_0000_0001))], each: true))
    }
    if flags & 0x40 != 0 { settings.beacons = [NamedBeacon(name: "a", pattern: .any)] }
    promises = EnginePromises(capacity: settings.mostBeacons)
    self.settings = settings
    engine = Engine(settings, at: now, utc: UnixTime(nanoseconds: now.nanoseconds), &batch)
    check()
  }

  mutating func run() {
    // More inputs find no more, and take longer.
    for _ in 0..<256 {
      guard let octet = reader.readOctet() else { break }
      let adapter = Int(octet >> 4) % Self.adapters
      switch octet & 0x0f {
      case 0...5: hear(ready(reader.readOctet() ?? 0), from: adapter)
      case 6: hear(raw(), from: adapter)
      case 7:
        wait()
        let length = Int(reader.readOctet() ?? 0)
        let octets = reader.read(min(length, reader.remaining)) ?? Octets()
        take(CapturedPacket.Content.hci(.event), octets, from: adapter)
      case 8: scanner(adapter, octet & 0x80 != 0)
      case 9:
        wait()
        promises.note(adapter: adapter)
        engine.proof(adapter, at: now, &batch)
      case 10: answer()
      case 11:
        wait()
        let utc = reader.readOctet().map { Int64(Int8(bitPattern: $0)) } ?? 0
        // From 292 years back to 292 years on; the smallest step is a second.
        let step = octet & 0x80 != 0 ? utc << 56 : utc &* 1_000_000_000
        engine.setUTC(UnixTime(nanoseconds: now.nanoseconds &+ step), at: now, &batch)
      case 12:
        wait()
        engine.add(region(reader.readOctet() ?? 0), at: now, &batch)
      case 13:
        wait()
        engine.remove(region(reader.readOctet() ?? 0).id, at: now, &batch)
      case 14 where octet & 0xe0 == 0xe0: restart()
      case 14:
        wait()
        locate(isFix: octet & 0x80 == 0)
      default: wait()
      }
      check()
    }
    engine.advance(to: now, &batch)
    check()
    if isProven { end() }
  }

  /// In an air that is long empty there is nothing left to do.
  private mutating func end() {
    for adapter in 0..<Self.adapters { scanner(adapter, false) }
    now = latest.advanced(by: 2000)
    engine.advance(to: now, &batch)
    check()
    // Where time itself ends, nothing falls due any more.
    let endOfTime = Instant.distantFuture.advanced(by: -1e6)
    precondition(engine.nextDeadline ?? endOfTime >= endOfTime, "with nobody there something is still to do")
  }

  // MARK: Time

  /// Goes on, or back, by what the next octet says.
  private mutating func wait() {
    let code = reader.readOctet() ?? 0
    let start = now
    switch code {
    case 0..<100: now = now.advanced(by: Double(code) * 0.01)
    case 100..<200: now = now.advanced(by: Double(code - 100))
    case 200..<240: now = now.advanced(by: Double(code - 200) * 30)
    case 240..<248: now = now.advanced(by: -Double(1 << (code - 240)))
    default:
      // Where nobody leaves, each second of a century would be listed.
      let isEndless = !isProven || !down.isEmpty
      now = now.advanced(by: isEndless ? 60 : [1e4, 1e6, 1e9, 9e9, -1e4, -1e9, 1e-9, 3600][Int(code - 248)])
    }
    if isCut, now > start {
      let step = now.seconds(since: start) / 4
      for part in 1...3 { engine.advance(to: start.advanced(by: step * Double(part)), &batch) }
    }
    engine.advance(to: now, &batch)
  }

  // MARK: Reports

  private mutating func hear(_ data: [UInt8], from adapter: Int) {
    let rssi = Int8(bitPattern: reader.readOctet() ?? 0)
    let address = 0xc000_0000_0000 + UInt64(reader.readOctet() ?? 0) % 16
    wait()
    Advertisement.legacyEvent(data, address: address, rssi: rssi).withUnsafeBytes {
      take(.hci(.event), Octets($0), from: adapter)
    }
  }

  private mutating func take(_ content: CapturedPacket.Content, _ octets: Octets, from adapter: Int) {
    promises.note(adapter: adapter)
    let packet = CapturedPacket(
      record: 1, time: nil, adapter: UInt16(adapter), content: content, octets: octets, isCut: false)
    _ = decoder.decode(packet) { engine.take($0, from: adapter, at: now, &batch) }
  }

  /// An advertisement of one of some beacons of every kind.
  private func ready(_ octet: UInt8) -> [UInt8] {
    let number = octet >> 3
    return switch octet & 7 {
    case 0: Advertisement.altBeacon(unit: number)
    case 1: Advertisement.eddystoneUID(instance: number)
    case 2: Advertisement.eddystone([0x10, 0xee, 0x03, UInt8(ascii: "a") + number % 4, 0x07])
    case 3: Advertisement.eddystone([0x30, 0xee, 1, 2, 3, 4, 5, 6, 7, number])
    case 4: Advertisement.eddystoneTLM(millivolts: 2900, temperature: Int16(number))
    default: Advertisement.iBeacon(major: 1, minor: UInt16(number), power: octet == 0xff ? 3 : -59)
    }
  }

  /// Advertising data from the input itself.
  private mutating func raw() -> [UInt8] {
    let length = Int(reader.readOctet() ?? 0) % 32
    return reader.read(min(length, reader.remaining))?.array ?? []
  }

  // MARK: Adapters and regions

  private mutating func scanner(_ adapter: Int, _ isStopped: Bool) {
    wait()
    promises.note(adapter: adapter)
    if isStopped { down.insert(adapter) } else { down.remove(adapter) }
    let report = ScannerReport(isStopped ? .stopped : .scanning, name: "hci\(adapter)", reason: "fuzz")
    engine.scanner(adapter, report, at: now, &batch)
  }

  /// Answers what the engine asked for.
  private mutating func answer() {
    wait()
    let asked = Set(batch.proofRequests).sorted()
    check()
    empty()
    for adapter in asked { engine.proof(adapter, at: now, &batch) }
  }

  /// One of the regions, or another definition of it.
  private func region(_ octet: UInt8) -> BeaconRegion {
    var region = EnginePromises.regions[Int(octet) % EnginePromises.regions.count]
    if octet & 0x80 != 0 { region.isRanged.toggle() }
    if octet & 0x40 != 0 { region.exitAfter = 2 }
    return region
  }

  /// Another engine goes on, with the regions of the settings, some of which may be defined anew.
  private mutating func restart() {
    answer()
    var state = engine.state
    down.removeAll()
    let octet = reader.readOctet() ?? 0
    for index in state.regions.indices where octet >> index & 1 == 1 { state.regions[index].isRedefined = true }
    promises.noteRestart(from: state)
    let elapsed = Int64(octet) << 40
    engine = Engine(
      settings, restoring: state, elapsed: elapsed, at: now, utc: UnixTime(nanoseconds: now.nanoseconds), &batch)
  }

  // MARK: Position

  /// A fix or a heading of the next two octets.
  private mutating func locate(isFix: Bool) {
    let (first, second) = (reader.readOctet() ?? 0, reader.readOctet() ?? 0)
    let north = Double(Int8(bitPattern: first))
    let accuracy = Double(Int8(bitPattern: second))
    if !isFix {
      if let heading = Heading(trueHeading: north * 3, accuracy: accuracy) { engine.take(heading, at: now, &batch) }
    } else if let coordinate = Coordinate(latitude: north * 1e-4, longitude: accuracy * 2),
      let fix = Fix(coordinate, accuracy: accuracy, from: second & 1 == 0 ? .gps : .place)
    {
      engine.take(fix, at: now, &batch)
    }
  }

  // MARK: Checks

  private var noted = 0

  private mutating func check() {
    if let broken = promises.broken(by: batch) { preconditionFailure(broken) }
    precondition(batch.proofRequests.allSatisfy { $0 < Self.adapters }, "an unknown adapter is asked")
    for event in batch.events[noted...] { events.append(digest(of: event)) }
    noted = batch.events.count
    // Requests are kept until they are answered.
    if batch.events.count > 4096, batch.proofRequests.isEmpty { empty() }
  }

  private mutating func empty() {
    batch.removeAll()
    noted = 0
    promises.batchWasEmptied()
  }

  private func digest(of event: Event) -> Int {
    var hasher = Hasher()
    hasher.combine(event.time)
    hasher.combine(event.region)
    hasher.combine(event.location)
    switch event.content {
    case .didDetermineState(let subject, let state): add(subject, 1, state, &hasher)
    case .didEnter(let subject): add(subject, 2, RegionState.inside, &hasher)
    case .didExit(let subject, let lastSeen, let dwell, let cause):
      add(subject, 3, cause, &hasher)
      hasher.combine(lastSeen)
      hasher.combine(dwell)
    case .didRange(let range, let omitted):
      hasher.combine(omitted)
      for beacon in batch.ranged[range] {
        hasher.combine(beacon.beacon.identity)
        hasher.combine(beacon.estimate?.distance)
        hasher.combine(beacon.packets)
      }
    case .didStartMonitoring: hasher.combine(4)
    case .monitoringDidFail(let failure): hasher.combine(failure)
    case .didFailRanging(let failure): hasher.combine(failure)
    case .scannerDidChange(let report): hasher.combine(report)
    case .didUpdateLocations: hasher.combine(5)
    case .didUpdateHeading(let heading): hasher.combine(heading)
    case .didChangeAuthorization(let authorization): hasher.combine(authorization)
    }
    return hasher.finalize()
  }

  private func add(_ subject: Subject, _ kind: Int, _ value: some Hashable, _ hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(value)
    switch subject {
    case .region(let beacon): hasher.combine(beacon?.identity)
    case .beacon(let beacon):
      hasher.combine(beacon.identity)
      hasher.combine(beacon.address)
    }
  }
}
