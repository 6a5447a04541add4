import BluetoothLE
import Daemon
import Proximity
import TestSupport
import Testing

/// The engine between its configuration, its clocks and its state.
struct GatewayTests {
  private static let tag = Advertisement.iBeacon(major: 1, minor: 7)
  private static let second: Int64 = 1_000_000_000

  private static func moment(_ seconds: Int64, utc: Int64 = 1_764_547_200) -> Moment {
    Moment(
      utc: UnixTime(nanoseconds: (utc + seconds) * second), boot: "6d0f1a2b", sinceBoot: seconds * second)
  }

  private static func regions(_ text: String) throws -> Configuration { try Configuration("regions:\n" + text) }

  private static func hear(_ gateway: inout Gateway, _ seconds: ClosedRange<Int64>) {
    for second in seconds {
      Advertisement.legacyEvent(tag, address: 0xc000_0000_0001, rssi: -60).withUnsafeBytes { octets in
        var decoder = ReportDecoder(joiningFragments: true)
        let packet = CapturedPacket(
          record: 1, time: nil, adapter: 0, content: .hci(.event), octets: Octets(octets), isCut: false)
        _ = decoder.decode(packet) { gateway.take($0, from: 0, at: Instant(nanoseconds: second * Self.second)) }
      }
    }
  }

  /// All but the lists, as `didEnter region`.
  private static func said(_ gateway: Gateway) -> [String] {
    gateway.events.events.compactMap { event in
      switch event.content {
      case .didStartMonitoring: "start \(event.region)"
      case .didDetermineState(.region, let state): "\(state) \(event.region)"
      case .didEnter(.region): "enter \(event.region)"
      case .didExit(.region, _, _, let cause): "exit \(event.region) \(cause)"
      default: nil
      }
    }
  }

  /// The same gateway `pause` seconds later, from what a file would hold.
  private static func restarted(
    _ gateway: Gateway, at seconds: Int64, _ configuration: Configuration
  ) throws -> Gateway {
    let text = gateway.saved(at: Instant(nanoseconds: 20 * second), after: 9, isFinal: true).text
    let result = text.withUnsafeBytes { octets in Result { () throws(StateFault) in try SavedState(octets) } }
    return Gateway(configuration, restoring: try result.get(), isProven: true, at: moment(seconds))
  }

  @Test func aFileCarriesTheSidesOverARestart() throws {
    let configuration = try Self.regions("  - {id: a, match: [any]}\n")
    var gateway = Gateway(configuration, restoring: nil, isProven: true, at: Self.moment(0))
    Self.hear(&gateway, 1...20)
    #expect(Self.said(gateway) == ["start a", "inside a", "enter a"])
    var next = try Self.restarted(gateway, at: 100, configuration)
    Self.hear(&next, 101...102)
    #expect(Self.said(next) == ["start a", "unknown a", "inside a"])
  }

  @Test func aRegionThatTheFileDefinesOtherwiseIsLeft() throws {
    let before = try Self.regions("  - {id: a, match: [any]}\n  - {id: b, match: [any]}\n")
    var gateway = Gateway(before, restoring: nil, isProven: true, at: Self.moment(0))
    Self.hear(&gateway, 1...20)
    let after = try Self.regions("  - {id: a, match: [any], exit-after: 30 s}\n  - {id: b, match: [any]}\n")
    let next = try Self.restarted(gateway, at: 100, after)
    #expect(Self.said(next) == ["outside a", "exit a removed", "start a", "start b", "unknown b"])
  }

  @Test func aChangedConfigurationKeepsTheSidesOfWhatItLeavesAlone() throws {
    let before = try Self.regions("  - {id: a, match: [any]}\n  - {id: b, match: [any]}\n  - {id: c, match: [any]}\n")
    var gateway = Gateway(before, restoring: nil, isProven: true, at: Self.moment(0))
    Self.hear(&gateway, 1...20)
    gateway.takeEvents { _ in }
    let after = try Self.regions(
      """
        - {id: a, match: [any]}
        - {id: b, match: [any], exit-after: 30 s}
        - {id: d, match: [any], range: true}
      beacons:
        - name: cart
          match: {ibeacon: {uuid: 01020304-0506-0708-090a-0b0c0d0e0f10, major: 1, minor: 7}}
          measured-power: -70 dBm
      """)
    gateway.reload(after, at: Instant(nanoseconds: 21 * Self.second))
    #expect(Self.said(gateway) == ["outside c", "exit c removed", "outside b", "exit b removed", "start b", "start d"])
    Self.hear(&gateway, 22...24)
    #expect(Self.said(gateway).suffix(4) == ["inside b", "enter b", "inside d", "enter d"])
    let beacon = gateway.events.ranged.last?.beacon
    #expect(beacon?.name == "cart" && beacon?.power.value == -70 && beacon?.power.source == .calibrated)
    // What it knows now is what it starts from next time.
    #expect(
      gateway.saved(at: Instant(nanoseconds: 24 * Self.second), after: 20, isFinal: false).definitions.keys.sorted()
        == ["a", "b", "d"])
  }

  @Test func aRegionAddedAtRunTimeOutlivesARestart() throws {
    let configuration = try Self.regions("  - {id: a, match: [any]}\n")
    var state = SavedState(EngineState(), at: Self.moment(0), after: 0, isFinal: true)
    state.definitions["b"] = SavedState.Definition("{id: \"b\", match: [any]}", isAdded: true)
    let gateway = Gateway(configuration, restoring: state, at: Self.moment(1))
    #expect(Self.said(gateway) == ["start a", "start b"])
    #expect(
      gateway.saved(at: Instant(nanoseconds: 2 * Self.second), after: 2, isFinal: true).definitions["b"]?.isAdded
        == true)
  }

  @Test(arguments: [-1_209_600, 1_209_600] as [Int64]) func aClockThatIsSetMovesTimesAndNobody(step: Int64) throws {
    let configuration = try Self.regions("  - {id: a, match: [any]}\n")
    var gateway = Gateway(configuration, restoring: nil, isProven: true, at: Self.moment(0))
    Self.hear(&gateway, 1...20)
    gateway.takeEvents { _ in }
    #expect(gateway.read(Self.moment(20)) == 0)
    #expect(gateway.read(Self.moment(21, utc: 1_764_547_200 + step)) == Double(step))
    #expect(gateway.read(Self.moment(22, utc: 1_764_547_200 + step)) == 0)
    Self.hear(&gateway, 23...30)
    #expect(Self.said(gateway).isEmpty)
    gateway.advance(to: Instant(nanoseconds: 1000 * Self.second))
    #expect(Self.said(gateway) == ["outside a", "exit a silence"])
    let exit = try #require(gateway.events.events.last?.time.nanoseconds)
    let from = (1_764_547_200 + step + 30) * Self.second
    #expect((from...from + 60 * Self.second).contains(exit))
  }
}
