import BluetoothLE
import Linux
import Proximity
import Simulation
import TestSupport

/// Exits by silence on recordings of a beacon that stays, and leaves when they end: false ones, and how late the true one is.
///
/// Beacons that send less often are made of the same recordings, all phases of them; scanners that listen for a part of
/// the time by dropping packets at random.
struct SilenceBenchmark {
  private let path: String

  /// Every how many advertisements there is one, and the share of the time that the scanner listens.
  private static let thinnings = [(1, 1.0), (2, 1), (2, 0.3), (4, 0.3), (11, 1), (22, 1), (22, 0.3)]
  /// Fixed time-outs, seconds, beside which ours stand: none is a rule of this program.
  private static let fixed = [10.0, 30, 120]
  private static let seed: UInt64 = 1

  init(_ arguments: [String]) throws(BenchFailure) {
    path = try onlyPath(arguments)
  }

  func run() throws(BenchFailure) {
    let recordings = try SilenceRecording.read(path)
    var output = OutputBuffer(FileDescriptor.standardOutput)
    for (step, share) in Self.thinnings {
      var learned = SilenceTally()
      var others = Self.fixed.map { _ in SilenceTally() }
      var random = SplitMix(seed: Self.seed)
      for recording in recordings {
        for phase in 0..<step {
          let sent = recording.everyPacket(step, from: phase)
          let heard = share < 1 ? sent.filter { _ in random.chance(share) } : sent
          learned.play(heard, leavingAt: recording.end)
          for (index, timeOut) in Self.fixed.enumerated() {
            others[index].note(heard, leavingAt: recording.end, exitAfter: timeOut)
          }
        }
      }
      let interval = decimal(Double(step) * SilenceRecording.interval, places: 3)
      let listening = share < 1 ? ", listening \(decimal(share * 100, places: 0)) %" : ""
      output.put(
        string: "every \(interval) s\(listening): mean gap \(decimal(learned.meanGap, places: 3)) s, "
          + "\(decimal(learned.seconds / 86_400, places: 2)) days\n")
      output.put(row: "", ["exits/day", "unknown/h", "unknown %", "left", "found", "median s", "95 % s"])
      output.put(row: "beacond", learned.columns)
      for (timeOut, tally) in zip(Self.fixed, others) {
        output.put(row: "fixed \(decimal(timeOut, places: 0)) s", tally.columns)
      }
    }
    output.flush()
  }
}

/// What was said of beacons that stayed until a recording's end.
package struct SilenceTally {
  /// Of a beacon that was there.
  package private(set) var falseExits = 0
  /// How often its distance went unknown while it was inside, and for how many of the lists; nil where nobody lists.
  package private(set) var unknowns: Int?
  private var unknownLists = 0
  private var lists = 0
  /// Beacons that left.
  package private(set) var departures = 0
  /// Seconds from there to the exit, of those that were inside and whose exit came.
  package private(set) var latencies: [Double] = []
  package private(set) var seconds = 0.0
  private var gaps = 0
  private var secondsInGaps = 0.0

  package init() {}

  package var meanGap: Double { secondsInGaps / Double(gaps) }

  private mutating func count(_ packets: [SilenceRecording.Packet], leavingAt end: Double) {
    guard let first = packets.first, let last = packets.last else { return }
    departures += 1
    seconds += end - first.time
    gaps += packets.count - 1
    secondsInGaps += last.time - first.time
  }

  /// Plays the packets to an engine that watches everything, and waits for the exit.
  package mutating func play(_ packets: [SilenceRecording.Packet], leavingAt end: Double) {
    guard !packets.isEmpty else { return }
    count(packets, leavingAt: end)
    unknowns = unknowns ?? 0
    var events = EventBatch()
    var engine = Engine(at: Instant(seconds: 0), utc: UnixTime(nanoseconds: 0), &events)
    var wasUnknown = false
    let data = Advertisement.iBeacon(major: 1, minor: 1)
    for packet in packets {
      engine.hear(data, rssi: packet.rssi, at: Instant(seconds: packet.time), &events)
      note(events, leavingAt: end, &wasUnknown)
      events.removeAll()
    }
    engine.advance(to: Instant(seconds: end + Self.longestExit), &events)
    note(events, leavingAt: end, &wasUnknown)
  }

  private mutating func note(_ batch: EventBatch, leavingAt end: Double, _ wasUnknown: inout Bool) {
    for event in batch.events {
      let time = Double(event.time.nanoseconds) * 1e-9
      switch event.content {
      case .didExit(.beacon, _, _, _):
        if time <= end { falseExits += 1 } else { latencies.append(time - end) }
      case .didRange(let range, _):
        guard time <= end, let beacon = batch.ranged[range].first else { continue }
        let isUnknown = beacon.proximity == .unknown
        lists += 1
        if isUnknown { unknownLists += 1 }
        if isUnknown, !wasUnknown { unknowns? += 1 }
        wasUnknown = isUnknown
      default: continue
      }
    }
  }

  /// Counts what a rule with one time-out, in seconds, says of the packets.
  package mutating func note(_ packets: [SilenceRecording.Packet], leavingAt end: Double, exitAfter timeOut: Double) {
    guard let last = packets.last else { return }
    count(packets, leavingAt: end)
    falseExits += zip(packets, packets.dropFirst()).count { $1.time - $0.time > timeOut }
    let exit = last.time + timeOut
    if exit > end { latencies.append(exit - end) } else { falseExits += 1 }
  }

  /// Seconds: no exit comes later.
  private static let longestExit = 900.0

  /// As the table shows them.
  var columns: [String] {
    [
      decimal(Double(falseExits) / (seconds / 86_400), places: 3),
      unknowns.map { decimal(Double($0) / (seconds / 3600), places: 3) } ?? "-",
      unknowns == nil ? "-" : decimal(Double(unknownLists) / Double(lists) * 100, places: 2),
      "\(departures)", "\(latencies.count)",
      decimal(quantile(latencies, 0.5), places: 1), decimal(quantile(latencies, 0.95), places: 1),
    ]
  }
}
