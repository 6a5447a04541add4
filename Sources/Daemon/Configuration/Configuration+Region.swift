import Proximity

extension Configuration {
  /// Something that is watched under one name.
  package struct Region: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      /// Beacons near the gateway.
      case beacons(Beacons)
      /// A piece of the earth in which the gateway may be.
      case fence(Fence)
    }

    package var id: String
    package var kind: Kind
    /// The side that it is taken for before there is evidence.
    package var assuming: BeaconRegion.Assumption

    package init(id: String, kind: Kind, assuming: BeaconRegion.Assumption = .outside) {
      self.id = id
      self.kind = kind
      self.assuming = assuming
    }

    /// Every iBeacon, Eddystone and AltBeacon, each with its own enter and exit, and ranged: what is watched where no
    /// region is configured.
    package static let everything = Region(
      id: "everything", kind: .beacons(Beacons(match: [.any], each: true, isRanged: true)))
  }
}

extension Configuration.Region {
  /// What makes two devices two beacons.
  package enum Distinction: String, CaseIterable, Sendable {
    case identity, address
  }

  package struct Beacons: Hashable, Sendable {
    /// At least one; a beacon that one of them matches belongs to the region.
    package var match: [BeaconPattern]
    /// Every matching beacon also enters and exits by itself.
    package var each: Bool
    /// Only beacons nearer than this belong to it, in metres; nil for all that are heard.
    package var within: Double?
    /// The matching beacons are listed with their distances once an interval.
    package var isRanged: Bool
    /// How long a silence means that a beacon is gone; nil for a time learned from its rhythm.
    package var exitAfter: Duration?
    /// One packet is enough to enter.
    package var entersOnFirstPacket: Bool
    package var distinguish: Distinction

    package init(
      match: [BeaconPattern], each: Bool = false, within: Double? = nil, isRanged: Bool = false,
      exitAfter: Duration? = nil, entersOnFirstPacket: Bool = false, distinguish: Distinction = .identity
    ) {
      self.match = match
      self.each = each
      self.within = within
      self.isRanged = isRanged
      self.exitAfter = exitAfter
      self.entersOnFirstPacket = entersOnFirstPacket
      self.distinguish = distinguish
    }
  }

  package struct Fence: Hashable, Sendable {
    package enum Shape: Hashable, Sendable {
      /// The radius is in metres.
      case circle(center: Coordinate, radius: Double)
      /// At least three corners, the last joined to the first; no two sides cross.
      case polygon([Coordinate])
    }

    package var shape: Shape
    /// How long the gateway must have been in it before that is said.
    package var notifyAfter: Duration

    package init(shape: Shape, notifyAfter: Duration = .zero) {
      self.shape = shape
      self.notifyAfter = notifyAfter
    }
  }
}

// MARK: Reading

extension Configuration.Region {
  /// The regions of a list, without the faulty ones.
  static func list(_ setting: Setting) -> [Self]? {
    var ids = UniqueNames()
    return setting.list(of: "regions")?.compactMap { element in
      element.section { section in Self(&section, &ids) } ?? nil
    }
  }

  private init?(_ section: inout Section, _ ids: inout UniqueNames) {
    let id = section.require("id").flatMap { ids.text($0) }
    let match = section.take("match")
    let circle = section.take("circle")
    let polygon = section.take("polygon")
    var assuming = BeaconRegion.Assumption.outside
    section.read("assuming", into: &assuming) { $0.choice() }
    let shape = circle.flatMap { Fence.Shape(circle: $0) } ?? polygon.flatMap { Fence.Shape(polygon: $0) }
    let beacons = Beacons(&section, match: match, isMeant: match != nil || circle == nil && polygon == nil)
    var notifyAfter = Duration.zero
    let dwell = section.take("notify-after")
    if let dwell, let duration = dwell.duration(in: .zero ... .days(7)) { notifyAfter = duration }

    let given = [match, circle, polygon].compactMap { $0 }.sorted { $0.keyMark < $1.keyMark }
    if given.isEmpty { section.missing("nothing to watch; must have 'match', 'circle' or 'polygon'") }
    for extra in given.dropFirst() {
      extra.keyFault("a second thing to watch; a region has only one of 'match', 'circle' and 'polygon'")
    }
    if match != nil { dwell?.keyFault("only for a region with 'circle' or 'polygon'") }
    guard let id, given.count == 1 else { return nil }
    if let beacons, match != nil {
      self.init(id: id, kind: .beacons(beacons), assuming: assuming)
    } else if let shape {
      self.init(id: id, kind: .fence(Fence(shape: shape, notifyAfter: notifyAfter)), assuming: assuming)
    } else {
      return nil
    }
  }
}

extension Configuration.Region.Beacons {
  /// Reads the keys of beacon regions; where none is meant, each of them is a fault.
  fileprivate init?(_ section: inout Section, match: Setting?, isMeant: Bool) {
    self.init(match: match.flatMap { BeaconPattern.list($0) } ?? [])
    var keys: [Setting] = []
    func take(_ key: String) -> Setting? {
      let setting = section.take(key)
      if let setting { keys.append(setting) }
      return setting
    }
    each = take("each")?.boolean() ?? each
    within = take("within")?.zoneRadius()
    isRanged = take("range")?.boolean() ?? isRanged
    // A packet may be late by a second; a beacon that is silent for a week has no battery.
    exitAfter = take("exit-after")?.duration(in: .seconds(1) ... .days(7))
    entersOnFirstPacket = take("enter-packets").flatMap { $0.firstPacket() } != nil
    distinguish = take("distinguish")?.choice() ?? distinguish
    guard isMeant else {
      for key in keys { key.keyFault("only for a region with 'match'") }
      return nil
    }
    if self.match.isEmpty { return nil }
  }
}

extension Setting {
  /// Distances are looked for between these. Source: docs/ranging.md, section 3.
  private static let distances = 0.047...84.0

  /// A distance at which a decision can be made.
  func zoneRadius() -> Double? { quantity(.length, in: Self.distances) }

  fileprivate func firstPacket() -> Int? {
    guard case .scalar("1", .plain) = node.content else {
      mismatch("1; without the key two packets close together are asked for")
      return nil
    }
    return 1
  }
}
