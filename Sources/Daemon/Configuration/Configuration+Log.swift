import EventLog

extension Configuration {
  /// Where events are kept, and for how long.
  package struct Log: Hashable, Sendable {
    /// An absolute path.
    package var folder = "/var/lib/beacond/events"
    /// Octets of all segments together.
    package var maxSize: Int64 = 256_000_000
    package var maxAge = Duration.days(90)
    /// An event is on the disk after at most this time.
    package var sync = Duration.seconds(1)
    /// Which lists of ranged beacons are kept.
    package var rangeLog = RangeLog.interval

    package init() {}
  }
}

extension Configuration.Log {
  init(_ section: inout Section) {
    self.init()
    section.read("folder", into: &folder) { $0.filePath() }
    // A few segments at least, and less than a file system holds.
    section.read("max-size", into: &maxSize) { $0.quantity(.size, in: 64_000...1e15).map { Int64($0) } }
    section.read("max-age", into: &maxAge) { $0.duration(in: .seconds(1) ... .days(3650)) }
    section.read("sync", into: &sync) { $0.duration(in: .zero ... .seconds(60)) }
    section.read("range-log", into: &rangeLog) { $0.choice() }
  }
}
