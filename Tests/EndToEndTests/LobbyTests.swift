import BluetoothLE
import Foundation
import Simulation
import Testing

/// The recording that ships with the project: made by the project's own scene, and replayed to what is expected.
///
/// The expected files were checked against a second implementation of docs/ranging.md, written from its text alone: all
/// enters and exits to the millisecond; every distance, bound and level of every list to the last digit shown.
struct LobbyTests {
  @Test func theFixtureIsWhatTheSceneMakes() throws {
    let fixture = try LobbyFixture.data("lobby.btsnoop")
    #expect(Array(fixture) == LobbyFixture.capture(.monitor))
  }

  @Test func theFormWithoutAdaptersHoldsTheSameReports() throws {
    let decode = ["decode", "--format", "tsv", "-"]
    let monitor = try Beacond.run(decode, input: LobbyFixture.capture(.monitor))
    let h4 = try Beacond.run(decode, input: LobbyFixture.capture(.h4))
    #expect(monitor.code == 0 && h4.code == 0)
    // Records are numbered otherwise, as one form has no notices.
    let reports = monitor.lines.map { $0.drop { $0 != "\t" } }
    #expect(reports.count > 3000 && reports == h4.lines.map { $0.drop { $0 != "\t" } })
  }

  @Test(arguments: [
    (["replay", "--quiet", "--format", "json", "--range-log", "none"], "lobby.events.jsonl"),
    (["replay", "--quiet", "--format", "text", "--range-log", "on-change"], "lobby.replay.txt"),
    (["beacons"], "lobby.beacons.txt"),
  ])
  func theProgramSaysWhatIsExpected(arguments: [String], expected: String) throws {
    let result = try Beacond.run(arguments + [LobbyFixture.path("lobby.btsnoop")])
    #expect(result.code == 0)
    #expect(result.error == "")
    let text = String(decoding: try LobbyFixture.data(expected), as: UTF8.self)
    #expect(result.output == text)
  }

  /// Of the lists, every thirtieth second's is kept.
  @Test func theListsAreWhatIsExpected() throws {
    let lines = try Beacond.run(["replay", "--format", "json", LobbyFixture.path("lobby.btsnoop")]).lines
    let lists = lines.filter { line in
      line.contains("\"didRange\"") && (line.contains(":00.000Z\",\"event") || line.contains(":30.000Z\",\"event"))
    }
    #expect(lists.count == 11)
    let expected = String(decoding: try LobbyFixture.data("lobby.ranges.jsonl"), as: UTF8.self)
    #expect(lists.map { $0 + "\n" }.joined() == expected)
  }

  /// The first reports, as a person reads them.
  @Test func decodeStartsAsExpected() throws {
    let output = try Beacond.run(["decode", LobbyFixture.path("lobby.btsnoop")]).output
    let expected = String(decoding: try LobbyFixture.data("lobby.decode.txt"), as: UTF8.self)
    #expect(expected.split(separator: "\n").count == 100)
    #expect(output.hasPrefix(expected))
  }
}

enum LobbyFixture {
  static func path(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/Fixtures/" + name
  }

  static func data(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path(name)))
  }

  /// The scene, played.
  static func capture(_ datalink: BTSnoopWriter.Datalink) -> [UInt8] {
    var recording = Recording(.lobby, as: datalink)
    var octets: [UInt8] = []
    while recording.append(to: &octets) {}
    return octets
  }
}
