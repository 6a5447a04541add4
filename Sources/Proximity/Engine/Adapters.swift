/// What an adapter's scanner does.
package enum ScannerState: String, CaseIterable, Hashable, Sendable {
  case scanning
  /// Scanning, but hearing less than it should.
  case degraded
  case stopped
}

/// What the engine is told of an adapter.
package struct ScannerReport: Hashable, Sendable {
  package var state: ScannerState
  /// The adapter's address or name, for people.
  package var name: String
  /// Why, in words a person can act on.
  package var reason: String
  package var reportsPerSecond: Double?

  package init(_ state: ScannerState, name: String, reason: String, reportsPerSecond: Double? = nil) {
    self.state = state
    self.name = name
    self.reason = reason
    self.reportsPerSecond = reportsPerSecond
  }
}

/// The adapters that the engine has heard of, by small numbers.
struct Adapters: Sendable {
  /// More than a gateway has; a hostile recording may not make us grow. Further ones count as the last.
  private static let most = 64

  struct Adapter: Sendable {
    let id: Int
    var isDown = false
    /// The newest evidence that it delivers: any report, or an answer to a request for proof.
    var proven = Instant.distantPast
    /// The first report after a pause in which it delivered nothing.
    var resumed = Instant.distantPast
    /// The newest answer to a request for proof.
    var answered: Instant?
    /// The newest request.
    var asked = Instant.distantPast
    /// Reports of beacons, or of devices that are watched by their addresses.
    var sightings: UInt64 = 0
  }

  /// Seconds without any report that are a pause.
  static let longestGap = 2.0

  private var adapters: [Adapter] = []

  subscript(number: Int) -> Adapter {
    _read { yield adapters[number] }
    _modify { yield &adapters[number] }
  }

  var indices: Range<Int> { adapters.indices }

  /// There are adapters, and none of them scans.
  var areAllDown: Bool { !adapters.isEmpty && adapters.allSatisfy { $0.isDown } }

  /// An adapter has delivered a report.
  @inline(__always)
  mutating func deliver(_ number: Int, at instant: Instant) {
    guard instant > adapters[number].proven else { return }
    if instant.seconds(since: adapters[number].proven) > Self.longestGap { adapters[number].resumed = instant }
    adapters[number].proven = instant
  }

  /// Reports of beacons that the adapter which the caller calls `id` has heard.
  func sightings(of id: Int) -> UInt64 { adapters.first { $0.id == id }?.sightings ?? 0 }

  /// The number of the adapter that the caller calls `id`.
  mutating func number(of id: Int) -> Int {
    if let last = adapters.first, last.id == id { return 0 }
    if let known = adapters.firstIndex(where: { $0.id == id }) { return known }
    guard adapters.count < Self.most else { return adapters.count - 1 }
    adapters.append(Adapter(id: id))
    return adapters.count - 1
  }
}
