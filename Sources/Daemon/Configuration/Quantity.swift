/// A kind of quantity: what its numbers count, and the units in which it may be written.
struct Quantity: Sendable {
  struct Unit: Sendable {
    let name: String
    /// In the quantity's own unit.
    let size: Double

    init(_ name: String, _ size: Double) {
      self.name = name
      self.size = size
    }
  }

  let name: String
  /// From the smallest to the largest.
  let units: [Unit]
  /// The unit that a bare number was probably meant in.
  let usual: String

  /// In milliseconds.
  static let duration = Quantity(
    name: "a duration",
    units: [Unit("ms", 1), Unit("s", 1000), Unit("min", 60_000), Unit("h", 3_600_000), Unit("d", 86_400_000)],
    usual: "s")
  /// In metres.
  static let length = Quantity(name: "a length", units: [Unit("m", 1), Unit("km", 1000)], usual: "m")
  /// In dBm.
  static let power = Quantity(name: "a power", units: [Unit("dBm", 1)], usual: "dBm")
  /// In degrees.
  static let angle = Quantity(name: "an angle", units: [Unit("deg", 1)], usual: "deg")
  /// In metres per second.
  static let speed = Quantity(name: "a speed", units: [Unit("m/s", 1)], usual: "m/s")
  /// In octets; decimal, as disks are sold.
  static let size = Quantity(
    name: "a size", units: [Unit("KB", 1000), Unit("MB", 1_000_000), Unit("GB", 1_000_000_000)], usual: "MB")
  /// In percent.
  static let share = Quantity(name: "a share", units: [Unit("%", 1)], usual: "%")

  /// A value in the largest unit in which it is a whole number of at least 1.
  func text(_ value: Double) -> String {
    let unit = units.last { value.magnitude >= $0.size && (value / $0.size).isWhole } ?? units[0]
    return "\(plain(value / unit.size)) \(unit.name)"
  }
}

extension Setting {
  /// A number with a unit, in the quantity's own unit.
  func quantity(_ quantity: Quantity, in range: ClosedRange<Double>) -> Double? {
    let units = quantity.units.map { $0.name }.joined(separator: ", ")
    let expected = "\(quantity.name) from \(quantity.text(range.lowerBound)) to \(quantity.text(range.upperBound))"
    guard let word else {
      mismatch(expected)
      return nil
    }
    let digits = word.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-" || $0 == "+") }
    let unitName = word.dropFirst(digits.count).drop { $0 == " " }
    guard let number = number(digits) else {
      mismatch(expected)
      return nil
    }
    guard !unitName.isEmpty else {
      let usual = quantity.units.first { $0.name == quantity.usual }
      let fitting = ([usual].compactMap { $0 } + quantity.units).first { range.contains(number * $0.size) }
      let example = "\(digits) \(fitting?.name ?? quantity.usual)"
      fault("\(excerpt(word)) has no unit; must be \(quantity.name), as in '\(example)' (units: \(units))")
      return nil
    }
    guard let unit = quantity.units.first(where: { $0.name == unitName }) else {
      let meant = nearest(String(unitName), in: quantity.units.map { $0.name })
      let hint = meant.map { "; did you mean '\($0)'?" } ?? ""
      fault("\(excerpt(word)) has an unknown unit; must be \(quantity.name) in \(units)\(hint)")
      return nil
    }
    let value = number * unit.size
    guard range.contains(value) else {
      mismatch(expected)
      return nil
    }
    return value
  }

  /// To the microsecond.
  func duration(in range: ClosedRange<Duration>) -> Duration? {
    quantity(.duration, in: range.lowerBound.milliseconds...range.upperBound.milliseconds).map {
      .microseconds(Int64($0 * 1000 + 0.5))
    }
  }
}

extension Duration {
  var milliseconds: Double { Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15 }

  static func hours(_ hours: Int) -> Duration { .seconds(hours * 3600) }
  static func days(_ days: Int) -> Duration { .seconds(days * 86_400) }
}

// MARK: Numbers as text

/// A decimal number: a sign, digits, and digits behind a point; nil for anything else, and for zeros in front,
/// which some readers take for octal.
func number(_ text: Substring) -> Double? {
  let unsigned = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text
  let parts = unsigned.split(separator: ".", omittingEmptySubsequences: false)
  // 30 characters are more than a Double holds.
  guard unsigned.utf8.count <= 30, (1...2).contains(parts.count),
    parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }),
    parts[0] == "0" || !parts[0].hasPrefix("0")
  else { return nil }
  return Double(text)
}

func isDigit(_ octet: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) }

/// Whether YAML's readers would take a plain scalar for a number: decimal, with an exponent, hex, octal or binary.
func looksLikeNumber(_ text: String) -> Bool {
  let unsigned = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
  if [".inf", ".nan"].contains(unsigned.lowercased()) { return true }
  guard let first = unsigned.utf8.first, isDigit(first) || first == UInt8(ascii: ".") else { return false }
  if ["0x", "0o", "0b"].contains(where: unsigned.lowercased().hasPrefix) {
    return unsigned.dropFirst(2).allSatisfy { $0.isHexDigit || $0 == "_" }
  }
  return unsigned.allSatisfy { $0.isASCII && ($0.isNumber || ".eE+-_".contains($0)) }
    && Double(unsigned.filter { $0 != "_" }) != nil
}

/// Whether YAML's readers, old ones included, would take a plain scalar for a truth value.
func looksLikeTruth(_ text: String) -> Bool {
  ["true", "false", "yes", "no", "on", "off"].contains(text.lowercased())
}

/// A number as a person writes it: without a fraction where there is none.
func plain(_ value: Double) -> String {
  value.isWhole ? "\(Int64(value))" : "\(value)"
}

extension Double {
  var isWhole: Bool { magnitude < 1e15 && Double(Int64(self)) == self }
}
