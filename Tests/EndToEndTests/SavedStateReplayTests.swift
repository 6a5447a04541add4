import Foundation
import TestSupport
import Testing

/// `beacond replay --state`: what a restart goes on from.
struct SavedStateReplayTests {
  /// Packets of a beacon once a second, `count` of them from `start` seconds on.
  private static func packets(from start: Int64, _ count: Int64) -> [HandmadeCaptures.BTSnoopRecord] {
    (0..<count).map { second in
      .init(TwoPackets.event, time: HandmadeCaptures.btsnoopTime + (start + second) * 1_000_000)
    }
  }

  private struct Place {
    let folder: String
    var state: String { folder + "/state" }

    func replay(_ records: [HandmadeCaptures.BTSnoopRecord], _ rest: [String] = []) throws -> Beacond.Outcome {
      let capture = folder + "/capture"
      try Data(HandmadeCaptures.btsnoop(1002, records)).write(to: URL(fileURLWithPath: capture))
      return try Beacond.run(["replay", "--format", "json", "--quiet", "--state", state, capture] + rest)
    }
  }

  /// Event, scope and what it says, but for lists.
  private func said(_ outcome: Beacond.Outcome) -> [String] {
    outcome.lines.compactMap { line in
      let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] ?? [:]
      guard let event = object["event"] as? String, event != "didRange" else { return nil }
      let words = [object["scope"], object["state"] ?? object["cause"]].compactMap { $0 as? String }
      return ([event] + words).joined(separator: " ")
    }
  }

  private func number(_ line: Substring?) -> Int64? {
    line.flatMap { Int64($0.dropFirst("{\"seq\":".count).prefix { $0 != "," }) }
  }

  @Test(arguments: [2, 172_800] as [Int64]) func nobodyEntersOrLeavesInBetween(pause: Int64) throws {
    try withTemporaryFolder { folder in
      let place = Place(folder: folder)
      let first = try place.replay(Self.packets(from: 0, 20))
      #expect(first.code == 0)
      #expect(said(first).filter { $0.hasPrefix("didEnter") } == ["didEnter region", "didEnter beacon"])
      let second = try place.replay(Self.packets(from: 20 + pause, 20))
      #expect(
        said(second) == [
          "didStartMonitoring", "didDetermineState region unknown", "didDetermineState beacon unknown",
          "didDetermineState region inside", "didDetermineState beacon inside",
        ])
      // Numbers go on, and the dwell counts from the first run.
      #expect(number(second.lines.first) == (number(first.lines.last) ?? 0) + 1)
      let third = try place.replay([Self.packets(from: 40 + pause, 1)[0], Self.packets(from: 2000 + pause, 1)[0]])
      let exit = try #require(third.lines.first { $0.contains("\"event\":\"didExit\"") })
      let dwell = exit.range(of: "\"dwell\":").flatMap { Double(exit[$0.upperBound...].prefix { $0 != "," }) }
      #expect(dwell.map { Double(pause) + 40...Double(pause) + 120 ~= $0 } == true, "\(exit)")
    }
  }

  @Test func whoIsGoneAfterwardsLeavesOnce() throws {
    try withTemporaryFolder { folder in
      let place = Place(folder: folder)
      _ = try place.replay(Self.packets(from: 0, 20))
      // Another beacon is heard meanwhile, or no time would pass.
      var other = TwoPackets.event
      other[other.count - 4] ^= 1
      let records = (0..<200).map { second in
        HandmadeCaptures.BTSnoopRecord(other, time: HandmadeCaptures.btsnoopTime + (100 + Int64(second)) * 1_000_000)
      }
      let second = try place.replay(records)
      #expect(said(second).filter { $0.hasPrefix("didExit") } == ["didExit beacon unobserved"])
      #expect(said(second).filter { $0.hasPrefix("didEnter") } == ["didEnter beacon"])
      let third = try place.replay([records[199]])
      #expect(!said(third).contains { $0.hasPrefix("didE") })
    }
  }

  @Test(arguments: [
    ("", "line 1: the file is cut"), ("{\"beacond-state\":1}\n{}\n{}\n", "line 1: not what this version writes"),
    ("{\"beacond-state\":9}\n{}\n{}\n", "written by a later version (format 9, this one reads 1)"),
  ]) func whatIsNoStateIsLeftAsItIs(content: String, fault: String) throws {
    try withTemporaryFolder { folder in
      let place = Place(folder: folder)
      try Data(content.utf8).write(to: URL(fileURLWithPath: place.state))
      let outcome = try place.replay(Self.packets(from: 0, 2))
      #expect(outcome.code == 65)
      #expect(outcome.error == "beacond replay: \(place.state): \(fault)\n")
      #expect(try String(contentsOfFile: place.state, encoding: .utf8) == content)
    }
  }

  @Test func aFolderThatIsNotThereIsSaidAtTheEnd() throws {
    try withTemporaryFolder { folder in
      let place = Place(folder: folder)
      let outcome = try place.replay(Self.packets(from: 0, 2), ["--state", folder + "/none/state"])
      #expect(outcome.code == 74)
      #expect(outcome.error == "beacond replay: cannot open \(folder)/none: No such file or directory\n")
      #expect(!outcome.lines.isEmpty)
    }
  }
}
