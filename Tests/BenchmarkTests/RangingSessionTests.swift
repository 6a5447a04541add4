import Foundation
import Testing
import beacond_bench

@Suite struct RangingSessionTests {
  @Test func ticksAreWholeSecondsFromTheThirdToTheLastPacket() {
    #expect(session([0, 1, 2, 3, 4, 5]).ticks == [3, 4, 5])
    #expect(session([0, 5.999]).ticks == [3, 4, 5])
    #expect(session([0, 3.1]).ticks == [3])
    #expect(session([0, 3]).ticks == [])
    #expect(session([]).ticks == [])
  }

  @Test func ticksWithoutAPacketInFifteenSecondsAreLeftOut() {
    #expect(session([0, 20.5]).ticks == Array(3...15))
    #expect(session([4.5, 6]).ticks == [5, 6])
  }

  @Test func longSessionsHaveTwoHundredTicksEvenlySpread() {
    let heard = (0...1000).map { Double($0) }
    // Two hundred there are, and none is left out.
    #expect(session(heard[...202].map { $0 }).ticks == Array(3...202))
    let ticks = session(heard).ticks
    #expect(ticks.count == 200)
    #expect(ticks.first == 3)
    #expect(ticks.last == 1000)
    // 997 s in 199 steps.
    #expect(Set(zip(ticks, ticks.dropFirst()).map { $1 - $0 }) == [5, 6])
    #expect(ticks[100] == 3 + 501)
  }

  @Test func sessionsAreReadInTheOrderOfTheirNumbers() throws {
    let sessions = try read(
      list: "7,b,-60.5\n3,a,-59\n", ["a": "3,0,-70,1\n3,0.5,-71.5,\n", "b": "7,2,-80,2\n"])
    #expect(sessions.map(\.sid) == [3, 7])
    #expect(sessions.map(\.power) == [-59, -60.5])
    #expect(sessions[0].packets.map(\.time) == [0, 0.5])
    #expect(sessions[0].packets.map(\.rssi) == [-70, -71.5])
  }

  @Test(arguments: [
    ("3,a\n", "3,0,-70,1\n", "sessions.csv:2: 2 fields where line 1 has 3"),
    ("3,a,loud\n", "3,0,-70,1\n", #"sessions.csv:2: p1m_dbm: "loud" is no number in -120...20"#),
    ("3,a,nan\n", "3,0,-70,1\n", #"sessions.csv:2: p1m_dbm: "nan" is no number in -120...20"#),
    ("3,../a,-59\n", "3,0,-70,1\n", #"sessions.csv:2: dataset: "../a" is no file's name"#),
    ("3,a,-59\n3,a,-59\n", "3,0,-70,1\n", #"sessions.csv:3: sid: "3" is there twice"#),
    ("3,a,-59\n", "3,0,-70,1\n4,0,-70,1\n", #"a.csv:3: sid: "4" is no session of this data set"#),
    ("3,a,-59\n4,a,-59\n", "3,0,-70,1\n4,0,-70,1\n3,1,-70,1\n", #"a.csv:4: sid: "3" comes back after another session"#),
    ("3,a,-59\n4,a,-59\n", "3,0,-70,1\n", "a.csv: session 4 has no packet"),
    ("3,a,-59\n", "3,1,-70,1\n3,0.5,-70,1\n", #"a.csv:3: t_s: "0.5" is before the line above"#),
    ("3,a,-59\n", "3,1e300,-70,1\n", #"a.csv:2: t_s: "1e300" is no number in 0...1000000"#),
    ("3,a,-59\n", "3,0,\u{1b}[2J,1\n", #"a.csv:2: rssi_dbm: "\u{1B}[2J" is no number in -128...127"#),
    ("3,a,-59\n", "3,0,-70,1\n\n", "a.csv:3: 1 fields where line 1 has 4"),
    ("3,b,-59\n", "3,0,-70,1\n", "b.csv: cannot open: No such file or directory"),
  ])
  func faultsNameFileAndLine(list: String, packets: String, message: String) {
    let found = failure { _ = try read(list: list, ["a": packets]) }
    #expect(found?.hasSuffix("/" + message) == true, "\(found ?? "no failure")")
  }

  @Test(arguments: ["", "\n", "sid,t\n", "\u{0}"])
  func aTableWithoutAColumnIsRefused(text: String) {
    let message = failure {
      _ = try Table("a.csv", Array(text.utf8), columns: ["sid", "t_s"])
    }
    #expect(message?.hasPrefix("a.csv:1: there is no column ") == true)
  }

  @Test func linesMayEndInCarriageReturns() throws {
    let table = try Table("a.csv", Array("x,y\r\n1,2\r\n3,4".utf8), columns: ["y"])
    var read: [Int] = []
    try table.forEachRow { row throws(BenchFailure) in read.append(try row.integer("y", in: 0...9)) }
    #expect(read == [2, 4])
  }

  private func session(_ times: [Double]) -> RangingSession {
    var session = RangingSession(sid: 1, power: -59)
    for time in times { session.append(time: time, rssi: -70) }
    return session
  }

  /// Reads a folder with these files, their first lines left out here.
  private func read(list: String, _ sets: [String: String]) throws -> [RangingSession] {
    let folder = FileManager.default.temporaryDirectory.path + "/beacond-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try ("sid,dataset,p1m_dbm\n" + list).write(toFile: folder + "/sessions.csv", atomically: false, encoding: .utf8)
    for (name, packets) in sets {
      try ("sid,t_s,rssi_dbm,dist_m\n" + packets).write(
        toFile: folder + "/\(name).csv", atomically: false, encoding: .utf8)
    }
    return try RangingSession.read(folder: folder)
  }
}
