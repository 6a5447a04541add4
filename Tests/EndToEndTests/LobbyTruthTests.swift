import BluetoothLE
import Foundation
import Simulation
import TestSupport
import Testing

/// What the program says of the recording, held against what was true in the scene.
struct LobbyTruthTests {
  private let scene = Scene.lobby
  private let events: [ReplayedEvent]

  init() throws {
    events = try Beacond.run(["replay", "--format", "json", LobbyFixture.path("lobby.btsnoop")]).lines
      .map { try ReplayedEvent($0, since: Scene.lobby.start) }
  }

  private func index(_ name: String) throws -> Int {
    try #require(scene.devices.firstIndex { $0.name == name })
  }

  private func address(_ device: Device) -> String? {
    guard case .fixed(let address, _) = device.address else { return nil }
    return address.description
  }

  /// The beacon's own events of one name.
  private func own(_ name: String, _ event: String) throws -> [ReplayedEvent] {
    let address = address(scene.devices[try index(name)])
    return events.filter { $0.name == event && $0.scope == "beacon" && $0.address == address }
  }

  @Test(arguments: ["information desk", "exhibit", "plant room", "poster"])
  func whatStaysEntersOnceAndIsInItsIntervalMostOfTheTime(name: String) throws {
    let number = try index(name)
    #expect(try own(name, "didEnter").map { $0.seconds }.allSatisfy { $0 < 5 })
    #expect(try own(name, "didEnter").count == 1)
    #expect(try own(name, "didExit").isEmpty)
    let truth = scene.distance(device: number, adapter: 0, at: 0)
    let address = address(scene.devices[number])
    let rows = events.filter { $0.seconds >= 30 }.flatMap { $0.ranged }.filter { $0.address == address }
    #expect(rows.count >= 315)
    let covered = rows.filter { $0.low <= truth && truth <= $0.high }.count
    // 68 % is promised over many places; in one place the bias of that place decides.
    #expect(Double(covered) > 0.6 * Double(rows.count), "\(covered) of \(rows.count)")
  }

  @Test func theVisitorComesAndGoesAsInTruth() throws {
    let truth = try #require(scene.presence(device: index("visitor")).first)
    let enters = try own("visitor", "didEnter").map { $0.seconds }
    let exits = try own("visitor", "didExit")
    #expect(enters.count == 1 && exits.count == 1)
    // The first packets come through the glass, a few dB below what is heard well.
    #expect(try abs(#require(enters.first) - truth.lowerBound) < 3)
    let exit = try #require(exits.first)
    #expect(abs(try #require(exit.lastSeen) - truth.upperBound) < 6)
    #expect((5..<20).contains(exit.seconds - truth.upperBound))
  }

  @Test func theVisitorIsTheNearestWhileStandingAtTheDesk() throws {
    let address = address(scene.devices[try index("visitor")])
    let lists = events.filter { $0.name == "didRange" && (85..<170).contains($0.seconds) }
    #expect(lists.count == 85)
    #expect(lists.allSatisfy { $0.ranged.first?.address == address })
    let covered = lists.filter { list in list.ranged.first.map { $0.low <= 0.5 && 0.5 <= $0.high } ?? false }
    #expect(covered.count > 50)
  }

  @Test func theCourierEntersWhileItPassesAndIsNeverSaidToBeNear() throws {
    let number = try index("courier")
    let truth = try #require(scene.presence(device: number).first)
    #expect(truth.upperBound - truth.lowerBound < 11)
    let enters = try own("courier", "didEnter").map { $0.seconds }
    let exits = try own("courier", "didExit")
    #expect(enters.count == 1 && exits.count == 1)
    #expect(try truth.contains(#require(enters.first)))
    // It was weak to the last: a minute of silence is nothing unusual for such a one.
    let exit = try #require(exits.first)
    #expect(try (55...65).contains(exit.seconds - #require(exit.lastSeen)))
    let address = address(scene.devices[number])
    let rows = events.flatMap { $0.ranged }.filter { $0.address == address }
    #expect(!rows.isEmpty && rows.allSatisfy { $0.proximity == "far" || $0.proximity == "unknown" })
  }

  /// The time-out worked out here, from the reports, by section 5 of docs/ranging.md.
  @Test func theBeaconThatDiesLeavesAfterTheSilenceThatItsRhythmAllows() throws {
    let number = try index("cloakroom")
    let death = try #require(scene.death(device: number))
    let exits = try own("cloakroom", "didExit")
    #expect(exits.count == 1)
    let exit = try #require(exits.first)
    let lastSeen = try #require(exit.lastSeen)
    #expect(lastSeen < death && lastSeen > death - 3)
    let (last, timeOut) = try expectedTimeOut(address(scene.devices[number]))
    // Milliseconds are shown.
    #expect(abs(last - lastSeen) < 0.0011)
    #expect(abs(last + timeOut - exit.seconds) < 0.0011, "\(last) + \(timeOut), \(exit.seconds)")
    #expect(exit.cause == "silence")
  }

  private func expectedTimeOut(_ address: String?) throws -> (last: Double, timeOut: Double) {
    var decoder = ReportDecoder(joiningFragments: true)
    var heard: (time: Double, adapter: UInt16)?
    var (gaps, mean, level, weight) = (0.0, 0.0, 0.0, 0.0)
    for packet in ReadCapture(LobbyFixture.capture(.monitor)).packets {
      let time = Double(try #require(packet.time).nanoseconds - scene.start.nanoseconds) / 1e9
      let reports = decoder.reports(packet.octets, as: packet.content, adapter: packet.adapter)
      for report in reports where report.address?.description == address {
        // Two adapters that hear one advertisement count once.
        if let heard, heard.adapter != packet.adapter, time - heard.time < 0.02 { continue }
        let gap = heard.map { time - $0.time } ?? 0
        if heard != nil {
          gaps += 1
          mean += ((gaps < 4 ? gap : min(gap, 12 * mean)) - mean) * max(1 / gaps, 1 / 64)
        }
        weight = weight * exp(-gap / 120) + 1
        level += (Double(report.rssi) - level) / weight
        heard = (time, packet.adapter)
      }
    }
    #expect(gaps > 24)
    let rhythm = 24 * mean * (pow(0.1 * mean / 86_400, -1 / 24) - 1)
    let weak = 60 * min(max((25 - (level + 94)) / 25, 0), 1)
    return (try #require(heard).time, min(max(rhythm, 5 + weak), 900))
  }

  @Test func nothingIsSaidOfPhones() {
    let beacons = Set(scene.devices.filter { $0.isBeacon }.compactMap { address($0) })
    let named = events.compactMap { $0.address } + events.flatMap { $0.ranged }.map { $0.address }
    #expect(Set(named) == beacons)
  }
}

/// One line of `beacond replay --format json`; times are seconds of the scene.
private struct ReplayedEvent {
  struct Row {
    let address: String
    let proximity: String
    let low: Double
    let high: Double
  }

  let name: String
  let seconds: Double
  let scope: String?
  /// Of the beacon that the event is about.
  let address: String?
  let lastSeen: Double?
  let cause: String?
  let ranged: [Row]

  init(_ line: Substring, since start: UnixTime) throws {
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    func seconds(_ key: String) throws -> Double? {
      guard let text = object[key] as? String else { return nil }
      let formatter = ISO8601DateFormatter()
      formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
      // To the millisecond: a date is a Double of seconds since 2001.
      let date = try #require(formatter.date(from: text)).timeIntervalSince1970
      return ((date - Double(start.nanoseconds / 1_000_000_000)) * 1000).rounded() / 1000
    }
    func addressOf(_ beacon: Any?) -> String? { (beacon as? [String: Any])?["address"] as? String }
    name = try #require(object["event"] as? String)
    self.seconds = try #require(try seconds("time"))
    scope = object["scope"] as? String
    address = addressOf(object["beacon"])
    lastSeen = try seconds("lastSeen")
    cause = object["cause"] as? String
    ranged = try (object["beacons"] as? [[String: Any]] ?? []).map { row in
      let interval = row["interval"] as? [String: Double]
      return Row(
        address: try #require(addressOf(row["beacon"])), proximity: try #require(row["proximity"] as? String),
        low: interval?["low"] ?? .nan, high: interval?["high"] ?? .nan)
    }
  }
}
