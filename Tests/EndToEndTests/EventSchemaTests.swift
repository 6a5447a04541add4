import Foundation
import TestSupport
import Testing

/// The schema that ships; every event line of the other tests is held against it, too.
@Suite(.enabled(if: EventSchema.isCheckable, "events are not held against the schema: install python3-jsonschema"))
struct EventSchemaTests {
  private static let line =
    #"{"seq":1,"time":"2026-12-01T08:30:00.000Z","event":"scannerDidChange","gateway":"g","adapter":"hci0","#
    + #""state":"stopped","reason":"unplugged","reportsPerSecond":null}"#

  @Test func aLineThatFitsIsTaken() throws {
    #expect(try EventSchema.fault(in: [Substring(Self.line)]) == nil)
  }

  @Test(arguments: [
    (#""seq":1"#, #""seq":0"#, "$.seq"), (#"2026-12-01T"#, "2026-12-01 ", "$.time"),
    ("scannerDidChange", "scannerChanged", "$.event"), ("stopped", "asleep", "$.state"),
    (#","reportsPerSecond":null"#, "", "'reportsPerSecond' is a required property"),
    (#""gateway":"g""#, #""gateway":"g","colour":1"#, "'colour'"),
  ])
  func aLineThatDoesNotFitIsNamed(old: String, new: String, says: String) throws {
    let fault = try EventSchema.fault(in: [Substring(Self.line.replacing(old, with: new))])
    #expect(fault?.hasPrefix("line 1: ") == true)
    #expect(fault?.contains(says) == true)
  }

  /// A recording of every kind of beacon, with everything that can be said of them.
  @Test func everyKindOfEventAndBeaconFits() throws {
    try withTemporaryFolder { folder in
      let configuration = """
        gateway: lobby
        beacons:
          - {name: door, match: {ibeacon: {uuid: 6c0ba5e2-1f3d-4a86-9d27-51c4e80b73fa, major: 1, minor: 1}}, measured-power: -58 dBm}
        regions:
          - {id: all, match: [any], each: true, range: true}
          - {id: close, match: [any], each: true, within: 3 m}
          - {id: device, match: [{address: e4:1c:0a:35:7b:01}], each: true, range: true}
          - {id: told, match: [any], assuming: inside}
        """
      try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder + "/c.yaml"))
      let changes = "200 0 stopped pulled out\n200 1 stopped pulled out\n201 1 scanning back\n"
      try Data(changes.utf8).write(to: URL(fileURLWithPath: folder + "/changes"))
      let outcome = try Beacond.run([
        "replay", "--quiet", "--config", folder + "/c.yaml", "--scanner-events", folder + "/changes",
        LobbyFixture.path("lobby.btsnoop"),
      ])
      #expect(outcome.error == "")
      for event in [
        "didStartMonitoring", "monitoringDidFail", "didDetermineState", "didEnter", "didExit", "didRange",
        "didFailRanging", "scannerDidChange",
      ] {
        #expect(outcome.output.contains(#""event":"\#(event)""#))
      }
      for kind in ["ibeacon", "eddystone-uid", "eddystone-url", "eddystone-eid", "altbeacon", "address"] {
        #expect(outcome.output.contains(#""kind":"\#(kind)""#))
      }
      #expect(outcome.output.contains(#""name":"door""#) && outcome.output.contains(#""telemetry":{"#))
    }
  }
}
