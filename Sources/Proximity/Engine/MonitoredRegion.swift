/// A region, who is in it, and what is known of it.
struct MonitoredRegion: Sendable {
  let region: BeaconRegion
  private(set) var presence: PresenceSettings
  /// What the last didEnter or didExit said, or what is assumed.
  var isInside: Bool
  var state: RegionState
  /// Since when it is inside; meaningless while it is not.
  var entered: Instant
  /// Beacons inside.
  var members = 0
  /// It cannot be watched now, and that was said.
  var isFailed = false

  init(_ region: BeaconRegion, sensitivity: Double, at instant: Instant) {
    self.region = region
    presence = Self.presence(region, sensitivity)
    isInside = region.assuming == .inside
    state =
      switch region.assuming {
      case .outside: .outside
      case .inside: .inside
      case .unknown: .unknown
      }
    entered = instant
  }

  mutating func setSensitivity(_ sensitivity: Double) {
    presence = Self.presence(region, sensitivity)
  }

  private static func presence(_ region: BeaconRegion, _ sensitivity: Double) -> PresenceSettings {
    PresenceSettings(
      sensitivity: sensitivity, exitAfter: region.exitAfter, entersOnFirstPacket: region.entersOnFirstPacket)
  }

  /// Seconds of proven scanning without anybody that make a region outside.
  var timeToOutside: Double {
    // A region that is inside on trust waits for as long as for a beacon heard once.
    isInside ? presence.exitAfter ?? SilenceClock().timeOuts(presence).exit : Self.evidenceOfAbsence
  }

  private static let evidenceOfAbsence = 30.0

  /// Nothing but time can say that nobody is here.
  var waitsForAbsence: Bool { members == 0 && !isFailed && (isInside || state == .unknown) }
}
