import Proximity
import TestSupport
import Testing

struct CoordinateTests {
  private func coordinate(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
  }

  @Test func thereIsNoPointBeyondThePolesOrTheDateLine() {
    #expect(Coordinate(latitude: 90, longitude: -180) != nil)
    for (latitude, longitude) in [(90.1, 0), (-91, 0), (0, 180.1), (.nan, 0), (0, .infinity)] as [(Double, Double)] {
      #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
    }
  }

  /// A degree of a great circle of the mean radius is 111,195.08 m along the ground, by hand.
  @Test func distancesAreThoseOfASphere() throws {
    let origin = try coordinate(0, 0)
    #expect(abs(origin.distance(to: try coordinate(0, 1)) - 111_195.08) < 2)
    #expect(abs(try coordinate(60, 13).distance(to: try coordinate(60, 14)) - 55_597.5) < 3)
    // Across the date line and over the pole.
    #expect(abs(try coordinate(0, 179.5).distance(to: try coordinate(0, -179.5)) - 111_195.08) < 2)
    #expect(abs(try coordinate(89.5, 20).distance(to: try coordinate(89.5, -160)) - 111_195.08) < 2)
    // Straight through the middle.
    #expect(abs(origin.distance(to: try coordinate(0, 180)) - 2 * 6_371_008.8) < 1)
    #expect(origin.distance(to: origin) == 0)
  }

  /// A centimetre is told from none anywhere: 9e-8 degrees.
  @Test func smallDistancesAreNotLostInRounding() throws {
    for latitude in [0.0, 52.5163, -89.9999] {
      let distance = try coordinate(latitude, 13.3777).distance(to: try coordinate(latitude + 9e-8, 13.3777))
      #expect(abs(distance - 0.010_008) < 1e-5)
    }
  }
}

struct FixTests {
  private let place = Coordinate(latitude: 52.5163, longitude: 13.3777)

  @Test func whatCannotBeIsLeftOut() throws {
    let place = try #require(self.place)
    #expect(Fix(place, accuracy: 0, from: .gps) == nil)
    #expect(Fix(place, accuracy: .nan, from: .gps) == nil)
    let fix = try #require(Fix(place, accuracy: 4, altitude: .nan, speed: -1, course: .infinity, from: .gps))
    #expect(fix.altitude == nil && fix.speed == nil && fix.course == nil)
  }

  @Test(
    arguments: [
      (0, 0), (359.5, 359.5), (360, 0), (-90, 270), (725, 5), (-1e-20, 0),
    ] as [(Double, Double)])
  func anglesAreTakenRound(given: Double, course: Double) throws {
    let place = try #require(self.place)
    let fix = try #require(Fix(place, accuracy: 4, course: given, from: .gps))
    #expect(fix.course == course)
    #expect(fix.course?.sign == .plus)
    #expect(Heading(trueHeading: given, accuracy: 1)?.trueHeading == course)
  }

  @Test func aHeadingThatIsNoneIsRefused() {
    #expect(Heading(trueHeading: .nan, accuracy: 1) == nil)
    #expect(Heading(trueHeading: 10, accuracy: 0) == nil)
    #expect(Heading(trueHeading: 10, magneticHeading: .nan, accuracy: 1)?.magneticHeading == nil)
  }
}

/// What the engine makes of a source of fixes and headings.
struct EnginePositionTests {
  private var scene: EngineScene

  init() {
    var settings = EngineSettings()
    settings.distanceFilter = 10
    settings.headingFilter = 5
    scene = EngineScene(settings)
    scene.events.removeAll()
  }

  /// A fix so many metres north of a place.
  private func fix(_ metersNorth: Double, from source: Fix.Source = .gps) throws -> Fix {
    let place = try #require(Coordinate(latitude: 52.5 + metersNorth / 111_195.08, longitude: 13.4))
    return try #require(Fix(place, accuracy: 5, speed: 1.5, course: 0, from: source))
  }

  private mutating func take(_ fix: Fix, at seconds: Double) {
    scene.engine.take(fix, at: EngineScene.instant(seconds), &scene.events)
  }

  @Test mutating func updatesComeWhenTheGatewayMovedFarEnough() throws {
    var updates: [Double] = []
    for (second, meters) in [0, 4, 9.9, 10.1, 0.2, 0, 20, 20.5].enumerated() {
      take(try fix(meters), at: Double(second))
      for event in scene.events.events {
        if case .didUpdateLocations = event.content { updates.append(meters) }
      }
      scene.events.removeAll()
    }
    // 0 m is 10.1 m from the last update, 0.2 m is not.
    #expect(updates == [0, 10.1, 0, 20])
  }

  @Test mutating func eventsCarryTheNewestFixToldOfOrNot() throws {
    scene.hear(Advertisement.iBeacon(major: 1, minor: 7), at: 0.1)
    let isUnknown = scene.events.events.allSatisfy { $0.location == nil }
    #expect(!scene.events.events.isEmpty && isUnknown)
    take(try fix(0), at: 1.5)
    take(try fix(3), at: 1.75)
    scene.events.removeAll()
    scene.advance(to: 2)
    let list = try #require(scene.events.events.last)
    let newest = try fix(3)
    #expect(list.location?.fix == newest)
    #expect(list.location?.age == 0.25)
    #expect(list.location?.isStale == false)
  }

  @Test mutating func anOldFixIsStaleAndAPlaceIsNot() throws {
    for (source, start, isStale) in [(.gps, 0, true), (.network, 61, true), (.place, 122, false)]
      as [(Fix.Source, Double, Bool)]
    {
      take(try fix(0, from: source), at: start)
      scene.hear(Advertisement.iBeacon(major: 1, minor: 7), at: start + 59)
      scene.advance(to: start + 60)
      #expect(scene.events.events.last?.location?.isStale == false)
      scene.advance(to: start + 61)
      let age = try #require(scene.events.events.last?.location?.age)
      #expect(abs(age - 61) < 1e-9)
      #expect(scene.events.events.last?.location?.isStale == isStale)
    }
  }

  @Test mutating func headingsComeWhenTheGatewayTurnedFarEnough() throws {
    var updates: [Double] = []
    for (second, degrees) in [350, 354, 356, 0.5, 1.5, 357, 180, 184.9, 185].enumerated() {
      let heading = try #require(Heading(trueHeading: degrees, accuracy: 3))
      scene.engine.take(heading, at: EngineScene.instant(Double(second)), &scene.events)
      for event in scene.events.events {
        if case .didUpdateHeading(let heading) = event.content { updates.append(heading.trueHeading) }
      }
      scene.events.removeAll()
    }
    // The way from 356 to 1.5 leads over north.
    #expect(updates == [350, 356, 1.5, 180, 185])
  }
}
