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
    for name in names { recordings.append(try ZoneRecording("\(folder)/\(name)")) }
    return recordings
  }

  private init(_ path: String) throws(BenchFailure) {
    let table = try Table(path, columns: ["t_s"] + Self.sniffers + ["inside"])
    try table.forEachRow { row throws(BenchFailure) in
      let time = try row.number("t_s", in: 0...Self.longest)
      guard time >= packets.last?.time ?? 0 else { throw row.fault("t_s", "is before the line above") }
      var rssi: [Int8?] = []
      for sniffer in Self.sniffers { rssi.append(row[sniffer].isEmpty ? nil : try row.rssi(sniffer)) }
      packets.append(Packet(time: time, rssi: rssi, isInside: try row.integer("inside", in: 0...1) == 1))
    }
    guard packets.contains(where: \.isInside), packets.contains(where: { !$0.isInside }) else {
      throw .failed("\(path): is not both inside and outside")
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
