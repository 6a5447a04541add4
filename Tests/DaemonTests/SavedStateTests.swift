import BluetoothLE
import Daemon
import Proximity
import TestSupport
import Testing

/// The state file.
struct SavedStateTests {
  private static let moment = Moment(
    utc: UnixTime(nanoseconds: 1_764_547_200_123_456_789), isSynchronized: false, boot: "6d0f1a2b",
    sinceBoot: 987_654_321)

  /// A state with something of everything.
  private static func whole() throws -> SavedState {
    var state = EngineState()
    state.regions = [
      SavedRegion(id: "a \"quoted\" id \u{fc}", each: true, inside: 12_345_678_901, state: .inside),
      SavedRegion(id: "b", each: false, state: .unknown),
    ]
    let uuid = UUID128(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c_0d0e_0f10)
    // Not the shortest way to send it.
    let url = Array("\u{3}example.com/".utf8)
    let address = DeviceAddress(0xc000_0000_0001)
    let rhythm = try #require(Rhythm(gaps: 64, meanGap: 1.0 / 3, longTermLevel: -71.123456789012345, levelWeight: 1e-7))
    let identities = [
      BeaconIdentity(iBeacon: uuid, major: 65_535, minor: 0),
      BeaconIdentity(eddystoneUID: uuid),
      try #require(url.withUnsafeBytes { BeaconIdentity(eddystoneURL: Octets($0)) }),
      BeaconIdentity(eddystoneEID: .max),
      BeaconIdentity(altBeacon: uuid, unit: 0xdead_beef, manufacturer: 0x118),
      BeaconIdentity(device: address),
      BeaconIdentity(iBeacon: uuid, major: 1, minor: 2).of(address),
    ]
    state.beacons = identities.enumerated().map { index, identity in
      var beacon = SavedBeacon(identity, age: Int64(index) * 1_000_000_007, silence: Int64(index), rhythm: rhythm)
      beacon.address = index % 2 == 0 ? address : nil
      beacon.advertisedPower = index % 3 == 0 ? -59 : nil
      beacon.memberships = [
        "b": SavedMembership(inside: .max, state: .inside, isPresent: true, left: 5),
        "a \"quoted\" id \u{fc}": SavedMembership(state: .unknown, isPresent: index == 1),
      ]
      return beacon
    }
    let place = try #require(Coordinate(latitude: -52.516312345678901, longitude: 1e-7))
    let fix = try #require(Fix(place, accuracy: 4.2, altitude: -3, speed: 0, course: 359.9, from: .network))
    state.fix = SavedFix(fix, age: -5)
    return SavedState(
      state, at: moment, after: 4711, isFinal: true,
      definitions: ["b": .init("{id: \"b\", match: [any]}", isAdded: true), "a \"quoted\" id \u{fc}": .init("{}")])
  }

  private func read(_ text: some Collection<UInt8>) throws(StateFault) -> SavedState {
    let result = Array(text).withUnsafeBytes { octets in
      Result { () throws(StateFault) in try SavedState(octets) }
    }
    return try result.get()
  }

  @Test func everythingIsReadBackAsItWas() throws {
    let state = try Self.whole()
    #expect(try read(state.text) == state)
    let empty = SavedState(EngineState(), at: Self.moment, after: 0, isFinal: false)
    #expect(try read(empty.text) == empty)
  }

  @Test func everyCutIsNoticed() throws {
    let text = try Self.whole().text
    for length in 0..<text.count {
      #expect(throws: StateFault.self) { _ = try read(text[..<length]) }
    }
  }

  /// Many would be another state: other ages, another region, events that were numbered otherwise.
  @Test func aBitThatFlippedIsNoticed() throws {
    let text = try Self.whole().text
    for index in stride(from: 0, to: text.count, by: 7) {
      var other = text
      other[index] ^= 1 << UInt8(index % 8)
      #expect(throws: StateFault.self) { _ = try read(other) }
    }
    let another = String(decoding: text, as: UTF8.self).replacing("\"seq\":4711", with: "\"seq\":4712")
    #expect(throws: StateFault.self) { _ = try read(another.utf8) }
  }

  @Test func theCheckIsThatOfItsSource() {
    #expect(SavedState.check([]) == 0x811c_9dc5)
    #expect(SavedState.check("foobar".utf8) == 0xbf9c_f968)
  }

  @Test func aLineThatIsMissingIsNoticed() throws {
    let lines = try Self.whole().text.split(separator: UInt8(ascii: "\n"))
    for index in lines.indices {
      var fewer = lines
      fewer.remove(at: index)
      let text = fewer.flatMap { Array($0) + [UInt8(ascii: "\n")] }
      #expect(throws: StateFault.self) { _ = try read(text) }
    }
  }

  @Test func faultsSayWhere() throws {
    let text = String(decoding: try Self.whole().text, as: UTF8.self)
    func fault(_ old: String, _ new: String) -> StateFault? {
      do throws(StateFault) {
        _ = try read(Array(text.replacing(old, with: new, maxReplacements: 1).utf8))
        return nil
      } catch {
        return error
      }
    }
    #expect(fault("\"beacond-state\":1", "\"beacond-state\":2") == .newer(version: 2))
    #expect(fault("\"gaps\":64", "\"gaps\":65") == .damaged(line: 4, "not what this version writes"))
    #expect(fault("\"each\":true", "\"each\":perhaps") == .damaged(line: 2, "not JSON"))
    // Octets that no frame may hold.
    #expect(fault("\"encoded\":\"03", "\"encoded\":\"04") == .damaged(line: 6, "not what this version writes"))
    #expect(fault("\"encoded\":\"0365", "\"encoded\":\"0380") == .damaged(line: 6, "not what this version writes"))
    #expect(fault("beacond-state", "other-state") == .damaged(line: 1, "not the state of beacond"))
    #expect(fault("\"lines\":10", "\"lines\":11") == .damaged(line: 12, "lines are missing"))
  }

  @Test func timeIsToldByTheBootClockWhereItIsTheSameBoot() {
    let hour: Int64 = 3_600_000_000_000
    func moment(_ utc: Int64, _ boot: String, _ sinceBoot: Int64, synchronized: Bool = true) -> Moment {
      Moment(utc: UnixTime(nanoseconds: utc), isSynchronized: synchronized, boot: boot, sinceBoot: sinceBoot)
    }
    let earlier = moment(0, "a", 5 * hour)
    #expect(moment(99 * hour, "a", 6 * hour).nanoseconds(since: earlier) == hour)
    #expect(moment(-99 * hour, "a", 6 * hour).nanoseconds(since: earlier) == hour)
    #expect(moment(3 * hour, "b", hour).nanoseconds(since: earlier) == 3 * hour)
    #expect(moment(-3 * hour, "b", hour).nanoseconds(since: earlier) == 0)
    // A clock that nobody set tells nothing.
    #expect(moment(3 * hour, "b", hour, synchronized: false).nanoseconds(since: earlier) == 0)
  }
}
