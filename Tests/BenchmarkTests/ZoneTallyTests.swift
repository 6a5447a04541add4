import Testing
import beacond_bench

@Suite struct ZoneTallyTests {
  /// In for 20 s, out for 40 s, in for 40 s.
  private let run = try? recording((0...1000).map { ($0, $0 < 200 || $0 >= 600) })

  @Test func theTruthHasNoFaultAndNoDelay() throws {
    let tally = try tally([(0, true), (20, false), (60, true)])
    #expect(tally.changes == 2)
    #expect(tally.missed == 0)
    #expect(tally.falseChanges == 0)
    #expect(tally.latencies == [0, 0])
    #expect(tally.wrongShare == 0)
  }

  @Test func delaysAreThoseOfTheHalfSecondsInWhichTheyShow() throws {
    let tally = try tally([(1.1, true), (22.9, false), (57.8, true)])
    #expect(tally.latencies == [3, -2])
    #expect(tally.falseChanges == 0)
    // 3 looks until it is in, 6 too long in, 4 too early in again, of 200.
    #expect(abs(tally.wrongShare - 13.0 / 200) < 1e-9)
  }

  @Test func whatComesTooLateIsMissedAndFalse() throws {
    let tally = try tally([(0, true), (46, false), (60, true)])
    #expect(tally.missed == 1)
    #expect(tally.falseChanges == 1)
    #expect(tally.latencies == [0])
  }

  @Test func toAndFroIsFalseTwice() throws {
    let tally = try tally([(0, true), (20, false), (40, true), (41, false), (60, true)])
    #expect(tally.missed == 0)
    #expect(tally.falseChanges == 2)
    #expect(tally.latencies == [0, 0])
  }

  @Test func whatIsOverWithinHalfASecondIsNotLookedAt() throws {
    let tally = try tally([(0, true), (20, false), (40.1, true), (40.3, false), (60, true)])
    #expect(tally.falseChanges == 0)
  }

  @Test func runsAddUp() throws {
    var both = try tally([(0, true), (46, false), (60, true)])
    both.add(try tally([(0, true), (20, false), (60, true)]))
    #expect(both.changes == 4)
    #expect(both.missed == 1)
    #expect(both.latencies == [0, 0, 0])
  }

  @Test func blanksAreMissedAndStepsCountThem() throws {
    let table = try Table(
      "run.csv", Array("t_s,I_T3,I_DL,I_E,O_M,inside\n0,-70,,-60,,1\n0.5,-71,-72,,-80,0\n1,,,,-81,0\n".utf8),
      columns: ZoneRecording.columns)
    let recording = try ZoneRecording(table)
    #expect(recording.packets.map(\.rssi) == [[-70, nil, -60, nil], [-71, -72, nil, -80], [nil, nil, nil, -81]])
    #expect(recording.packets.map(\.isInside) == [true, false, false])
    #expect(recording.everyPacket(10).map(\.time) == [0, 1])
    #expect(recording.everyPacket(5).count == 3)
  }

  @Test(arguments: [
    ("0,1,2,3,4,2\n", #"run.csv:2: inside: "2" is no whole number in 0...1"#),
    ("0,1,2,300,4,1\n", #"run.csv:2: I_E: "300" is no whole number in -128...127"#),
    ("1,1,2,3,4,1\n0,1,2,3,4,1\n", #"run.csv:3: t_s: "0" is before the line above"#),
  ])
  func faultsNameFileAndLine(rows: String, message: String) throws {
    let table = try Table(
      "run.csv", Array(("t_s,I_T3,I_DL,I_E,O_M,inside\n" + rows).utf8), columns: ZoneRecording.columns)
    #expect(failure { _ = try ZoneRecording(table) } == message)
  }

  private func tally(_ sides: [(time: Double, isInside: Bool)]) throws -> ZoneTally {
    var tally = ZoneTally()
    tally.add(try #require(run), sides)
    return tally
  }
}

/// A run of which only the truth counts: tenths of a second, and whether it is in.
private func recording(_ truth: [(Int, Bool)]) throws -> ZoneRecording {
  let rows = truth.map { "\($0.0 / 10).\($0.0 % 10),,,-60,,\($0.1 ? 1 : 0)\n" }
  let text = "t_s,I_T3,I_DL,I_E,O_M,inside\n" + rows.joined()
  return try ZoneRecording(Table("run.csv", Array(text.utf8), columns: ZoneRecording.columns))
}
