import BluetoothLE
import Daemon
import EventLog
import Linux
import Proximity

/// A time that events are asked of.
struct TimeSpan {
  let since: UnixTime?
  /// Included.
  let until: UnixTime?

  var isBounded: Bool { since != nil || until != nil }

  func isAfterEnd(_ time: UnixTime) -> Bool { until.map { time > $0 } ?? false }

  func contains(_ time: UnixTime) -> Bool { since.map { time >= $0 } ?? true && !isAfterEnd(time) }
}

/// Which lines of the log a person asked for.
struct EventFilter {
  let span: TimeSpan
  private let events: Set<EventName>?
  private let regions: Set<String>?
  private var beacons: BeaconWords?

  init(_ options: Options, _ span: TimeSpan) throws(CommandFailure) {
    self.span = span
    events = try options.value("--event").map { text throws(CommandFailure) in try Self.events(text) }
    regions = options.value("--region").map(words)
    beacons = options.value("--beacon").map { BeaconWords(words($0)) }
  }

  private static func events(_ text: String) throws(CommandFailure) -> Set<EventName> {
    var events: Set<EventName> = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let event = EventName.allCases.first(where: { $0.word.description == word }) else {
        let names = EventName.allCases.map { $0.word.description }
        let hint = nearest(String(word), in: names).map { "did you mean \($0)?" }
        let all = "it is one of \(names.joined(separator: ", "))."
        throw CommandFailure(.usage, "--event '\(word)': \(hint ?? all)")
      }
      events.insert(event)
    }
    return events
  }

  /// Whether the line is asked for. What its beginning says is looked at first: most lines are read no further.
  mutating func passes(_ line: LogLine) -> Bool {
    guard span.contains(line.time) else { return false }
    if let events {
      guard let event = line.event, events.contains(event) else { return false }
    }
    if let regions {
      guard let region = line.region, regions.contains(region) else { return false }
    }
    guard beacons != nil else { return true }
    guard let event = line.json else { return false }
    return beacons?.match(event) ?? false
  }
}

/// What a list separated by commas may mean: its parts, and itself, where a name has commas in it.
private func words(_ text: String) -> Set<String> {
  Set(text.split(separator: ",").map(String.init) + [text])
}

/// What a person calls beacons: by name, address or identity.
private struct BeaconWords {
  private let words: Set<String>
  private let addresses: Set<DeviceAddress>
  /// Identities that were looked at, and whether they are meant: most come again and again.
  private var known: [BeaconIdentity: Bool] = [:]

  init(_ words: Set<String>) {
    self.words = words
    addresses = Set(words.compactMap { DeviceAddress($0) })
  }

  /// Whether an event is about one of them, or lists one.
  mutating func match(_ event: JSONValue) -> Bool {
    if let beacon = event["beacon"] { return match(beacon: beacon) }
    var isListed = false
    event["beacons"]?.forEachElement { ranged in
      if !isListed, let beacon = ranged["beacon"] { isListed = match(beacon: beacon) }
    }
    return isListed
  }

  private mutating func match(beacon: JSONValue) -> Bool {
    if let name = beacon["name"]?.string, words.contains(name) { return true }
    if !addresses.isEmpty, let address = beacon["address"]?.string.flatMap({ DeviceAddress($0) }),
      addresses.contains(address)
    {
      return true
    }
    // Where all are addresses, the identity cannot be one.
    guard words.count > addresses.count, let identity = BeaconIdentity(beacon) else { return false }
    if let isMeant = known[identity] { return isMeant }
    let text = identity.text
    let isMeant = words.contains(text) || words.contains { text.hasSuffix(" \($0)") }
    // Senders may make up identities without end.
    if known.count >= 4096 { known.removeAll(keepingCapacity: true) }
    known[identity] = isMeant
    return isMeant
  }
}

extension BeaconIdentity {
  /// As every output for a person has it.
  fileprivate var text: String {
    var output = OutputBuffer(.standardOutput)
    output.put(text: self)
    defer { output.discard() }
    return output.withWaiting { String(decoding: $0, as: UTF8.self) }
  }
}
