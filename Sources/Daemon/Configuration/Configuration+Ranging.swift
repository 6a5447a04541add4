import Proximity

extension Configuration {
  /// How distances are told.
  package struct Ranging: Hashable, Sendable {
    /// Between two lists of ranged beacons.
    package var interval = Duration.seconds(1)
    package var thresholds = ProximityThresholds.standard
    /// Beacons tracked at once, at least as many as are configured.
    package var maxBeacons = 4096

    package init() {}
  }
}

extension Configuration.Ranging {
  /// `beacons`: how many have a name; they are never forgotten.
  init(_ section: inout Section, beacons: Int) {
    self.init()
    // More than ten lists a second are more than beacons send; an hour is no list of who is here.
    section.read("interval", into: &interval) { $0.duration(in: .milliseconds(100) ... .hours(1)) }
    let immediate = section.take("immediate")
    let near = section.take("near")
    let standard = ProximityThresholds.standard
    let immediateMeters = immediate.map { $0.zoneRadius() } ?? standard.immediate
    let nearMeters = near.map { $0.zoneRadius() } ?? standard.near
    if let immediateMeters, let nearMeters {
      if let thresholds = ProximityThresholds(immediate: immediateMeters, near: nearMeters) {
        self.thresholds = thresholds
      } else {
        let text = "immediate is \(plain(immediateMeters)) m, near \(plain(nearMeters)) m; immediate must be less"
        (near ?? immediate)?.fault(text)
      }
    }
    guard let setting = section.take("max-beacons"), let most = setting.integer(in: 1...65_536) else { return }
    maxBeacons = most
    if most < beacons { setting.fault("fewer than the \(beacons) in 'beacons', which are never forgotten") }
  }
}
