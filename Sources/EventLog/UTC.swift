import BluetoothLE
import Linux

/// A moment in the Gregorian calendar, UTC.
package struct CivilTime: Hashable, Sendable {
  package let year: Int64
  package let month: Int
  package let day: Int
  package let hour: Int
  package let minute: Int
  package let second: Int
  package let nanosecond: Int

  package init(_ time: UnixTime) {
    let secondsPerDay: Int64 = 86_400
    var (seconds, nanoseconds) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if nanoseconds < 0 {
      nanoseconds += 1_000_000_000
      seconds -= 1
    }
    var (days, ofDay) = seconds.quotientAndRemainder(dividingBy: secondsPerDay)
    if ofDay < 0 {
      ofDay += secondsPerDay
      days -= 1
    }
    hour = Int(ofDay / 3600)
    minute = Int(ofDay / 60 % 60)
    second = Int(ofDay % 60)
    nanosecond = Int(nanoseconds)

    // Days since 0000-03-01, so that a leap day ends a year; 146,097 days are 400 years.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }
}

/// Writes times; those that share a second with one written of late share its work.
struct ISO8601Times {
  private struct Second {
    /// Since 1970.
    var number = Int64.max
    /// `2026-12-01T08:30:00.` and four more octets, in memory order.
    var text = (UInt64(0), UInt64(0), UInt64(0))
  }

  /// By the low bits of their numbers: the beacons of one list were last heard within less than a minute, mostly.
  private var seconds = ContiguousArray(repeating: Second(), count: 64)

  /// As `put(iso8601:)`.
  mutating func put(_ time: UnixTime, to output: inout OutputBuffer) {
    var (number, nanoseconds) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if nanoseconds < 0 {
      nanoseconds += 1_000_000_000
      number -= 1
    }
    let place = Int(number & 63)
    guard seconds[place].number == number else {
      let start = output.count
      output.put(iso8601: time)
      seconds[place] = output.withWaiting { Self.second(number, $0, from: start) }
      return
    }
    output.put(seconds[place].text, length: 20)
    output.put(decimal: UInt64(nanoseconds / 1_000_000), digits: 3)
    output.put("Z")
  }

  private static func second(_ number: Int64, _ text: UnsafeRawBufferPointer, from start: Int) -> Second {
    // A year of other than four digits is not kept.
    guard text.count - start == 24 else { return Second() }
    func word(_ index: Int) -> UInt64 { text.loadUnaligned(fromByteOffset: start + 8 * index, as: UInt64.self) }
    return Second(number: number, text: (word(0), word(1), word(2)))
  }
}

extension OutputBuffer {
  /// `2026-12-01T08:30:00.125Z`: ISO 8601, milliseconds cut, not rounded.
  package mutating func put(iso8601 time: UnixTime) {
    let civil = CivilTime(time)
    put(date: civil)
    put(UInt8(ascii: "T"))
    put(clock: civil)
    put(UInt8(ascii: "."))
    put(decimal: UInt64(civil.nanosecond / 1_000_000), digits: 3)
    put(UInt8(ascii: "Z"))
  }

  /// `2026-12-01`.
  package mutating func put(date civil: CivilTime) {
    if civil.year < 0 { put(UInt8(ascii: "-")) }
    put(decimal: civil.year.magnitude, digits: civil.year.magnitude > 9999 ? 6 : 4)
    put(UInt8(ascii: "-"))
    put(decimal: UInt64(civil.month), digits: 2)
    put(UInt8(ascii: "-"))
    put(decimal: UInt64(civil.day), digits: 2)
  }

  /// `08:30:00`.
  package mutating func put(clock civil: CivilTime) {
    put(decimal: UInt64(civil.hour), digits: 2)
    put(UInt8(ascii: ":"))
    put(decimal: UInt64(civil.minute), digits: 2)
    put(UInt8(ascii: ":"))
    put(decimal: UInt64(civil.second), digits: 2)
  }

  /// `1717228800.001000`: seconds since 1970, microseconds as decimals; a sign before 1970.
  package mutating func put(unixSeconds time: UnixTime) {
    // Whole microseconds of a time since 2001, as captures have them: sixteen digits.
    let whole = time.nanoseconds / 1000
    if whole >= 1_000_000_000_000_000, whole * 1000 == time.nanoseconds {
      put(sixteenDigits: UInt64(whole))
      return
    }
    let (seconds, microseconds) = time.secondsAndMicroseconds
    if time.nanoseconds < 0, seconds > 0 || microseconds > 0 { put(UInt8(ascii: "-")) }
    put(decimal: seconds)
    put(UInt8(ascii: "."))
    put(decimal: microseconds, digits: 6)
  }
}
