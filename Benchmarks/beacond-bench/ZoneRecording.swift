import FoundationEssentials

/// One run of the zone pack: a beacon that goes in and out of a room, heard by several sniffers ten times a second.
package struct ZoneRecording {
  /// The columns of the sniffers: three in the room, the last one before it.
  package static let sniffers = ["I_T3", "I_DL", "I_E", "O_M"]
  /// Seconds between two advertisements.
  package static let interval = 0.1

  /// One advertisement.
  package struct Packet {
    /// Seconds since the start of the run.
    package let time: Double
    /// dBm at each of the sniffers; nil where it was missed.
    package let rssi: [Int8?]
    /// What a photo sensor in the door says.
    package let isInside: Bool
  }

  package private(set) var packets: [Packet] = []

  /// The runs of a folder, a file each, in the order of their names.
  package static func read(folder: String) throws(BenchFailure) -> [ZoneRecording] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".csv") }.sorted()
    } catch {
      throw .failed("\(folder): cannot be read")
    }
    guard !names.isEmpty else { throw .failed("\(folder): holds no .csv") }
    var recordings: [ZoneRecording] = []
    for name in names {
      let path = "\(folder)/\(name)"
      let recording = try ZoneRecording(Table(path, columns: columns))
      guard Set(recording.packets.map(\.isInside)).count == 2 else { throw .failed("\(path): is not both in and out") }
      recordings.append(recording)
    }
    return recordings
  }

  package static let columns = ["t_s"] + sniffers + ["inside"]

  /// The run in a table with `columns`.
  package init(_ table: Table) throws(BenchFailure) {
    try table.forEachRow { row throws(BenchFailure) in
      let time = try row.number("t_s", in: 0...Self.longest)
      guard time >= packets.last?.time ?? 0 else { throw row.fault("t_s", "is before the line above") }
      var rssi: [Int8?] = []
      for sniffer in Self.sniffers { rssi.append(row[sniffer].isEmpty ? nil : try row.rssi(sniffer)) }
      packets.append(Packet(time: time, rssi: rssi, isInside: try row.integer("inside", in: 0...1) == 1))
    }
  }

  /// Seconds.
  package var duration: Double { packets.last?.time ?? 0 }

  /// Every `step`th advertisement, whether it was heard or not.
  package func everyPacket(_ step: Int) -> [Packet] {
    packets.filter { Int(($0.time / Self.interval).rounded()) % step == 0 }
  }

  /// Seconds, a day.
  private static let longest = 86_400.0
}
