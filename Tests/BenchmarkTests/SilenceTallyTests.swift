import Testing
import beacond_bench

@Suite struct SilenceTallyTests {
  @Test func advertisementsThatWereMissedAreCounted() throws {
    let recordings = try read("0,0,-70\n0,457,-71\n0,1830,-72\n0,920,-73\n4,0,-60\n")
    #expect(recordings.map(\.packets.count) == [4, 1])
    #expect(recordings[0].packets.map(\.number) == [0, 1, 5, 7])
    #expect(recordings[0].packets.map(\.rssi) == [-70, -71, -72, -73])
    #expect(abs(recordings[0].end - 3.207) < 1e-9)
    #expect(recordings[0].everyPacket(2, from: 1).map(\.number) == [1, 5, 7])
    #expect(recordings[0].everyPacket(2, from: 0).map(\.number) == [0])
  }

  @Test(arguments: [
    ("0,0,-70\n1,0,-70\n0,457,-70\n", #"gaps.csv:4: seq: "0" comes back after another one"#),
    ("0,-1,-70\n", #"gaps.csv:2: dt_ms: "-1" is no number in 0...86400000"#),
    ("0,0\n", "gaps.csv:2: 2 fields where line 1 has 3"),
    ("0,0,\n", #"gaps.csv:2: rssi_dbm: "" is no whole number in -128...127"#),
  ])
  func faultsNameFileAndLine(rows: String, message: String) {
    #expect(failure { _ = try read(rows) } == message)
  }

  @Test func aSteadyBeaconLeavesOnceAfterTheEnd() throws {
    var tally = SilenceTally()
    let recording = try steady(packets: 600)
    tally.play(recording.packets, leavingAt: recording.end)
    #expect(tally.falseExits == 0)
    #expect(tally.unknowns == 0)
    #expect(tally.departures == 1)
    // No more than 5 s of silence are the least; the formula gives about 12 gaps.
    let latency = try #require(tally.latencies.first)
    #expect(tally.latencies.count == 1 && latency >= 5 && latency < 10)
    #expect(abs(tally.meanGap - 0.4575) < 1e-9)
  }

  @Test func aLongHoleIsAFalseExitAndAnUnknownBeforeIt() throws {
    var tally = SilenceTally()
    let whole = try steady(packets: 1200)
    let packets = whole.packets.filter { !(600..<800).contains($0.number) }
    tally.play(packets, leavingAt: whole.end)
    #expect(tally.falseExits == 1)
    #expect(tally.unknowns == 1)
    #expect(tally.latencies.count == 1)
  }

  @Test func aFixedTimeOutCountsFromTheLastPacket() throws {
    var tally = SilenceTally()
    let whole = try steady(packets: 100)
    // The last one heard is ten advertisements before the end.
    let packets = whole.packets.filter { $0.number % 10 == 0 && $0.number != 40 }
    tally.note(packets, leavingAt: whole.end, exitAfter: 6)
    // 9.15 s without number 40; 4.575 s otherwise.
    #expect(tally.falseExits == 1)
    #expect(tally.latencies.count == 1)
    #expect(abs(tally.latencies[0] - (6 - 9 * 0.4575)) < 1e-9)
    #expect(tally.unknowns == nil)
    tally.note(packets, leavingAt: whole.end, exitAfter: 4)
    // Every gap, and the end that comes when it had left already.
    #expect(tally.falseExits == 1 + 8 + 1)
    #expect(tally.latencies.count == 1)
    #expect(tally.departures == 2)
  }

  private func steady(packets: Int) throws -> SilenceRecording {
    let rows = (0..<packets).map { "0,\($0 == 0 ? 0 : 457.5),-60\n" }
    let recordings = try read(rows.joined())
    return try #require(recordings.first)
  }

  private func read(_ rows: String) throws(BenchFailure) -> [SilenceRecording] {
    let table = try Table(
      "gaps.csv", Array(("seq,dt_ms,rssi_dbm\n" + rows).utf8), columns: SilenceRecording.columns)
    return try SilenceRecording.read(table)
  }
}
