/// One of the recordings of a beacon that stays where it is, heard by a receiver that is always on.
package struct SilenceRecording {
  /// Seconds between two advertisements of that beacon. Source: the pack's description.
  package static let interval = 0.4575

  package struct Packet: Hashable {
    /// Seconds since the first packet.
    package let time: Double
    /// Counts the advertisements since the first packet, those that were missed as well.
    package let number: Int
    /// dBm.
    package let rssi: Int8
  }

  package private(set) var packets: [Packet] = []

  /// When the last packet was heard: what follows is the silence of a beacon that has left.
  package var end: Double { packets.last?.time ?? 0 }

  /// The recordings of a file, one after the other in it.
  package static func read(_ path: String) throws(BenchFailure) -> [SilenceRecording] {
    let recordings = try read(Table(path, columns: columns))
    guard !recordings.isEmpty else { throw .failed("\(path): holds no recording") }
    return recordings
  }

  package static let columns = ["seq", "dt_ms", "rssi_dbm"]

  /// The recordings of a table with `columns`.
  package static func read(_ table: Table) throws(BenchFailure) -> [SilenceRecording] {
    var recordings: [SilenceRecording] = []
    var known: Set<Int> = []
    var current: Int?
    try table.forEachRow { row throws(BenchFailure) in
      let sequence = try row.integer("seq", in: 0...Int(Int32.max))
      let gap = try row.number("dt_ms", in: 0...longestGap) / 1000
      let rssi = try row.rssi("rssi_dbm")
      if sequence != current {
        guard known.insert(sequence).inserted else { throw row.fault("seq", "comes back after another one") }
        current = sequence
        recordings.append(SilenceRecording())
      }
      let last = recordings[recordings.count - 1].packets.last
      let time = last.map { $0.time + gap } ?? 0
      let number = last.map { $0.number + Int((gap / interval).rounded()) } ?? 0
      recordings[recordings.count - 1].packets.append(Packet(time: time, number: number, rssi: rssi))
    }
    return recordings
  }

  /// What is heard if the beacon sends only every `step`th advertisement, from number `phase` on.
  package func everyPacket(_ step: Int, from phase: Int) -> [Packet] {
    packets.filter { $0.number % step == phase }
  }

  /// Milliseconds, a day.
  private static let longestGap = 86_400_000.0
}
