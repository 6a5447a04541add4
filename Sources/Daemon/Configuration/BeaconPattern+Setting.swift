import BluetoothLE
import Proximity

extension BeaconPattern {
  /// Whether it can be true of one beacon only.
  var isWhole: Bool {
    switch self {
    case .iBeacon(_, _, let minor): minor != nil
    case .eddystoneUID(_, let instance): instance != nil
    case .eddystoneURL(_, let isPrefix): !isPrefix
    case .altBeacon(_, _, let unitBits): unitBits == 32
    case .address: true
    case .any: false
    }
  }
}

extension BeaconPattern {
  private static let kinds = ["ibeacon", "eddystone-uid", "eddystone-url", "altbeacon", "address"]

  /// At least one of what a region may match.
  static func list(_ setting: Setting) -> [BeaconPattern]? {
    guard let elements = setting.list(of: (kinds + ["any"]).listed(by: "or")) else { return nil }
    if elements.isEmpty { setting.fault("an empty list; must name at least one, as in [any]") }
    return elements.compactMap { BeaconPattern($0) }
  }

  /// Reads `any`, or a mapping of one kind to what is wanted of it.
  init?(_ setting: Setting) {
    guard case .mapping(let members) = setting.node.content else {
      // A kind alone is near enough to be told what it lacks.
      if let word = setting.word, Self.kinds.contains(word) {
        setting.fault("'\(word)' of which identity is missing; must be as in \(Self.example(word))")
      } else if setting.choice(["any"], or: Self.kinds.listed(by: "or") + " with an identity") != nil {
        self = .any
        return
      }
      return nil
    }
    let matches = setting.section { section in
      Self.kinds.compactMap { kind in section.take(kind).map { (kind: kind, match: BeaconPattern($0, kind: kind)) } }
    }
    guard let matches, matches.count == 1 else {
      // An unknown key was noted as such.
      if members.isEmpty || (matches?.count ?? 0) > 1 {
        let found = members.isEmpty ? "no" : "more than one"
        setting.fault("\(found) kind of beacon; must be one of \(Self.kinds.listed(by: "or"))")
      }
      return nil
    }
    guard let match = matches[0].match else { return nil }
    self = match
  }

  private static func example(_ kind: String) -> String {
    switch kind {
    case "ibeacon": "{ibeacon: {uuid: 74278bda-b644-4520-8f0c-720eaf059935}}"
    case "eddystone-uid": "{eddystone-uid: {namespace: 00112233445566778899}}"
    case "eddystone-url": "{eddystone-url: https://example.org/}"
    case "altbeacon": "{altbeacon: {id: 00112233445566778899aabbccddeeff}}"
    default: "{address: 'c0:00:00:00:00:01'}"
    }
  }

  private init?(_ setting: Setting, kind: String) {
    let match: BeaconPattern?
    switch kind {
    case "ibeacon": match = setting.section { Self.iBeacon(&$0) } ?? nil
    case "eddystone-uid": match = setting.section { Self.eddystoneUID(&$0) } ?? nil
    case "eddystone-url": match = Self.eddystoneURL(setting)
    case "altbeacon": match = setting.section { $0.require("id")?.altBeaconID() } ?? nil
    default: match = setting.address().map { .address($0) }
    }
    guard let match else { return nil }
    self = match
  }

  private static func iBeacon(_ section: inout Section) -> BeaconPattern? {
    let uuid = section.require("uuid")?.uuid()
    let major = section.take("major")
    let minor = section.take("minor")
    if major == nil { minor?.keyFault("given without 'major'; add the major that it belongs to") }
    let majorNumber = major?.integer(in: 0...65_535).map { UInt16($0) }
    let minorNumber = minor?.integer(in: 0...65_535).map { UInt16($0) }
    // A faulty part is no wildcard.
    guard let uuid, (major == nil) == (majorNumber == nil), (minor == nil) == (minorNumber == nil) else { return nil }
    return .iBeacon(uuid: uuid, major: majorNumber, minor: minorNumber)
  }

  private static func eddystoneUID(_ section: inout Section) -> BeaconPattern? {
    let namespace = section.require("namespace")?.octets([10], as: "a namespace of 20 hex digits")
    let instance = section.take("instance")
    let instanceOctets = instance?.octets([6], as: "an instance of 12 hex digits")
    guard let namespace, (instance == nil) == (instanceOctets == nil) else { return nil }
    return .eddystoneUID(
      namespace: EddystoneNamespace(
        high: bigEndian(namespace.prefix(8)), low: UInt16(truncatingIfNeeded: bigEndian(namespace.suffix(2)))),
      instance: instanceOctets.map { bigEndian($0[...]) })
  }

  private static func eddystoneURL(_ setting: Setting) -> BeaconPattern? {
    let expected = "a URL that starts with http:// or https://, where a '*' at the end stands for anything"
    guard let word = setting.word, word.hasPrefix("http://") || word.hasPrefix("https://") else {
      setting.mismatch(expected)
      return nil
    }
    guard word.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      setting.fault("\(excerpt(word)) holds characters that an Eddystone-URL cannot; write them as %XX")
      return nil
    }
    let isPrefix = word.hasSuffix("*")
    let url = isPrefix ? String(word.dropLast()) : word
    let length = EddystoneURL.shortestEncoding(of: url).count
    guard length <= BeaconIdentity.longestURL else {
      setting.fault("\(length) octets when encoded; must be at most \(BeaconIdentity.longestURL), more is not sent")
      return nil
    }
    return .eddystoneURL(url, isPrefix: isPrefix)
  }
}
