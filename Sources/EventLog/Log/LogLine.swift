import BluetoothLE
import Glibc

/// One line of the event log: what every line begins with, read at once, and the rest when it is asked for.
///
/// Like its octets it is valid for one call.
package struct LogLine {
  /// Without the line end.
  package let octets: Octets
  /// The number of the event: `seq`.
  package let sequence: UInt64
  package let time: UnixTime
  /// Nil for a name that this program does not know.
  package let event: EventName?
  /// Whether the clock was kept right when the line was written.
  package let isSynchronized: Bool
  /// Where the first key behind the common ones begins, at its comma.
  private let rest: Int

  /// The line that begins like one of the log; nil for others. What follows the common keys is not looked at.
  package init?(_ octets: Octets) {
    var reader = LinePrefix(octets)
    guard reader.take(#"{"seq":"#), let sequence = reader.takeSequence(), reader.take(#","time":""#),
      let time = reader.takeTime(), reader.take(#"","event":""#), let name = reader.takePlainString(),
      reader.take(#","gateway":""#), reader.skipString()
    else { return nil }
    self.octets = octets
    self.sequence = sequence
    self.time = time
    event = EventName(name)
    isSynchronized = !reader.take(#","clock":"unsynchronized""#)
    rest = reader.index
  }

  /// Whether a power cut may not take it: everything but what is said again anyway.
  package var isDurable: Bool { event?.isDurable ?? true }

  /// The id of the region that the event is about.
  package var region: String? {
    let key: StaticString = #","region":"#
    let member = octets.dropping(rest)
    guard member.starts(with: key) else { return nil }
    var reader = LinePrefix(member)
    guard reader.take(key), reader.take("\""), reader.skipString() else { return nil }
    return JSONValue(member[key.utf8CodeUnitCount, upTo: reader.index])?.string
  }

  /// The whole line; nil where it is no JSON.
  package var json: JSONValue? { JSONValue(octets) }
}

extension EventName {
  /// Whether the event is on the disk before anybody relies on it. Lists and updates come again by themselves.
  package var isDurable: Bool {
    switch self {
    case .didRange, .didUpdateLocations, .didUpdateHeading: false
    default: true
    }
  }

  /// The event of this name.
  init?(_ name: Octets) {
    var value = 0
    while let event = Self(rawValue: value) {
      var reader = LinePrefix(name)
      if event.word.utf8CodeUnitCount == name.count, reader.take(event.word) {
        self = event
        return
      }
      value += 1
    }
    return nil
  }
}

/// Reads the beginning of a line, in the one form that the log writes.
///
/// Every line that is written, read or looked through passes here, so that it checks bounds once for each part.
private struct LinePrefix {
  let octets: Octets
  var index = 0

  init(_ octets: Octets) {
    self.octets = octets
  }

  @inline(__always)
  mutating func take(_ text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard octets.count - index >= length else { return false }
    let isEqual = octets.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memcmp($0 + index, text.utf8Start, length) == 0 } ?? false
    }
    if isEqual { index += length }
    return isEqual
  }

  /// A number from 1 to 10^19 - 1, without zeros in front.
  mutating func takeSequence() -> UInt64? {
    let start = index
    var value: UInt64 = 0
    while index < octets.count, let digit = decimalDigit(octets[index]) {
      guard index - start < 19 else { return nil }
      value = value &* 10 &+ UInt64(digit)
      index += 1
    }
    guard index > start, octets[start] != UInt8(ascii: "0") else { return nil }
    return value
  }

  /// `2026-12-01T08:30:00.125Z`.
  mutating func takeTime() -> UnixTime? {
    guard octets.count - index >= 24, let time = UnixTime(iso8601: octets[index, upTo: index + 24]) else { return nil }
    index += 24
    return time
  }

  /// The inside of a string that has no escapes, its quote behind taken.
  mutating func takePlainString() -> Octets? {
    let start = index
    guard skipString() else { return nil }
    let string = octets[start, upTo: index - 1]
    for offset in 0..<string.count where string[offset] < 0x20 || string[offset] == UInt8(ascii: "\\") { return nil }
    return string
  }

  /// Skips the inside of a string and the quote behind.
  mutating func skipString() -> Bool {
    while index < octets.count {
      switch octets[index] {
      case UInt8(ascii: "\""):
        index += 1
        return true
      case UInt8(ascii: "\\"): index += 2
      default: index += 1
      }
    }
    return false
  }
}
