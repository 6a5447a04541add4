import BluetoothLE
import Proximity

/// Which lists of ranged beacons are written.
package enum RangeLog: String, CaseIterable, Sendable {
  /// Every one.
  case interval
  /// Those whose beacons or proximities differ from the region's last one.
  case onChange = "on-change"
  case none
}

/// Decides for each event whether it is written.
package struct RangeLogFilter {
  private struct Seen: Equatable {
    let identity: BeaconIdentity
    let proximity: ProximityClass
  }

  private let policy: RangeLog
  private var last: [String: [Seen]] = [:]

  package init(_ policy: RangeLog) {
    self.policy = policy
  }

  package mutating func passes(_ event: Event, of batch: EventBatch) -> Bool {
    guard case .didRange(let range, _) = event.content, policy != .interval else { return true }
    guard policy == .onChange else { return false }
    // Beacons that only change places within a proximity are no news.
    let seen = batch.ranged[range].map { Seen(identity: $0.beacon.identity, proximity: $0.proximity) }
      .sorted { $0.identity < $1.identity }
    guard seen != last[event.region] else { return false }
    last[event.region] = seen
    return true
  }
}
