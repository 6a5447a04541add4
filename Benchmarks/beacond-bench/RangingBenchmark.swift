import Linux
import Proximity

/// What the estimator says of the ranging pack's sessions, for the pack's scorer: a line a tick.
struct RangingBenchmark {
  private let folder: String
  private let model = DistanceModel()
  private let classifier = ProximityClassifier()

  init(_ arguments: [String]) throws(BenchFailure) {
    folder = try onlyPath(arguments)
  }

  func run() throws(BenchFailure) {
    let sessions = try RangingSession.read(folder: folder)
    var output = OutputBuffer(FileDescriptor.standardOutput)
    output.put("sid,t_s,d_m,lo68_m,hi68_m,lo95_m,hi95_m,class\n")
    for session in sessions { predict(session, to: &output) }
    output.flush()
    if let failure = output.failure { throw .failed("\(failure)") }
  }

  private func predict(_ session: RangingSession, to output: inout OutputBuffer) {
    let power = PowerAtOneMeter(measured: session.power)
    var filter = LevelFilter()
    var proximity = ProximityClass.unknown
    var packets = session.packets[...]
    var newest = -Double.infinity
    var second = 0
    for tick in session.ticks {
      // The class is worked out every second, listed or not: where it is now depends on where it was.
      while second <= tick {
        while let packet = packets.first, packet.time <= Double(second) {
          filter.update(dBm: packet.rssi, at: Instant(seconds: packet.time))
          newest = packet.time
          packets.removeFirst()
        }
        let isKnown = Double(second) - newest <= RangingSession.oldestPacket
        let level = isKnown ? filter.level(at: Instant(seconds: Double(second))) : nil
        let distribution = level.map { model.distribution(level: $0, power: power) }
        proximity = classifier.classify(
          log10Distance: distribution?.estimate.log10Distance, after: proximity)
        if second == tick, let distribution { output.put(session.sid, tick, distribution, proximity) }
        second += 1
      }
    }
  }
}

extension OutputBuffer {
  fileprivate mutating func put(
    _ sid: Int, _ tick: Int, _ distribution: DistanceDistribution, _ proximity: ProximityClass
  ) {
    let estimate = distribution.estimate
    put(decimal: sid)
    put(",")
    put(decimal: tick)
    for meters in [
      estimate.distance, estimate.interval68.low, estimate.interval68.high, distribution.interval95.low,
      distribution.interval95.high,
    ] {
      put(",")
      put(fixed: meters, places: 6)
    }
    put(",")
    put(decimal: proximity.rawValue)
    endLine()
  }
}

extension Instant {
  /// So many seconds after the start of a recording, to the nearest nanosecond.
  init(seconds: Double) {
    self.init(nanoseconds: Int64((seconds * 1e9).rounded()))
  }
}
