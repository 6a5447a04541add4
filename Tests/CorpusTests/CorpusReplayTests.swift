import BluetoothLE
import Daemon
import Inspection
import Linux
import Proximity
import Scanning
import TestSupport
import Testing

/// Replays each capture of the corpus, and checks what the engine says against the packets themselves.
@Suite(.enabled(if: Corpus.folder != nil, "no corpus: set BEACOND_CORPUS to its folder"))
struct CorpusReplayTests {
  @Test func everyCaptureWithBeaconsIsReplayedToWhatItHolds() throws {
    let folder = try #require(Corpus.folder)
    let captures = try #require(Corpus.captures, "the corpus has no index")
    var replayed = 0
    for capture in captures where capture.holdsBeacons {
      let path = folder + "/" + capture.file
      let census = try Self.census(path)
      let outcome = try Self.replay(path)
      try check(outcome, against: census, capture.file)
      replayed += 1
    }
    #expect(replayed > 0, "the index names no capture with beacons")
  }

  private struct Outcome {
    /// Each with its list, where it is one.
    var events: [(event: Event, ranged: [RangedBeacon])] = []

    mutating func take(_ batch: EventBatch) {
      for event in batch.events {
        if case .didRange(let range, _) = event.content {
          events.append((event, Array(batch.ranged[range])))
        } else {
          events.append((event, []))
        }
      }
    }
  }

  /// Hand-countable facts: only those who were heard enter, each enters and leaves in turn, every packet is listed once.
  private func check(_ outcome: Outcome, against census: BeaconCensus, _ file: String) throws {
    let heard = Dictionary(uniqueKeysWithValues: census.beacons.map { ($0.identity, $0) })
    #expect(!heard.isEmpty, "\(file): the index says that it holds beacons")
    var inside: Set<BeaconIdentity> = []
    var isRegionInside = false
    var entered: Set<BeaconIdentity> = []
    var listed: [BeaconIdentity: Int] = [:]
    for (event, list) in outcome.events {
      switch event.content {
      case .didStartMonitoring, .didDetermineState, .monitoringDidFail, .didFailRanging, .scannerDidChange,
        .didUpdateLocations, .didUpdateHeading, .didChangeAuthorization:
        break
      case .didEnter(.region):
        #expect(!isRegionInside, "\(file): the region entered twice")
        isRegionInside = true
      case .didExit(.region, _, _, _):
        #expect(isRegionInside && inside.isEmpty, "\(file): the region left with somebody inside")
        isRegionInside = false
      case .didEnter(.beacon(let beacon)):
        #expect(heard[beacon.identity] != nil, "\(file): \(beacon.identity) was never heard")
        #expect(inside.insert(beacon.identity).inserted, "\(file): entered twice")
        entered.insert(beacon.identity)
      case .didExit(.beacon(let beacon), let lastSeen, let dwell, _):
        #expect(inside.remove(beacon.identity) != nil, "\(file): left without having entered")
        #expect(try #require(lastSeen) <= event.time && dwell >= 0, "\(file)")
      case .didRange:
        for ranged in list {
          listed[ranged.beacon.identity, default: 0] += ranged.packets
          guard let estimate = ranged.estimate else { continue }
          #expect(estimate.interval68.low < estimate.distance && estimate.distance < estimate.interval68.high)
          let entry = try #require(heard[ranged.beacon.identity])
          let level = try #require(ranged.level)
          #expect(level >= Double(entry.weakest) - 0.001 && level <= Double(entry.strongest) + 0.001, "\(file)")
        }
      }
    }
    for (identity, entry) in heard {
      #expect(listed[identity, default: 0] <= entry.packets, "\(file): more packets listed than heard")
      // One packet above -74 dBm enters.
      guard entry.levels > 0, entry.strongest > -74 else { continue }
      #expect(entered.contains(identity), "\(file): a loud beacon is missing")
    }
  }

  private static func census(_ path: String) throws -> BeaconCensus {
    var census = BeaconCensus()
    var decoder = ReportDecoder(joiningFragments: true)
    try forEachPacket(path) { packet in _ = decoder.decode(packet) { census.count($0, at: packet.time) } }
    return census
  }

  private static func replay(_ path: String) throws -> Outcome {
    var outcome = Outcome()
    var replay = CaptureReplay()
    var captures = MergedCaptures(interval: 0.1)
    captures.add(CaptureStream(try FileDescriptor(reading: path)))
    captures.forEachPacket(
      waiting: { _ in true }, failed: { _, failure in Issue.record("\(path): \(failure)") },
      { packet, reading in
        replay.take(packet, at: reading)
        replay.takeEvents { batch, _ in outcome.take(batch) }
      })
    replay.finish()
    replay.takeEvents { batch, _ in outcome.take(batch) }
    return outcome
  }

  private static func forEachPacket(_ path: String, _ body: (CapturedPacket) -> Void) throws {
    var stream = CaptureStream(try FileDescriptor(reading: path))
    while try stream.refill() { try stream.read(body) }
  }
}
