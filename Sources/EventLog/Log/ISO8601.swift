import BluetoothLE

extension UnixTime {
  /// The time that a text of 24 octets as `2026-12-01T08:30:00.125Z` says; nil for any other, for what no calendar
  /// has, and for years that are not told apart.
  ///
  /// It is the form that every line has, so that texts compare as times do.
  package init?(iso8601 text: Octets) {
    guard text.count == 24, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      text[19] == UInt8(ascii: "."), text[23] == UInt8(ascii: "Z")
    else { return nil }
    guard let century = twoDigits(text, at: 0), let ofCentury = twoDigits(text, at: 2),
      let month = twoDigits(text, at: 5), let day = twoDigits(text, at: 8), let hour = twoDigits(text, at: 11),
      let minute = twoDigits(text, at: 14), let second = twoDigits(text, at: 17),
      let hundredths = twoDigits(text, at: 20), let thousandth = decimalDigit(text[22])
    else { return nil }
    let year = century * 100 + ofCentury
    guard (1...12).contains(month), day >= 1, day <= daysInMonth(month, of: year), hour < 24, minute < 60, second < 60
    else { return nil }
    let seconds = daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    // What 64 bits of nanoseconds hold, which is from 1677 to 2262.
    guard seconds.magnitude < 9_223_372_036 else { return nil }
    self.init(seconds: seconds, fraction: (hundredths * 10 + Int64(thousandth)) * 1_000_000)
  }
}

private func twoDigits(_ text: Octets, at index: Int) -> Int64? {
  guard let tens = decimalDigit(text[index]), let ones = decimalDigit(text[index + 1]) else { return nil }
  return Int64(tens) * 10 + Int64(ones)
}

private func daysInMonth(_ month: Int64, of year: Int64) -> Int64 {
  if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
  // Long are 1, 3, 5, 7 and 8, 10, 12.
  return 30 + (month + month / 8) % 2
}

/// The other way round of `CivilTime`: years begin in March, so that a leap day ends one.
private func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
  let shiftedYear = month <= 2 ? year - 1 : year
  let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
  let yearOfEra = shiftedYear - era * 400
  let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}
