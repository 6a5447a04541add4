import Proximity

extension Configuration {
  /// How the gateway knows where it is.
  package struct Location: Hashable, Sendable {
    /// Nil while nobody decided: location is off.
    package var authorization: Authorization?
    /// What the location is used for, in the words of who turned it on; given wherever it is authorized.
    package var purpose: String?
    package var accuracy = Accuracy.hundredMeters
    /// An attempt to get a fix ends after this time.
    package var fixTimeout = Duration.seconds(60)
    package var fallback = Fallback.lastKnown
    /// Metres of movement between two updates.
    package var distanceFilter = 10.0
    package var isHeadingOn = false
    /// Degrees of turning between two headings.
    package var headingFilter = 5.0
    package var areVisitsOn = false
    /// Metres per second; a fix that implies more is doubted.
    package var maxSpeed = 70.0
    package var gpsd = GPSD()
    /// GeoClue is asked, too.
    package var usesGeoClue = false
    /// Positions with a name; names are unique.
    package var places: [Place] = []

    package init() {}
  }
}

extension Configuration.Location {
  package enum Accuracy: String, CaseIterable, Sendable {
    case best
    case nearestTenMeters = "nearest-ten-meters"
    case hundredMeters = "hundred-meters"
    case kilometer
    case threeKilometers = "three-kilometers"
  }

  /// What stands in where no fix comes.
  package enum Fallback: Hashable, Sendable {
    case lastKnown
    /// The name of one of the places.
    case place(String)
    /// Work goes on without a location.
    case none
    /// Nothing is watched until there is a fix.
    case refuse
  }

  /// Where gpsd listens.
  package struct GPSD: Hashable, Sendable {
    package enum Endpoint: Hashable, Sendable {
      case host(String, port: UInt16)
      /// The path of a Unix socket.
      case socket(String)
    }

    /// 2947 is gpsd's port. Source: IANA, Service Name and Transport Protocol Port Number Registry.
    package var endpoint = Endpoint.host("localhost", port: 2947)
    /// The only one of gpsd's devices that is listened to, by its path; nil for all.
    package var device: String?

    package init() {}
  }

  /// A position with a name.
  package struct Place: Hashable, Sendable {
    package var name: String
    package var coordinate: Coordinate
    /// Metres within which the true position is with 68 % probability.
    package var accuracy: Double

    package init(name: String, coordinate: Coordinate, accuracy: Double) {
      self.name = name
      self.coordinate = coordinate
      self.accuracy = accuracy
    }
  }

  init(_ section: inout Section) {
    self.init()
    let authorization = section.take("authorization")
    self.authorization = authorization?.choice()
    let purpose = section.take("purpose")
    self.purpose = purpose?.text(longest: 500)
    section.read("accuracy", into: &accuracy) { $0.choice() }
    section.read("fix-timeout", into: &fixTimeout) { $0.duration(in: .seconds(1) ... .hours(1)) }
    let fallback = section.take("fallback")
    section.read("distance-filter", into: &distanceFilter) { $0.quantity(.length, in: 0...100_000) }
    section.read("heading", into: &isHeadingOn) { $0.boolean() }
    section.read("heading-filter", into: &headingFilter) { $0.quantity(.angle, in: 0...180) }
    section.read("visits", into: &areVisitsOn) { $0.boolean() }
    // 1 m/s is a walk; satellites do not see a gateway at 1000 m/s.
    section.read("max-speed", into: &maxSpeed) { $0.quantity(.speed, in: 1...1000) }
    section.read("gpsd", into: &gpsd) { $0.section { GPSD(&$0) } }
    section.read("geoclue", into: &usesGeoClue) { $0.boolean() }
    // Nil while it is not known what places are meant.
    var places: [Place]? = []
    section.read("places", into: &places) { Place.list($0) }
    self.places = places ?? []
    if let fallback, let read = Fallback(fallback, places: places?.map { $0.name }) { self.fallback = read }
    if let authorization, self.authorization == .always || self.authorization == .whenInUse, purpose == nil {
      authorization.fault("given without a purpose; add 'purpose: ' and what the location is used for")
    }
  }
}

extension Configuration.Location.Fallback {
  /// Reads `last-known`, `none`, `refuse`, `{place: NAME}`, and the latter as the text `place: NAME`.
  ///
  /// `places` are the names that there are; nil where that is not known.
  fileprivate init?(_ setting: Setting, places: [String]?) {
    let name: String
    let nameSetting: Setting
    if let word = setting.word, word.hasPrefix("place:") {
      name = String(word.dropFirst("place:".count).drop { $0 == " " })
      nameSetting = setting
    } else if case .mapping = setting.node.content {
      guard let place = setting.section({ $0.require("place") }) ?? nil, let text = place.text() else { return nil }
      name = text
      nameSetting = place
    } else {
      switch setting.choice(["last-known", "none", "refuse"], or: "{place: NAME}") {
      case "last-known": self = .lastKnown
      case "none": self = .none
      case "refuse": self = .refuse
      default: return nil
      }
      return
    }
    if let places, !places.contains(name) {
      let hint = nearest(name, in: places).map { "; did you mean '\($0)'?" } ?? ""
      nameSetting.fault("no place is called \(excerpt(name)); must be a name in 'location.places'\(hint)")
      return nil
    }
    self = .place(name)
  }
}

extension Configuration.Location.GPSD {
  fileprivate init(_ section: inout Section) {
    self.init()
    let host = section.take("host")
    let port = section.take("port")
    let socket = section.take("socket")
    section.read("device", into: &device) { $0.filePath() }
    // 253 octets are the longest name. Source: RFC 1035, section 2.3.4.
    let hostName = host.flatMap { $0.text(longest: 253) }
    let portNumber = port.flatMap { $0.integer(in: 1...65_535) }
    endpoint = .host(hostName ?? "localhost", port: UInt16(portNumber ?? 2947))
    guard let socket else { return }
    if host != nil || port != nil {
      socket.keyFault("given beside 'host' or 'port'; must be either a socket or a host")
    }
    // The kernel takes 107 octets. Source: unix(7).
    if let path = socket.filePath() { endpoint = .socket(path) }
  }
}

extension Configuration.Location.Place {
  /// Nil where one is faulty.
  fileprivate static func list(_ setting: Setting) -> [Self]? {
    var names = UniqueNames()
    guard let elements = setting.list(of: "places") else { return nil }
    let places = elements.compactMap { element in element.section { Self(&$0, &names) } ?? nil }
    return places.count == elements.count ? places : nil
  }

  private init?(_ section: inout Section, _ names: inout UniqueNames) {
    let name = section.require("name").flatMap { names.text($0) }
    let coordinate = Coordinate(&section)
    // Nobody measures a place to less than a centimetre, or is lost on the whole earth.
    let accuracy = section.require("accuracy")?.quantity(.length, in: 0.01...1_000_000)
    guard let name, let coordinate, let accuracy else { return nil }
    self.init(name: name, coordinate: coordinate, accuracy: accuracy)
  }
}
