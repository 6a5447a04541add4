import BluetoothLE
import Linux
import Proximity
import TestSupport

/// A zone of the engine on the zone pack's runs: how late it is entered and left, and how often for nothing.
struct ZoneBenchmark {
  private let folder: String
  private let model = DistanceModel()

  /// The sniffers that are one gateway's adapters.
  private static let gateways = [("I_E", [2]), ("I_T3 I_DL I_E", [0, 1, 2]), ("all four", [0, 1, 2, 3])]
  /// Every how many advertisements are there.
  private static let steps = [1, 5, 10]
  /// dBm at 1 m; which one it is shifts the zone's distance and nothing else.
  private static let power = -59.0

  init(_ arguments: [String]) throws(BenchFailure) {
    folder = try onlyPath(arguments)
  }

  func run() throws(BenchFailure) {
    let recordings = try ZoneRecording.read(folder: folder)
    var output = OutputBuffer(FileDescriptor.standardOutput)
    output.put(
      row: "adapters, s between packets", ["changes", "missed", "false/min", "median s", "90 % s", "wrong %"])
    for (name, sniffers) in Self.gateways {
      var all = ZoneTally()
      for step in Self.steps {
        var tally = ZoneTally()
        for recording in recordings {
          tally.add(recording, try sides(recording, heardBy: sniffers, every: step))
        }
        let interval = decimal(Double(step) * ZoneRecording.interval, places: 1)
        output.put(row: "\(name), \(interval)", tally.columns)
        all.add(tally)
      }
      output.put(row: "\(name), all", all.columns)
    }
    output.flush()
  }

  /// When the engine says that the beacon comes in and goes out: seconds, and whether it is in.
  private func sides(
    _ recording: ZoneRecording, heardBy sniffers: [Int], every step: Int
  ) throws(BenchFailure) -> [(time: Double, isInside: Bool)] {
    let packets = recording.everyPacket(step)
    let meters = distanceOfEdge(
      level: levelOfEdge(recording, heardBy: sniffers), interval: Double(step) * ZoneRecording.interval)
    guard let limit = ZoneLimit(meters: meters) else { throw .failed("no zone of \(meters) m") }
    var settings = EngineSettings()
    settings.regions = [BeaconRegion(id: "zone", patterns: [.any], zone: limit)]
    settings.beacons = [NamedBeacon(name: "beacon", pattern: .any, measuredPower: Self.power)]
    var events = EventBatch()
    var engine = Engine(settings, at: Instant(seconds: 0), utc: UnixTime(nanoseconds: 0), &events)
    let data = Advertisement.iBeacon(major: 1, minor: 1)
    for packet in packets {
      for sniffer in sniffers {
        guard let rssi = packet.rssi[sniffer] else { continue }
        engine.hear(data, rssi: rssi, at: Instant(seconds: packet.time), adapter: sniffer, &events)
      }
    }
    engine.advance(to: Instant(seconds: recording.duration), &events)
    return events.events.compactMap { event in
      let time = Double(event.time.nanoseconds) * 1e-9
      switch event.content {
      case .didEnter: return (time, true)
      case .didExit: return (time, false)
      default: return nil
      }
    }
  }

  /// dBm: halfway between the mean levels in and out of the room at the sniffer that is loudest.
  private func levelOfEdge(_ recording: ZoneRecording, heardBy sniffers: [Int]) -> Double {
    var sums = [0.0, 0.0]
    var counts = [0.0, 0.0]
    for packet in recording.packets {
      guard let loudest = sniffers.compactMap({ packet.rssi[$0] }).max() else { continue }
      sums[packet.isInside ? 1 : 0] += Double(loudest)
      counts[packet.isInside ? 1 : 0] += 1
    }
    return (sums[0] / max(counts[0], 1) + sums[1] / max(counts[1], 1)) / 2
  }

  /// Metres: what the estimator shows of a beacon that is heard at that level for long, as somebody in the door would
  /// read it off.
  private func distanceOfEdge(level: Double, interval: Double) -> Double {
    var filter = LevelFilter()
    let last = Instant(seconds: 60)
    for number in 0...Int(60 / interval) { filter.update(dBm: level, at: Instant(seconds: Double(number) * interval)) }
    let power = PowerAtOneMeter(measured: Self.power)
    return filter.level(at: last).map { model.estimate(level: $0, power: power).distance } ?? .nan
  }
}

/// What was said of a zone, held against the truth: both as they are every half second.
package struct ZoneTally {
  /// Seconds between two looks.
  private static let grid = 0.5
  /// Seconds before and after a change of side in which saying it counts as noticing that.
  private static let noticed = -5.0...25.0

  package private(set) var changes = 0
  package private(set) var missed = 0
  /// Changes that were said and are none.
  package private(set) var falseChanges = 0
  /// Seconds after the truth, of those that were noticed.
  package private(set) var latencies: [Double] = []
  private var looks = 0
  private var wrongLooks = 0
  private var seconds = 0.0

  package init() {}

  package var wrongShare: Double { Double(wrongLooks) / Double(max(looks, 1)) }

  package mutating func add(_ other: ZoneTally) {
    changes += other.changes
    missed += other.missed
    falseChanges += other.falseChanges
    latencies += other.latencies
    looks += other.looks
    wrongLooks += other.wrongLooks
    seconds += other.seconds
  }

  /// Counts a run of which the engine said `sides`: when it was which. It starts outside; coming to know that the run
  /// begins inside is no change.
  package mutating func add(_ recording: ZoneRecording, _ sides: [(time: Double, isInside: Bool)]) {
    let times = (0..<Int((recording.duration / Self.grid).rounded(.up))).map { Double($0) * Self.grid }
    let truth = sampled(recording.packets.map { ($0.time, $0.isInside) }, at: times)
    let said = sampled(sides, at: times)
    seconds += recording.duration
    looks += times.count
    wrongLooks += zip(truth, said).count { $0 != $1 }

    var open = (0..<times.count).filter { said[$0] != ($0 > 0 && said[$0 - 1]) }
    for index in times.indices where truth[index] != (index > 0 && truth[index - 1]) {
      if index > 0 { changes += 1 }
      let fitting = open.filter {
        said[$0] == truth[index] && Self.noticed.contains(times[$0] - times[index])
      }
      let nearest = fitting.min { abs(times[$0] - times[index]) < abs(times[$1] - times[index]) }
      open.removeAll { $0 == nearest }
      guard index > 0 else { continue }
      if let nearest { latencies.append(times[nearest] - times[index]) } else { missed += 1 }
    }
    falseChanges += open.count
  }

  /// The side at each of the times: that of the newest change up to it, outside before the first.
  private func sampled(_ sides: [(time: Double, isInside: Bool)], at times: [Double]) -> [Bool] {
    var rest = sides[...]
    var isInside = false
    return times.map { time in
      // Times are tenths of a second that no binary fraction meets.
      while let side = rest.first, side.time <= time + 1e-6 {
        isInside = side.isInside
        rest.removeFirst()
      }
      return isInside
    }
  }

  /// As the table shows them.
  var columns: [String] {
    [
      "\(changes)", "\(missed)", decimal(Double(falseChanges) / (seconds / 60), places: 2),
      decimal(quantile(latencies, 0.5), places: 1), decimal(quantile(latencies, 0.9), places: 1),
      decimal(wrongShare * 100, places: 1),
    ]
  }
}
