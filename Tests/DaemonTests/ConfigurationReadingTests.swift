import BluetoothLE
import Daemon
import EventLog
import Inspection
import Proximity
import TestSupport
import Testing

@Suite struct ConfigurationReadingTests {
  @Test(arguments: ["", "# nothing\n", "---\n", "{}", "\u{feff}\r\n", "outputs: {}\n"])
  func withoutAKeyTheDefaultsHold(text: String) throws {
    #expect(try Configuration(text) == Configuration())
  }

  @Test func withoutARegionEveryBeaconIsWatched() {
    let everything = Configuration.Region(
      id: "everything", kind: .beacons(.init(match: [.any], each: true, isRanged: true)), assuming: .outside)
    #expect(Configuration().regions == [everything])
  }

  @Test func noRegionsAreNone() throws {
    #expect(try Configuration("regions: []\n").regions.isEmpty)
  }

  @Test func theShippedFileIsTheDefaults() throws {
    #expect(!Files.shipped.isEmpty)
    #expect(try Configuration(Files.shipped) == Configuration())
  }

  @Test func everyKeyThatTheShippedFileCommentsOutIsGood() throws {
    let configuration = try Configuration(uncommentedShippedFile)
    #expect(configuration.gateway == "lobby-pi")
    #expect(configuration.location.places.map { $0.name } == ["depot"])
    #expect(configuration.regions.map { $0.id } == ["everything", "visitors", "yard", "pier"])
    #expect(configuration.beacons.map { $0.name } == ["cart-7"])
  }

  @Test func theShippedFileAndTheDocumentationNameEveryKey() throws {
    var shown: Set<String> = ["location.gpsd.socket", "location.gpsd.device"]
    try tree(Array(uncommentedShippedFile.utf8))?.walk { path, _ in shown.insert(pattern(path)) }
    var keys: Set<String> = []
    try tree(Files.allKeys)?.walk { path, _ in keys.insert(pattern(path)) }
    // These are shown in another form: a word for a list, one match for another.
    let otherForms: Set = ["bluetooth.adapters[]", "location.fallback.place", "beacons[].match.address"]
    #expect(keys.subtracting(shown).subtracting(otherForms) == Set<String>())
    for key in keys where !key.isEmpty {
      let name = key.split(separator: ".").last.map { $0.prefix { $0 != "[" } } ?? ""
      // As a key, as the last or first part of one, or as a member of a match.
      let forms = ["`\(name)`", ".\(name)`", "`\(name).", "`\(name):", "{\(name)", " \(name)}", " \(name),"]
      let isNamed = forms.contains { Files.documentation.contains($0) }
      #expect(isNamed, "docs/configuration.md does not name \(key)")
    }
  }

  /// A key is commented out with `#` in the first column and no space, or the spaces of its indentation, behind it.
  private var uncommentedShippedFile: String {
    let text = String(decoding: Files.shipped, as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let rest = line.dropFirst()
      let isKey = line.first == "#" && (rest.hasPrefix("  ") || rest.first?.isLetter == true)
      return String(isKey ? rest : line)
    }.joined(separator: "\n")
  }

  @Test func everyKeyIsRead() throws {
    let configuration = try Configuration(Files.allKeys)
    #expect(configuration.gateway == "north-gate")
    #expect(configuration.bluetooth == bluetooth)
    #expect(configuration.location == location)
    #expect(configuration.regions == regions)
    #expect(configuration.beacons == beacons)
    #expect(configuration.ranging == ranging)
    #expect(configuration.log == log)
  }

  /// Otherwise `everyKeyIsRead` could pass though a key is not read.
  @Test func noValueInTheFixtureIsItsDefault() {
    func members(_ value: Any) -> Set<String> {
      Set(Mirror(reflecting: value).children.map { "\($0.label ?? "") \($0.value)" })
    }
    #expect(members(Configuration.Bluetooth()).isDisjoint(with: members(bluetooth)))
    #expect(members(Configuration.Location()).isDisjoint(with: members(location)))
    #expect(members(Configuration.Ranging()).isDisjoint(with: members(ranging)))
    #expect(members(Configuration.Log()).isDisjoint(with: members(log)))
  }

  @Test(arguments: ["\r\n", "\r"])
  func lineBreaksMayBeThoseOfOtherSystems(lineBreak: String) throws {
    let lines = String(decoding: Files.allKeys, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(try Configuration("\u{feff}" + lines.joined(separator: lineBreak)) == Configuration(Files.allKeys))
  }

  @Test(.enabled(if: Files.normative != nil, "the normative example is not beside the package"))
  func theNormativeExampleIsReadInFull() throws {
    let example = try #require(Files.normative)
    let configuration = try Configuration(example)
    #expect(configuration.regions.count == 3)
    #expect(configuration.beacons.map { $0.measuredPower } == [-61])
    // What is in our fixture is read, as the other tests show; so it has to have every key of the example.
    var ours: Set<String> = ["location.gpsd.host", "location.gpsd.port"]
    try tree(Files.allKeys)?.walk { path, _ in ours.insert(pattern(path)) }
    var theirs: Set<String> = []
    try tree(example)?.walk { path, _ in theirs.insert(pattern(path)) }
    #expect(theirs.subtracting(ours) == Set<String>())
  }

  @Test func whatTheCensusPrintsIsAConfiguration() throws {
    var census = BeaconCensus()
    let advertisements = [
      Advertisement.iBeacon(major: 1, minor: 2), Advertisement.iBeacon(major: 1, minor: 3),
      Advertisement.altBeacon(unit: 1), Advertisement.eddystoneUID(instance: 3),
      Advertisement.eddystone([0x10, 0xee, 0x03] + Array("example".utf8) + [0x00]),
    ]
    for (index, data) in advertisements.enumerated() {
      let event = Advertisement.legacyEvent(data, address: 0xc000_0000_0000 + UInt64(index), rssi: -60)
      event.withUnsafeBytes { octets in
        guard let event = HCIEvent(Octets(octets)), var reports = AdvertisingReports(event) else { return }
        while let report = reports.next() { census.count(report, at: nil) }
      }
    }
    let text = written { $0.put(yaml: census) }
    let configuration = try Configuration(text)
    #expect(configuration.beacons.count == 5)
    #expect(configuration.regions.count == 4)
  }

  // MARK: What Tests/Fixtures/all-keys.yaml says

  private let uuid = UUID128(high: 0x3d5f_7a10_8c42_4e6b, low: 0x9b7d_2f1c_0a9e_8d76)

  private var bluetooth: Configuration.Bluetooth {
    var bluetooth = Configuration.Bluetooth()
    bluetooth.authorization = .whenInUse
    bluetooth.source = .hci
    bluetooth.adapters = .only([DeviceAddress(0x001a_7dda_7113), DeviceAddress(0xdca6_3200_0001)])
    bluetooth.scan = .active
    bluetooth.duty = .percent(12.5)
    bluetooth.phys = [.oneMegabit, .coded]
    bluetooth.isExclusive = true
    bluetooth.powersOn = false
    bluetooth.unblocksRFKill = true
    bluetooth.wakeInterval = .milliseconds(20)
    bluetooth.sensitivity = -91.5
    return bluetooth
  }

  private var location: Configuration.Location {
    var location = Configuration.Location()
    location.authorization = .whenInUse
    location.purpose = "Shows visitors where the bus is"
    location.accuracy = .nearestTenMeters
    location.fixTimeout = .seconds(120)
    location.fallback = .place("depot")
    location.distanceFilter = 25
    location.isHeadingOn = true
    location.headingFilter = 7.5
    location.areVisitsOn = true
    location.maxSpeed = 30
    location.gpsd.endpoint = .socket("/run/gpsd.sock")
    location.gpsd.device = "/dev/ttyAMA0"
    location.usesGeoClue = true
    location.places = [
      .init(name: "depot", coordinate: .init(-33.8568, 151.2153), accuracy: 30),
      .init(name: "42", coordinate: .init(90, -180), accuracy: 5),
    ]
    return location
  }

  private var regions: [Configuration.Region] {
    let numeric = EddystoneNamespace(high: 0x0123_4567_8901_2345, low: 0x6789)
    let mixed = EddystoneNamespace(high: 0x0123_4567_89ab_cdef, low: 0x0123)
    let match: [BeaconPattern] = [
      .iBeacon(uuid: uuid, major: nil, minor: nil), .iBeacon(uuid: uuid, major: 65_535, minor: nil),
      .iBeacon(uuid: uuid, major: 0, minor: 12), .eddystoneUID(namespace: numeric, instance: nil),
      .eddystoneUID(namespace: mixed, instance: 0x42), .eddystoneURL("https://www.example.com/a", isPrefix: false),
      .eddystoneURL("http://example.org/shop", isPrefix: true), .altBeacon(organization: uuid, unit: 0, unitBits: 0),
      .altBeacon(organization: uuid, unit: 0x0001_0000, unitBits: 16),
      .altBeacon(organization: uuid, unit: 0x0001_0002, unitBits: 32), .address(DeviceAddress(0xc45e_1000_002a)), .any,
    ]
    let corners = [(-17.5, 179.5), (-17.5, -179.5), (-18.5, -179.5), (-18.5, 179.5)]
    return [
      .init(
        id: "visitors",
        kind: .beacons(
          .init(
            match: match, each: true, within: 2.5, isRanged: true, exitAfter: .seconds(5400), entersOnFirstPacket: true,
            distinguish: .address)),
        assuming: .unknown),
      .init(
        id: "yard",
        kind: .fence(
          .init(
            shape: .circle(center: .init(52.5163, 13.3777), radius: 1200),
            notifyAfter: .seconds(90))),
        assuming: .inside),
      .init(
        id: "dateline",
        kind: .fence(.init(shape: .polygon(corners.map { .init($0.0, $0.1) })))),
    ]
  }

  private var beacons: [Configuration.Beacon] {
    [
      .init(name: "cart-7", match: .iBeacon(uuid: uuid, major: 1, minor: 7), measuredPower: -61),
      .init(name: "gate", match: .address(DeviceAddress(0xc45e_1000_002b))),
    ]
  }

  private var ranging: Configuration.Ranging {
    var ranging = Configuration.Ranging()
    ranging.interval = .milliseconds(500)
    ranging.thresholds = ProximityThresholds(immediate: 1, near: 5.5) ?? .standard
    ranging.maxBeacons = 100
    return ranging
  }

  private var log: Configuration.Log {
    var log = Configuration.Log()
    log.folder = "/srv/beacond"
    log.maxSize = 1_500_000_000
    log.maxAge = .seconds(43_200)
    log.sync = .zero
    log.rangeLog = .onChange
    return log
  }
}

extension Coordinate {
  fileprivate init(_ latitude: Double, _ longitude: Double) {
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { preconditionFailure("no point") }
    self = coordinate
  }
}
