import Linux

/// One thing that is wrong in a configuration file.
package struct ConfigurationFault: Hashable, Sendable {
  /// The value, or the key where that itself is wrong.
  package let mark: YAMLMark
  /// The key's full path, as `regions[0].match[2].ibeacon.uuid`, elements counted from 0; empty for the whole file.
  package let path: String
  /// What is wrong, and after a semicolon what it must be.
  package let problem: String

  /// One line for a person: `file:line:column: path: problem`.
  package func line(file: String) -> String {
    "\(file):\(mark): \(path.isEmpty ? "" : path + ": ")\(problem)"
  }
}

/// All that is wrong in a configuration file, in its order.
package struct ConfigurationFaults: Error, Sendable {
  /// More than this many are counted, not listed: nobody reads them in one go.
  package static let mostListed = 100

  package let listed: [ConfigurationFault]
  /// How many further ones there are.
  package let omitted: Int

  /// A line a fault, each ended.
  package func text(file: String) -> String {
    var text = ""
    for fault in listed { text += fault.line(file: file) + "\n" }
    if omitted > 0 { text += "and \(omitted) more\n" }
    return text
  }
}

/// Why there is no configuration.
package enum ConfigurationFailure: Error, Sendable {
  case unreadable(SystemError)
  case faulty(ConfigurationFaults)
}

/// Where the readers of a file leave its faults.
///
/// What an unknown key was meant to be is worked out at the end, when all known ones have been asked for.
final class FaultCollector {
  private enum Problem {
    case stated(String)
    case unknown(key: String, known: [String])
  }

  private var faults: [(mark: YAMLMark, path: String, problem: Problem)] = []
  /// The sections that have a key of this name.
  private var sections: [String: Set<String>] = [:]

  func add(_ problem: String, at mark: YAMLMark, path: String) {
    faults.append((mark, path, .stated(problem)))
  }

  func addUnknown(_ key: String, at mark: YAMLMark, path: String, known: [String]) {
    faults.append((mark, path, .unknown(key: key, known: known)))
  }

  /// Notes the keys that a section may have.
  func know(_ keys: [String], in section: String) {
    let section = withoutIndices(section)
    for key in keys { sections[key, default: []].insert(section) }
  }

  /// What was noted, in the order of the file; nil if nothing was.
  func all() -> ConfigurationFaults? {
    guard !faults.isEmpty else { return nil }
    // By arrival where the place is the same: sort(by:) need not be stable.
    let order = faults.indices.sorted { (faults[$0].mark, $0) < (faults[$1].mark, $1) }
    let listed = order.prefix(ConfigurationFaults.mostListed).map { index in
      let fault = faults[index]
      return ConfigurationFault(mark: fault.mark, path: fault.path, problem: text(fault.problem))
    }
    return ConfigurationFaults(listed: listed, omitted: order.count - listed.count)
  }

  private func text(_ problem: Problem) -> String {
    switch problem {
    case .stated(let text): return text
    case .unknown(_, let known) where known.isEmpty:
      return "unknown key; this version has none here"
    case .unknown(let key, let known):
      if let meant = nearest(key, in: known) { return "unknown key; did you mean '\(meant)'?" }
      if let owners = sections[key], owners.count == 1, let owner = owners.first {
        return owner.isEmpty
          ? "unknown key here; it belongs at the top level, without indentation"
          : "unknown key here; it belongs in '\(owner)'"
      }
      return "unknown key; the keys here are \(known.joined(separator: ", "))"
    }
  }

  /// `regions.match` for `regions[3].match[0]`.
  private func withoutIndices(_ path: String) -> String {
    var isIndex = false
    return String(
      path.filter { character in
        if character == "[" { isIndex = true }
        defer { if character == "]" { isIndex = false } }
        return !isIndex
      })
  }
}

/// A piece of the file for a message: in quotes, at most 40 characters, harmless on a terminal.
func excerpt(_ text: String, quote: Character = "'") -> String {
  var shown = ""
  var count = 0
  for scalar in text.unicodeScalars {
    if count == 40 {
      shown += "..."
      break
    }
    count += 1
    shown += isPrintable(scalar) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
  }
  return "\(quote)\(shown)\(quote)"
}

/// Neither a control, nor a line break, nor a mark that turns the direction of text.
func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
  default: true
  }
}
