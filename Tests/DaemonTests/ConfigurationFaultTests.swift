import Daemon
import Testing

/// One mistake each, and what is said of it.
@Suite struct ConfigurationFaultTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    let fault: String

    init(_ text: String, _ fault: String) {
      self.text = text
      self.fault = fault
    }

    var testDescription: String { fault }
  }

  @Test(arguments: [
    Case("gatway: x", "1:1: gatway: unknown key; did you mean 'gateway'?"),
    Case("bluetooth:\n  skan: passive", "2:3: bluetooth.skan: unknown key; did you mean 'scan'?"),
    Case(
      "colour: red",
      "1:1: colour: unknown key; the keys here are "
        + "gateway, bluetooth, location, regions, beacons, ranging, log, outputs"
    ),
    Case("scan: active", "1:1: scan: unknown key here; it belongs in 'bluetooth'"),
    Case(
      "log:\n  gateway: x", "2:3: log.gateway: unknown key here; it belongs at the top level, without indentation"),
    Case("outputs: {mqtt: {}}", "1:11: outputs.mqtt: unknown key; this version has none here"),
    Case(
      "\"a\\eb\": 1",
      "1:1: 'a\\u{1b}b': unknown key; the keys here are "
        + "gateway, bluetooth, location, regions, beacons, ranging, log, outputs"
    ),
    Case("? [a]\n: b", "1:3: a key must be a plain word"),
    Case("gateway: a\ngateway: b", "2:1: gateway: the key is given twice; the first is at 1:1"),
    Case("log: {sync: 1 s, sync: 2 s}", "1:18: log.sync: the key is given twice; the first is at 1:7"),
  ])
  func aKeyThatIsNotKnownIsNamedWithTheNearest(mistake: Case) {
    #expect(lines(mistake.text) == [mistake.fault])
  }

  @Test(arguments: [
    Case("gateway: &a x", "1:10: gateway: a YAML anchor, which is not read here; write the value itself"),
    Case("gateway: !!str 5x", "1:10: gateway: a YAML tag, which is not read here; write the value itself"),
    Case("gateway: *a", "1:10: gateway: a YAML alias, which is not read here; write the value itself"),
    Case("log: &a {}", "1:6: log: a YAML anchor, which is not read here; write the value itself"),
    Case("regions: !x []", "1:10: regions: a YAML tag, which is not read here; write the value itself"),
    Case("&a gateway: x", "1:1: a key must be a plain word"),
  ])
  func whatYAMLCanDoBeyondValuesIsRefused(mistake: Case) {
    #expect(lines(mistake.text).contains(mistake.fault))
  }

  @Test(arguments: [
    Case("gateway: 42", "1:10: gateway: '42' is a number; must be text, so write \"42\""),
    Case("gateway: off", "1:10: gateway: 'off' is a truth value; must be text, so write \"off\""),
    Case("gateway:", "1:9: gateway: there is no value; must be text"),
    Case(
      "gateway: a\n  b",
      "1:10: gateway: text that goes on in the next line; "
        + "indent that line like its key, or put the text in quotes"),
    Case("bluetooth:\n  exclusive: yes", "2:14: bluetooth.exclusive: 'yes'; must be true or false"),
    Case(
      "bluetooth:\n  exclusive: \"true\"",
      "2:14: bluetooth.exclusive: \"true\"; must be true or false, without quotes"),
    Case(
      "bluetooth: {scan: activ}",
      "1:19: bluetooth.scan: 'activ'; must be passive or active; did you mean 'active'?"),
    Case("bluetooth: {phys: [1m, 2]}", "1:24: bluetooth.phys[1]: '2'; must be 1m or coded"),
    Case("bluetooth: {phys: []}", "1:19: bluetooth.phys: an empty list; must be a list of 1m and coded"),
    Case("bluetooth: {phys: [1m, \"1m\"]}", "1:24: bluetooth.phys[1]: given twice; the first is at 1:20"),
    Case(
      "bluetooth: {adapters: [c0:00:00:00:00:01, 7]}",
      "1:43: bluetooth.adapters[1]: '7'; must be an address, as in c0:00:00:00:00:01"),
    Case(
      "bluetooth: {adapters: [c0:00:00:00:00:01, C0:00:00:00:00:01]}",
      "1:43: bluetooth.adapters[1]: given twice; the first is at 1:24"),
    Case(
      "ranging: {max-beacons: \"5\"}",
      "1:24: ranging.max-beacons: \"5\"; must be a whole number from 1 to 65536, without quotes"),
    Case("log: {folder: events}", "1:15: log.folder: 'events' is relative; must be a path that starts with '/'"),
  ])
  func aWrongTypeSaysWhatIsWanted(mistake: Case) {
    #expect(lines(mistake.text) == [mistake.fault])
  }

  @Test(arguments: [
    Case(
      "ranging: {interval: 2}",
      "1:21: ranging.interval: '2' has no unit; must be a duration, as in '2 s' (units: ms, s, min, h, d)"),
    Case(
      "bluetooth: {wake-interval: 50}",
      "1:28: bluetooth.wake-interval: '50' has no unit; must be a duration, as in '50 ms' (units: ms, s, min, h, d)"),
    Case("ranging: {near: 4}", "1:17: ranging.near: '4' has no unit; must be a length, as in '4 m' (units: m, km)"),
    Case("bluetooth: {duty: 50}", "1:19: bluetooth.duty: '50' has no unit; must be a share, as in '50 %' (units: %)"),
    Case(
      "bluetooth: {sensitivity: -90 dbm}",
      "1:26: bluetooth.sensitivity: '-90 dbm' has an unknown unit; must be a power in dBm; did you mean 'dBm'?"),
    Case(
      "log: {max-size: 1 GiB}",
      "1:17: log.max-size: '1 GiB' has an unknown unit; must be a size in KB, MB, GB; did you mean 'GB'?"),
    Case("log: {max-age: soon}", "1:16: log.max-age: 'soon'; must be a duration from 1 s to 3650 d"),
    Case("log: {sync: 90 s}", "1:13: log.sync: '90 s'; must be a duration from 0 ms to 1 min"),
    Case("log: {sync: -1 s}", "1:13: log.sync: '-1 s'; must be a duration from 0 ms to 1 min"),
    Case(
      "log: {sync: 1e1 s}",
      "1:13: log.sync: '1e1 s' has an unknown unit; must be a duration in ms, s, min, h, d"),
    Case("bluetooth: {duty: 5 %}", "1:19: bluetooth.duty: '5 %'; must be a share from 10 % to 100 %"),
  ])
  func aQuantityHasAUnitAndBounds(mistake: Case) {
    #expect(lines(mistake.text) == [mistake.fault])
  }

  @Test(arguments: [
    Case(
      "bluetooth: {source: bluez, exclusive: true}",
      "1:39: bluetooth.exclusive: true with 'source: bluez', "
        + "which the user channel shuts out; must be false, or the source hci"),
    Case(
      "location: {authorization: always}",
      "1:27: location.authorization: given without a purpose; "
        + "add 'purpose: ' and what the location is used for"),
    Case(
      "location: {fallback: {place: depo}, places: [{name: depot, latitude: 1, longitude: 2, accuracy: 3 m}]}",
      "1:30: location.fallback.place: no place is called 'depo'; must be a name in 'location.places'; "
        + "did you mean 'depot'?"),
    Case(
      "location: {places: [{name: a, latitude: 90.1, longitude: 2, accuracy: 3 m}]}",
      "1:41: location.places[0].latitude: '90.1'; must be degrees north, a number from -90 to 90"),
    Case(
      "location: {gpsd: {socket: /run/x, port: 2947}}",
      "1:19: location.gpsd.socket: given beside 'host' or 'port'; must be either a socket or a host"),
    Case("ranging: {immediate: 5 m}", "1:22: ranging.immediate: immediate is 5 m, near 4 m; immediate must be less"),
    Case(
      "ranging: {immediate: 3 m, near: 3 m}",
      "1:33: ranging.near: immediate is 3 m, near 3 m; immediate must be less"),
    Case(
      "beacons:\n  - {name: a, match: {address: c0:00:00:00:00:01}}\n  - {name: b, match: {address: "
        + "c0:00:00:00:00:02}}\nranging: {max-beacons: 1}",
      "4:24: ranging.max-beacons: fewer than the 2 in 'beacons', which are never forgotten"),
  ])
  func whatDoesNotGoTogetherIsSaid(mistake: Case) {
    #expect(lines(mistake.text) == [mistake.fault])
  }

  @Test func allFaultsAreListedInTheOrderOfTheFile() {
    let text = """
      outputs: []
      gateway: 1
      ranging:
        nearr: 5 m
        interval: 1
      regions:
        - match: [any]
          within: 100 m
        - id: a
      """
    #expect(
      lines(text).map { $0.prefix { $0 != " " } } == ["1:10:", "2:10:", "4:3:", "5:13:", "7:5:", "8:13:", "9:5:"])
  }

  @Test func thePathsOfNestedFaultsAreWhole() {
    let text = "regions:\n- id: a\n  match:\n  - any\n  - any\n  - ibeacon: {uuid: 5}\n"
    #expect(
      lines(text) == [
        "6:21: regions[0].match[2].ibeacon.uuid: '5'; must be a UUID, as in 74278bda-b644-4520-8f0c-720eaf059935"
      ])
  }

  @Test func theNumberOfListedFaultsIsBounded() {
    let text = (0..<250).map { "key\($0): 1\n" }.joined()
    do throws(ConfigurationFaults) {
      _ = try Configuration(text)
      Issue.record("accepted")
    } catch {
      #expect(error.listed.count == 100)
      #expect(error.omitted == 150)
      #expect(error.text(file: "f").split(separator: "\n").count == 101)
      #expect(error.text(file: "f").hasSuffix("\nand 150 more\n"))
    }
  }

  @Test func longValuesAreCutAndControlsMadeVisibleInMessages() {
    let long = lines("bluetooth: {scan: \(String(repeating: "x", count: 100_000))}")
    #expect(long == ["1:19: bluetooth.scan: '\(String(repeating: "x", count: 40))...'; must be passive or active"])
    #expect(lines("bluetooth: {scan: \"\\e[31m\"}").first?.contains("\\u{1b}[31m") == true)
  }

  @Test func aSyntaxErrorIsTheOnlyFault() {
    #expect(lines("gatway: 1\nbluetooth:\n\tscan: 5\n") == ["3:1: a tab; YAML is indented with spaces"])
  }
}
