import BluetoothLE
import EventLog
import Proximity

/// Why a state file is not what a start can go on from.
package enum StateFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// A later program wrote it.
  case newer(version: Int)
  /// The line, counted from 1, and what is wrong with it.
  case damaged(line: Int, String)

  package var description: String {
    switch self {
    case .newer(let version): "written by a later version (format \(version), this one reads \(SavedState.version))"
    case .damaged(let line, let problem): "line \(line): \(problem)"
    }
  }
}

extension SavedState {
  /// Reads what `text` gives; anything else is refused whole.
  package init(_ text: UnsafeRawBufferPointer) throws(StateFault) {
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.count >= 3, lines.last?.isEmpty == true else { throw .damaged(line: lines.count, "the file is cut") }
    lines.removeLast()
    self = try Self.head(try Self.value(lines[0], line: 1))
    for index in lines.indices.dropFirst().dropLast() {
      let value = try Self.value(lines[index], line: index + 1)
      guard take(value) else { throw .damaged(line: index + 1, "not what this version writes") }
    }
    let last = lines[lines.count - 1]
    let end = try Self.value(last, line: lines.count)
    guard end["lines"]?.integer == Int64(lines.count - 2) else {
      throw .damaged(line: lines.count, "lines are missing")
    }
    guard end["check"]?.integer == Int64(Self.check(text[..<last.startIndex])) else {
      throw .damaged(line: lines.count, "the lines are not those that were written")
    }
  }

  private static func value(_ line: Slice<UnsafeRawBufferPointer>, line number: Int) throws(StateFault) -> JSONValue {
    guard let value = JSONValue(Octets(UnsafeRawBufferPointer(rebasing: line))) else {
      throw .damaged(line: number, "not JSON")
    }
    return value
  }

  private static func head(_ value: JSONValue) throws(StateFault) -> SavedState {
    guard let version = value["beacond-state"]?.integer else { throw .damaged(line: 1, "not the state of beacond") }
    guard version <= Self.version else { throw .newer(version: Int(version)) }
    guard version >= 1 else { throw .damaged(line: 1, "not what this version writes") }
    guard let utc = value["unixNanoseconds"]?.integer, let isSynchronized = value["synchronized"]?.boolean,
      let boot = value["boot"]?.string, let sinceBoot = value["sinceBoot"]?.integer,
      let sequence = value["seq"]?.integer, sequence >= 0, let isFinal = value["final"]?.boolean
    else { throw .damaged(line: 1, "not what this version writes") }
    let moment = Moment(
      utc: UnixTime(nanoseconds: utc), isSynchronized: isSynchronized, boot: boot, sinceBoot: sinceBoot)
    return SavedState(EngineState(), at: moment, after: UInt64(sequence), isFinal: isFinal)
  }

  /// Takes in a line; false if it is none.
  private mutating func take(_ value: JSONValue) -> Bool {
    if let id = value["region"]?.string { return take(region: value, id) }
    if value["beacon"] != nil {
      guard let beacon = SavedBeacon(value) else { return false }
      engine.beacons.append(beacon)
      return true
    }
    guard let fix = value["fix"].flatMap({ Fix($0) }), let age = value["age"]?.integer else { return false }
    engine.fix = SavedFix(fix, age: age)
    return true
  }

  private mutating func take(region value: JSONValue, _ id: String) -> Bool {
    guard let each = value["each"]?.boolean, let state: RegionState = value["state"]?.word(\.word) else {
      return false
    }
    engine.regions.append(SavedRegion(id: id, each: each, inside: value["inside"]?.integer, state: state))
    if let definition = value["definition"]?.string {
      definitions[id] = Definition(definition, isAdded: value["added"]?.boolean ?? false)
    }
    return true
  }
}

extension SavedBeacon {
  fileprivate init?(_ value: JSONValue) {
    guard let identity = value["beacon"].flatMap({ BeaconIdentity($0) }), let age = value["age"]?.integer,
      let silence = value["silence"]?.integer, let gaps = value["gaps"]?.integer,
      let meanGap = value["meanGap"]?.number, let level = value["level"]?.number,
      let weight = value["levelWeight"]?.number,
      let rhythm = Rhythm(gaps: Int(clamping: gaps), meanGap: meanGap, longTermLevel: level, levelWeight: weight)
    else { return nil }
    self.init(identity, age: age, silence: silence, rhythm: rhythm)
    address = value["address"]?.string.flatMap { DeviceAddress($0) }
    advertisedPower = value["power"]?.integer.map { Int(clamping: $0) }
    guard let parts = value["regions"], parts.isArray else { return nil }
    var isSound = true
    parts.forEachElement { part in
      guard let id = part["id"]?.string, let membership = SavedMembership(part) else {
        isSound = false
        return
      }
      memberships[id] = membership
    }
    guard isSound else { return nil }
  }
}

extension SavedMembership {
  fileprivate init?(_ value: JSONValue) {
    guard let state: RegionState = value["state"]?.word(\.word), let isPresent = value["present"]?.boolean else {
      return nil
    }
    self.init(
      inside: value["inside"]?.integer, state: state, isPresent: isPresent, left: value["left"]?.integer)
  }
}

extension Fix {
  fileprivate init?(_ value: JSONValue) {
    guard let latitude = value["latitude"]?.number, let longitude = value["longitude"]?.number,
      let coordinate = Coordinate(latitude: latitude, longitude: longitude), let accuracy = value["accuracy"]?.number,
      let source: Source = value["source"]?.word(\.word)
    else { return nil }
    self.init(
      coordinate, accuracy: accuracy, altitude: value["altitude"]?.number, speed: value["speed"]?.number,
      course: value["course"]?.number, from: source)
  }
}
