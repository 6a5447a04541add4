import Daemon
import Testing

/// What can be wrong with regions, their matches and named beacons.
@Suite struct RegionFaultTests {
  typealias Case = ConfigurationFaultTests.Case

  private func region(_ keys: String) -> [String] { lines("regions: [{id: a, \(keys)}]") }

  @Test(arguments: [
    Case("each: true", "1:11: regions[0]: nothing to watch; must have 'match', 'circle' or 'polygon'"),
    Case("match: []", "1:26: regions[0].match: an empty list; must name at least one, as in [any]"),
    Case(
      "match: [any], circle: {latitude: 1, longitude: 2, radius: 5 m}",
      "1:33: regions[0].circle: a second thing to watch; a region has only one of 'match', 'circle' and 'polygon'"),
    Case(
      "circle: {latitude: 1, longitude: 2, radius: 5 m}, each: true",
      "1:69: regions[0].each: only for a region with 'match'"),
    Case(
      "circle: {latitude: 1, longitude: 2, radius: 5 m}, within: 3 m",
      "1:69: regions[0].within: only for a region with 'match'"),
    Case(
      "circle: {latitude: 1, longitude: 2, radius: 5 m}, range: false",
      "1:69: regions[0].range: only for a region with 'match'"),
    Case(
      "match: [any], notify-after: 5 s",
      "1:33: regions[0].notify-after: only for a region with 'circle' or 'polygon'"),
    Case("match: [any], within: 85 m", "1:41: regions[0].within: '85 m'; must be a length from 0.047 m to 84 m"),
    Case("match: [any], within: 0.04 m", "1:41: regions[0].within: '0.04 m'; must be a length from 0.047 m to 84 m"),
    Case(
      "match: [any], enter-packets: 2",
      "1:48: regions[0].enter-packets: '2'; must be 1; without the key two packets close together are asked for"),
    Case("circle: {latitude: 1, radius: 5 m}", "1:27: regions[0].circle: 'longitude' is missing"),
  ])
  func aRegionIsEitherOfBeaconsOrAFence(mistake: Case) {
    #expect(region(mistake.text) == [mistake.fault])
  }

  @Test(arguments: [
    Case("[[0, 0], [0, 1]]", "2 different corners; must be at least 3"),
    Case("[[0, 0], [0, 1], [0, 0], [0, 1]]", "2 different corners; must be at least 3"),
    Case(
      "[[0, 0], [1, 1], [1, 0], [0, 1]]",
      "the sides from [0] and from [2] touch or cross; "
        + "corners must be in the order of a walk around, each once"),
    Case(
      "[[0, 0], [0, 2], [0, 1]]",
      "the sides from [0] and from [1] touch or cross; "
        + "corners must be in the order of a walk around, each once"),
    Case(
      "[[0, 0], [0, 2], [2, 2], [0, 1]]",
      "the sides from [0] and from [2] touch or cross; "
        + "corners must be in the order of a walk around, each once"),
    Case(
      "[[0, 170], [1, -170], [1, 170], [0, -170]]",
      "the sides from [0] and from [2] touch or cross; "
        + "corners must be in the order of a walk around, each once"),
    Case("[[80, 0], [80, 120], [80, -120]]", "goes round a pole; must lie on one side of it"),
    Case("[]", "0 different corners; must be at least 3"),
  ])
  func aPolygonIsSimple(mistake: Case) {
    #expect(region("polygon: \(mistake.text)") == ["1:28: regions[0].polygon: \(mistake.fault)"])
  }

  @Test(arguments: [
    "[[0, 0], [0, 1], [1, 0]]", "[[0, 0], [0, 1], [1, 0], [0, 0]]", "[[1, 0], [0, 1], [0, 0]]",
    "[[0, 0], [0, 2], [2, 2], [1, 1], [2, 0]]", "[[0, 179], [0, -179], [1, -179]]", "[[0, 0], [0, 1], [0, 2], [1, 1]]",
  ])
  func polygonsThatAreSimpleAreTaken(polygon: String) {
    #expect(region("polygon: \(polygon)").isEmpty)
  }

  @Test func cornersOfAPolygonArePairs() {
    #expect(
      region("polygon: [[0, 0], [0, 1, 2], [1, 181]]") == [
        "1:37: regions[0].polygon[1]: 3 numbers; must be two, [latitude, longitude]",
        "1:52: regions[0].polygon[2][1]: '181'; must be degrees east, a number from -180 to 180",
      ])
  }

  @Test(arguments: [
    Case(
      "ibeacon",
      "1:27: regions[0].match[0]: 'ibeacon' of which identity is missing; "
        + "must be as in {ibeacon: {uuid: 74278bda-b644-4520-8f0c-720eaf059935}}"),
    Case(
      "all",
      "1:27: regions[0].match[0]: 'all'; must be any or "
        + "ibeacon, eddystone-uid, eddystone-url, altbeacon or address with an identity"),
    Case(
      "{}",
      "1:27: regions[0].match[0]: no kind of beacon; must be one of "
        + "ibeacon, eddystone-uid, eddystone-url, altbeacon or address"),
    Case("{ibecon: {}}", "1:28: regions[0].match[0].ibecon: unknown key; did you mean 'ibeacon'?"),
    Case(
      "{ibeacon: {uuid: 3d5f7a10-8c42-4e6b-9b7d-2f1c0a9e8d76, minor: 1}}",
      "1:82: regions[0].match[0].ibeacon.minor: "
        + "given without 'major'; add the major that it belongs to"),
    Case(
      "{ibeacon: {uuid: 3d5f7a10-8c42-4e6b-9b7d-2f1c0a9e8d76, major: 65536}}",
      "1:89: regions[0].match[0].ibeacon.major: '65536'; must be a whole number from 0 to 65535"),
    Case(
      "{ibeacon: {uuid: 3d5f7a10-8c424e6b-9b7d-2f1c0a9e8d76}}",
      "1:44: regions[0].match[0].ibeacon.uuid: "
        + "'3d5f7a10-8c424e6b-9b7d-2f1c0a9e8d76'; must be a UUID, as in 74278bda-b644-4520-8f0c-720eaf059935"),
    Case(
      "{eddystone-uid: {namespace: 0011}}",
      "1:55: regions[0].match[0].eddystone-uid.namespace: "
        + "'0011'; must be a namespace of 20 hex digits, not 4"),
    Case(
      "{eddystone-url: ftp://x}",
      "1:43: regions[0].match[0].eddystone-url: 'ftp://x'; must be a URL that starts "
        + "with http:// or https://, where a '*' at the end stands for anything"),
    Case(
      "{eddystone-url: https://ü}",
      "1:43: regions[0].match[0].eddystone-url: "
        + "'https://ü' holds characters that an Eddystone-URL cannot; write them as %XX"),
    Case(
      "{eddystone-url: https://www.example.com/0123456789012345678901234}",
      "1:43: "
        + "regions[0].match[0].eddystone-url: 34 octets when encoded; must be at most 32, more is not sent"),
    Case(
      "{altbeacon: {id: 0-0112233445566778899aabbccddeeff}}",
      "1:44: regions[0].match[0].altbeacon.id: "
        + "'0-0112233445566778899aabbccddeeff'; must be an id of 32, 36 or 40 hex digits, "
        + "with dashes between octets or without"),
    Case(
      "{altbeacon: {id: 00112233445566778899aabbccddeeff00}}",
      "1:44: regions[0].match[0].altbeacon.id: "
        + "'00112233445566778899aabbccddeeff00'; must be an id of 32, 36 or 40 hex digits, "
        + "with dashes between octets or without, not 34"),
    Case(
      "{address: c0:00:00:00:00}",
      "1:37: regions[0].match[0].address: "
        + "'c0:00:00:00:00'; must be an address, as in c0:00:00:00:00:01"),
  ])
  func anIdentityIsCheckedDownToItsDigits(mistake: Case) {
    #expect(region("match: [\(mistake.text)]") == [mistake.fault])
  }

  @Test func twoKindsInOneMatchAreTwoMatches() {
    let found = region("match: [{address: c0:00:00:00:00:01, eddystone-url: https://example.org/}]")
    #expect(
      found == [
        "1:27: regions[0].match[0]: more than one kind of beacon; must be one of "
          + "ibeacon, eddystone-uid, eddystone-url, altbeacon or address"
      ])
  }

  @Test func aDuplicateIdNamesBothPlaces() {
    let text = "regions:\n  - {id: a, match: [any]}\n  - {id: b, match: [any]}\n  - {id: a, match: [any]}\n"
    #expect(lines(text) == ["4:10: regions[2].id: 'a' is given twice; the first is at 2:10"])
  }

  @Test func namesAndIdentitiesOfBeaconsAreGivenOnce() {
    let text = """
      beacons:
        - {name: a, match: {address: c0:00:00:00:00:01}}
        - {name: a, match: {address: c0:00:00:00:00:02}}
        - {name: c, match: {address: C0:00:00:00:00:01}}
      """
    #expect(
      lines(text) == [
        "3:12: beacons[1].name: 'a' is given twice; the first is at 2:12",
        "4:22: beacons[2].match: the same beacon is given twice; the first is at 2:22",
      ])
  }

  @Test(arguments: [
    ("any", "give its identity"), ("{eddystone-url: https://example.org/*}", "give the whole URL"),
    ("{ibeacon: {uuid: 3d5f7a10-8c42-4e6b-9b7d-2f1c0a9e8d76}}", "add 'major' and 'minor'"),
    ("{ibeacon: {uuid: 3d5f7a10-8c42-4e6b-9b7d-2f1c0a9e8d76, major: 1}}", "add 'minor'"),
    ("{eddystone-uid: {namespace: 00112233445566778899}}", "add 'instance'"),
    ("{altbeacon: {id: 00112233445566778899aabbccddeeff}}", "give all 20 octets"),
  ])
  func aNameIsForOneBeacon(match: String, remedy: String) {
    #expect(
      lines("beacons: [{name: a, match: \(match)}]")
        == ["1:28: beacons[0].match: matches more than one beacon; \(remedy)"])
  }
}
