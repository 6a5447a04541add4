import Daemon
import Testing

/// Puts values of every wrong type in the place of every value of a full configuration.
@Suite struct WrongTypeTests {
  /// What must stand somewhere, as the wrong values for it, each YAML on one line.
  private enum Kind {
    static let noScalar = ["x", "5", "true", "~", "\"x\""]
    static let noText = ["5", "1.5", "0x10", "1e3", "true", "no", "~", "\"\"", "\"a\\tb\"", "[x]", "{x: y}"]
    static let noWord = ["nonsense", "5", "true", "~", "\"\"", "[x]", "{x: y}"]
    static let noTruth = ["\"true\"", "yes", "True", "1", "~", "x", "[true]", "{x: y}"]
    static let noWhole = ["1.5", "\"1\"", "x", "true", "~", "99999999999", "0x10", "010", "[1]", "{x: y}"]
    static let noNumber = ["\"1\"", "x", "true", "~", "1000", "1e1", ".nan", "[1]", "{x: y}"]
    static let noQuantity = ["5", "1.5", "\"5\"", "x", "true", "~", "5 furlongs", "1e9 s", "[x]", "{x: y}"]
    static let noIdentity = ["xyz", "5", "true", "~", "\"\"", "[x]", "{x: y}"]
  }

  private static let sections: Set<String> = [
    "", "bluetooth", "location", "location.gpsd", "location.places[]", "regions[]", "regions[].circle",
    "regions[].match[].ibeacon", "regions[].match[].eddystone-uid", "regions[].match[].altbeacon", "beacons[]",
    "beacons[].match.ibeacon", "ranging", "log", "outputs",
  ]
  private static let lists: Set<String> = [
    "bluetooth.phys", "location.places", "regions", "regions[].match", "regions[].polygon", "regions[].polygon[]",
    "beacons",
  ]
  private static let texts: Set<String> = [
    "gateway", "location.purpose", "location.gpsd.host", "location.places[].name", "regions[].id", "beacons[].name",
    // Paths start with '/', which none of the wrong texts does.
    "location.gpsd.socket", "location.gpsd.device", "log.folder",
  ]
  private static let truths: Set<String> = [
    "bluetooth.exclusive", "bluetooth.power-on", "bluetooth.unblock-rfkill", "location.heading", "location.visits",
    "location.geoclue", "regions[].each", "regions[].range",
  ]
  private static let wholes: Set<String> = [
    "location.gpsd.port", "regions[].match[].ibeacon.major", "regions[].match[].ibeacon.minor",
    "regions[].enter-packets", "beacons[].match.ibeacon.major", "beacons[].match.ibeacon.minor", "ranging.max-beacons",
  ]
  private static let numbers: Set<String> = [
    "location.places[].latitude", "location.places[].longitude", "regions[].circle.latitude",
    "regions[].circle.longitude", "regions[].polygon[][]",
  ]
  private static let quantities: Set<String> = [
    "bluetooth.duty", "bluetooth.wake-interval", "bluetooth.sensitivity", "location.fix-timeout",
    "location.distance-filter", "location.heading-filter", "location.max-speed", "location.places[].accuracy",
    "regions[].within", "regions[].exit-after", "regions[].circle.radius", "regions[].notify-after",
    "beacons[].measured-power", "ranging.interval", "ranging.immediate", "ranging.near", "log.max-size",
    "log.max-age", "log.sync",
  ]
  private static let words: Set<String> = [
    "bluetooth.authorization", "bluetooth.source", "bluetooth.scan", "bluetooth.phys[]", "location.authorization",
    "location.accuracy", "regions[].assuming", "regions[].distinguish", "log.range-log",
  ]
  private static let identities: Set<String> = [
    "bluetooth.adapters[]", "regions[].match[].ibeacon.uuid", "regions[].match[].eddystone-uid.namespace",
    "regions[].match[].eddystone-uid.instance", "regions[].match[].eddystone-url", "regions[].match[].altbeacon.id",
    "regions[].match[].address", "beacons[].match.ibeacon.uuid", "beacons[].match.address",
  ]

  /// The wrong values for a place; nil where the table above has forgotten it.
  private static func wrongValues(for path: String) -> [String]? {
    let place = pattern(path)
    if sections.contains(place) { return Kind.noScalar + ["[x]"] }
    if lists.contains(place) { return Kind.noScalar + ["{x: y}"] }
    if texts.contains(place) { return Kind.noText }
    if truths.contains(place) { return Kind.noTruth }
    if wholes.contains(place) { return Kind.noWhole }
    if numbers.contains(place) { return Kind.noNumber }
    if quantities.contains(place) { return Kind.noQuantity }
    if words.contains(place) { return Kind.noWord }
    if identities.contains(place) { return Kind.noIdentity }
    switch place {
    case "bluetooth.adapters": return Kind.noScalar + ["{x: y}", "[]"]
    // 'any' or a mapping.
    case "regions[].match[]", "beacons[].match": return Kind.noScalar + ["[x]", "{}"]
    case "location.fallback": return Kind.noWord.dropLast() + ["{}", "\"place: \""]
    case "location.fallback.place": return Kind.noText + ["nowhere"]
    default: return nil
    }
  }

  @Test func aWrongTypeIsAFaultAtItsPlaceForEveryKeyOfTheFixture() throws {
    try check(Files.allKeys)
  }

  @Test(.enabled(if: Files.normative != nil, "the normative example is not beside the package"))
  func aWrongTypeIsAFaultAtItsPlaceForEveryKeyOfTheNormativeExample() throws {
    try check(try #require(Files.normative))
  }

  private func check(_ octets: [UInt8]) throws {
    let root = try #require(try tree(octets))
    var paths: [String] = []
    root.walk { path, _ in paths.append(path) }
    #expect(paths.count > 80)
    for path in paths {
      let wrong = try #require(Self.wrongValues(for: path), "no wrong values for \(path)")
      for value in wrong where path != "" || value != "~" {
        var emitter = YAMLEmitter(replacing: path, with: value)
        emitter.emit(root)
        let mark = try #require(emitter.mark)
        let found = faults(Array(emitter.text.utf8))
        let isRight = found.contains { $0.mark == mark && $0.path == path }
        #expect(isRight, "\(path): \(value) at \(mark) gives \(found.map { $0.line(file: "") })")
        // One mistake is one fault.
        #expect(found.count == 1, "\(path): \(value) gives \(found.map { $0.line(file: "") })")
      }
    }
  }

  @Test func anUnknownKeyIsAFaultAtItsPlaceInEverySection() throws {
    let root = try #require(try tree(Files.allKeys))
    var sections: [String] = []
    root.walk { path, node in
      if case .mapping = node.content { sections.append(path) }
    }
    #expect(sections.count > 15)
    for path in sections {
      var emitter = YAMLEmitter(replacing: path, with: "{zzz: 1}")
      emitter.emit(root)
      let mark = try #require(emitter.mark)
      let place = YAMLMark(line: mark.line, column: mark.column + 1)
      let found = faults(Array(emitter.text.utf8))
      let isRight = found.contains { fault in
        fault.mark == place && fault.path == (path.isEmpty ? "zzz" : "\(path).zzz")
          && fault.line(file: "").contains("unknown key")
      }
      #expect(isRight, "\(path) gives \(found.map { $0.line(file: "") })")
    }
  }

  /// Each line of a full configuration one space further in or out: what is then read is the same, or the fault is there.
  @Test(arguments: [1, -1]) func aWrongIndentIsAFaultWhereItIs(shift: Int) throws {
    let lines = String(decoding: Files.allKeys, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let right = try Configuration(Files.allKeys)
    var refused = 0
    for (index, line) in lines.enumerated() where !line.isEmpty && (shift > 0 || line.first == " ") {
      var changed = lines
      changed[index] = shift > 0 ? " " + line : line.dropFirst()
      do throws(ConfigurationFaults) {
        let read = try Configuration(Array(changed.joined(separator: "\n").utf8))
        #expect(read.summary == right.summary, "line \(index + 1)")
      } catch {
        refused += 1
        // A line that belongs to another section may leave its own one incomplete.
        let marks = error.listed.map { $0.mark.line }
        #expect(
          marks.contains { abs($0 - index - 1) <= 1 } || marks.allSatisfy { $0 <= index + 1 }, "line \(index + 1)")
      }
    }
    #expect(refused > 30)
  }
}

/// Writes a tree as YAML in block style, one value replaced, and knows where that starts.
private struct YAMLEmitter {
  private let replaced: String
  private let replacement: String
  private(set) var text = ""
  private(set) var mark: YAMLMark?
  private var line = 1
  private var column = 1

  init(replacing path: String, with value: String) {
    replaced = path
    replacement = value
  }

  mutating func emit(_ node: YAMLNode, _ path: String = "", indentation: Int = 0) {
    if path == replaced {
      mark = YAMLMark(line: line, column: column)
      put(replacement + "\n")
      return
    }
    switch node.content {
    case .alias: break
    case .scalar(let scalar, let style):
      put(style == .plain ? scalar + "\n" : "\"\(scalar.filter { $0 != "\n" })\"\n")
    case .sequence(let elements):
      if elements.isEmpty { put("[]\n") }
      for (index, element) in elements.enumerated() {
        lead("-", to: element, "\(path)[\(index)]", indentation, isFirst: index == 0)
      }
    case .mapping(let members):
      if members.isEmpty { put("{}\n") }
      for (index, member) in members.enumerated() {
        guard case .scalar(let key, _) = member.key.content else { continue }
        lead(key + ":", to: member.value, path.isEmpty ? key : "\(path).\(key)", indentation, isFirst: index == 0)
      }
    }
  }

  /// Scalars stand behind their key, everything else below it.
  private mutating func lead(_ key: String, to node: YAMLNode, _ path: String, _ indentation: Int, isFirst: Bool) {
    put(String(repeating: " ", count: indentation - (column - 1)) + key)
    let isInline =
      switch node.content {
      case .scalar, .alias: true
      case .sequence(let elements): elements.isEmpty || path == replaced
      case .mapping(let members): members.isEmpty || path == replaced
      }
    if isInline {
      put(" ")
      emit(node, path, indentation: indentation)
    } else {
      put("\n")
      put(String(repeating: " ", count: indentation + 2))
      emit(node, path, indentation: indentation + 2)
    }
  }

  private mutating func put(_ part: String) {
    text += part
    for character in part {
      line += character == "\n" ? 1 : 0
      column = character == "\n" ? 1 : column + 1
    }
  }
}
