import BluetoothLE
import EventLog
import Linux

extension Options {
  /// The value of an option that takes a time, or how long ago. A date alone is its first moment, or with `isEnd` its
  /// last.
  func time(_ option: String, isEnd: Bool = false) throws(CommandFailure) -> UnixTime? {
    guard let text = value(option) else { return nil }
    if let seconds = Self.seconds(text) {
      let ago = WallClock.now.subtractingReportingOverflow(Int64(min(seconds * 1e9, 9e18)))
      return UnixTime(nanoseconds: ago.overflow ? .min : ago.partialValue)
    }
    guard let time = UnixTime(option: text, isEnd: isEnd) else {
      throw CommandFailure(
        .usage,
        "\(option) '\(text)': it is a UTC time, as 2026-12-01T08:30 or 2026-12-01T08:30:00.125Z, "
          + "a date, as 2026-12-01, or how long ago, as 90s, 10min, 2h or 3d.")
    }
    return time
  }
}

extension UnixTime {
  /// `2026-12-01`, or that with `T08:30`, `T08:30:00` or `T08:30:00.125` and `Z` or none. UTC.
  fileprivate init?(option text: String, isEnd: Bool) {
    var octets = Array(text.utf8)
    let isDate = octets.count == 10
    if isDate {
      octets += "T00:00".utf8
    } else if octets.last == UInt8(ascii: "Z") {
      octets.removeLast()
    }
    if octets.count == 16 { octets += ":00".utf8 }
    if octets.count == 19 { octets.append(UInt8(ascii: ".")) } else if octets.count == 20 { return nil }
    // Of the fraction, nanoseconds count.
    guard (20...29).contains(octets.count) else { return nil }
    octets += repeatElement(UInt8(ascii: "0"), count: 29 - octets.count)
    let digits = octets[23...]
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    let rest = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    octets[23...] = [UInt8(ascii: "Z")]
    guard let time = octets.withUnsafeBytes({ UnixTime(iso8601: Octets($0)) }) else { return nil }
    let day: Int64 = 86_400_000_000_000
    let (sum, overflow) = time.nanoseconds.addingReportingOverflow(rest + (isDate && isEnd ? day - 1 : 0))
    self.init(nanoseconds: overflow ? .max : sum)
  }
}
