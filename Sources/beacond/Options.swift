import Daemon

/// The arguments of a command, sorted into flags, options with a value, and the rest.
struct Options {
  private(set) var positional: [String] = []
  private var flags: Set<String> = []
  private var values: [String: String] = [:]

  /// An option's value follows it or an equals sign; `--` ends the options.
  init(_ arguments: [String], flags known: [String] = [], values valued: [String] = []) throws(CommandFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        positional += rest
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        positional.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if valued.contains(name) {
        guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
          throw CommandFailure(.usage, "\(name) wants a value.")
        }
        values[name] = value
      } else if known.contains(name), parts.count == 1 {
        flags.insert(name)
      } else {
        let hint = nearest(name, in: known + valued).map { "; did you mean \($0)?" } ?? "."
        throw CommandFailure(.usage, "no option \(name)\(hint)")
      }
    }
  }

  func has(_ flag: String) -> Bool { flags.contains(flag) }

  /// The value of an option; nil where it is not given.
  func value(_ option: String) -> String? { values[option] }

  /// The value of an option that takes one of a few words.
  func choice<T: RawRepresentable & CaseIterable>(_ option: String, default standard: T) throws(CommandFailure) -> T
  where T.RawValue == String {
    guard let word = values[option] else { return standard }
    guard let value = T(rawValue: word) else {
      let words = T.allCases.map { $0.rawValue }.joined(separator: ", ")
      throw CommandFailure(.usage, "\(option) '\(word)': it is one of \(words).")
    }
    return value
  }

  /// The value of an option that takes a duration, as 100ms, 30s or 5min, in seconds.
  func duration(_ option: String) throws(CommandFailure) -> Double? {
    guard let text = values[option] else { return nil }
    guard let seconds = Self.seconds(text), seconds < 1e6 else {
      throw CommandFailure(.usage, "\(option) '\(text)': it is a duration, as 100ms, 30s or 5min.")
    }
    return seconds
  }

  /// The value of an option that takes a size, as 500KB, 20 MB or 1GB, in octets.
  func size(_ option: String) throws(CommandFailure) -> Int64? {
    guard let text = values[option] else { return nil }
    let units: [Substring: Double] = ["KB": 1e3, "MB": 1e6, "GB": 1e9]
    guard let size = Self.quantity(text, units), size >= 1000, size <= 1e15 else {
      throw CommandFailure(.usage, "\(option) '\(text)': it is a size from 1 KB on, as 500KB, 20MB or 1GB.")
    }
    return Int64(size)
  }

  /// The seconds of a duration above 0, as 100ms, 30s, 5min, 2h or 3d; nil for any other text.
  static func seconds(_ text: String) -> Double? {
    quantity(text, ["ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86_400])
  }

  /// A number above 0 with one of the units, times that.
  private static func quantity(_ text: String, _ units: [Substring: Double]) -> Double? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text.dropFirst(number.count).drop { $0 == " " }
    guard let value = Double(number), let factor = units[unit], value > 0 else { return nil }
    return value * factor
  }
}
