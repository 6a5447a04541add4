/// One session of the ranging pack: a beacon, a receiver, and what it heard.
package struct RangingSession {
  package let sid: Int
  /// Calibrated RSSI at 1 m, dBm.
  package let power: Double
  /// By time: seconds since the session's start and dBm. The true distances are the scorer's business.
  package private(set) var packets: [(time: Double, rssi: Double)] = []

  /// Of no packets yet.
  package init(sid: Int, power: Double) {
    self.sid = sid
    self.power = power
  }

  /// Adds a packet that is no older than the one before.
  package mutating func append(time: Double, rssi: Double) {
    packets.append((time, rssi))
  }

  /// The sessions of a folder with a `sessions.csv` and a file for each data set in it, by sid.
  package static func read(folder: String) throws(BenchFailure) -> [RangingSession] {
    var sessions: [Int: RangingSession] = [:]
    var sets: [String: Set<Int>] = [:]
    let list = try Table(folder + "/sessions.csv", columns: ["sid", "dataset", "p1m_dbm"])
    try list.forEachRow { row throws(BenchFailure) in
      let sid = try row.integer("sid", in: 0...Int(Int32.max))
      let name = row["dataset"]
      guard !name.isEmpty, !name.contains("/") else { throw row.fault("dataset", "is no file's name") }
      let session = RangingSession(sid: sid, power: try row.number("p1m_dbm", in: -120...20))
      guard sessions.updateValue(session, forKey: sid) == nil else { throw row.fault("sid", "is there twice") }
      sets[String(name), default: []].insert(sid)
    }
    for (name, sids) in sets.sorted(by: { $0.key < $1.key }) {
      try read(file: "\(folder)/\(name).csv", of: sids, into: &sessions)
    }
    return sessions.values.sorted { $0.sid < $1.sid }
  }

  private static func read(
    file: String, of sids: Set<Int>, into sessions: inout [Int: RangingSession]
  ) throws(BenchFailure) {
    let table = try Table(file, columns: ["sid", "t_s", "rssi_dbm"])
    var current: RangingSession?
    try table.forEachRow { row throws(BenchFailure) in
      let sid = try row.integer("sid", in: 0...Int(Int32.max))
      if sid != current?.sid {
        if let current { sessions[current.sid] = current }
        guard sids.contains(sid), let next = sessions[sid] else {
          throw row.fault("sid", "is no session of this data set")
        }
        guard next.packets.isEmpty else { throw row.fault("sid", "comes back after another session") }
        current = next
      }
      let time = try row.number("t_s", in: 0...longestSession)
      guard time >= current?.packets.last?.time ?? 0 else { throw row.fault("t_s", "is before the line above") }
      current?.append(time: time, rssi: try row.number("rssi_dbm", in: -128...127))
    }
    if let current { sessions[current.sid] = current }
    for sid in sids.sorted() where sessions[sid]?.packets.isEmpty ?? true {
      throw .failed("\(file): session \(sid) has no packet")
    }
  }

  /// Seconds since the start at which the pack's scorer wants a distance: 3, 4, 5... up to the last packet, 200 of them
  /// evenly spread where there are more, and none whose newest packet is more than 15 s old.
  package var ticks: [Int] {
    guard let end = packets.last?.time, end > Double(Self.firstTick) else { return [] }
    let whole = Int(end) - Self.firstTick + 1
    let count = min(whole, Self.mostTicks)
    let step = count > 1 ? Double(whole - 1) / Double(count - 1) : 0
    var heard = 0
    return (0..<count).compactMap { number in
      // The last one is meant, not what the product rounds to.
      let tick = Self.firstTick + (number == count - 1 ? whole - 1 : Int(Double(number) * step))
      while heard < packets.count, packets[heard].time <= Double(tick) { heard += 1 }
      return heard > 0 && Double(tick) - packets[heard - 1].time <= Self.oldestPacket ? tick : nil
    }
  }

  private static let firstTick = 3
  private static let mostTicks = 200
  /// Seconds.
  package static let oldestPacket = 15.0
  /// Seconds, eleven days: as far as a whole one is gone through second by second.
  private static let longestSession = 1e6
}
