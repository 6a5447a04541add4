import BluetoothLE

extension JSONValue {
  /// The case whose word the string is.
  package func word<Case: CaseIterable>(_ word: (Case) -> StaticString) -> Case? {
    Case.allCases.first { word($0).withUTF8Buffer { isString(UnsafeRawBufferPointer($0)) } }
  }

  /// The case whose raw value the string is.
  package func choice<Case: RawRepresentable>() -> Case? where Case.RawValue == String {
    string.flatMap { Case(rawValue: $0) }
  }

  /// The number, rounded to so many decimals, at most 8: what was written with them is read as the same digits. Nil for a
  /// number so large that a Double does not tell all of them apart.
  func fixed(_ places: Int) -> Double? {
    guard let number else { return nil }
    var unit = 1.0
    for _ in 0..<places { unit *= 10 }
    // A quarter of the last unit is left to the errors of rounding.
    guard number.magnitude * unit < 1e15 else { return nil }
    return (number * unit).rounded() / unit
  }

  /// The time that a string as `2026-12-01T08:30:00.125Z` says.
  package var time: UnixTime? {
    guard var string else { return nil }
    return string.withUTF8 { UnixTime(iso8601: Octets(UnsafeRawBufferPointer($0))) }
  }

  /// The member with this name, read by `body`; nil where that cannot, `.some(nil)` where there is no member.
  func optional<Value>(_ name: String, _ body: (JSONValue) -> Value?) -> Value?? {
    guard let member = self[name] else { return .some(nil) }
    return body(member).map { .some($0) }
  }
}
