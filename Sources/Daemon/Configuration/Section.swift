/// The keys of one mapping of the file. A key is known when it is asked for; `finish` notes the others as faults.
struct Section {
  let path: String
  let mark: YAMLMark
  private var members: [String: YAMLNode.Member] = [:]
  /// In the order of the file.
  private var order: [String] = []
  private var known: [String] = []
  private let faults: FaultCollector

  init(_ members: [YAMLNode.Member], path: String, mark: YAMLMark, faults: FaultCollector) {
    self.path = path
    self.mark = mark
    self.faults = faults
    for member in members {
      guard case .scalar(let key, _) = member.key.content, member.key.decoration == nil else {
        faults.add("a key must be a plain word", at: member.key.mark, path: path)
        continue
      }
      if let first = self.members[key] {
        faults.add(
          "the key is given twice; the first is at \(first.key.mark)", at: member.key.mark, path: self.path(of: key))
      } else {
        self.members[key] = member
        order.append(key)
      }
    }
  }

  /// A section that is not in the file.
  init(absent path: String, faults: FaultCollector) {
    self.init([], path: path, mark: .start, faults: faults)
  }

  /// The value of a key, where it is given.
  mutating func take(_ key: String) -> Setting? {
    known.append(key)
    guard let member = members[key] else { return nil }
    return Setting(member.value, path: path(of: key), keyMark: member.key.mark, faults: faults)
  }

  /// The value of a key that must be given.
  mutating func require(_ key: String) -> Setting? {
    let setting = take(key)
    if setting == nil { missing("'\(key)' is missing") }
    return setting
  }

  /// Puts what `body` makes of a key's value into `value`; leaves it where the key is absent or its value faulty.
  mutating func read<T>(_ key: String, into value: inout T, _ body: (Setting) -> T?) {
    if let setting = take(key), let read = body(setting) { value = read }
  }

  /// Reads the keys of a section within this one; a section that is absent is read as empty.
  mutating func section<Result>(_ key: String, _ body: (inout Section) -> Result) -> Result {
    if let result = take(key)?.section(body) { return result }
    var empty = Section(absent: path(of: key), faults: faults)
    let result = body(&empty)
    empty.finish()
    return result
  }

  /// Notes a fault of the section as a whole.
  func missing(_ problem: String) {
    faults.add(problem, at: mark, path: path)
  }

  /// Notes the keys that nobody asked for.
  func finish() {
    faults.know(known, in: path)
    for key in order where !known.contains(key) {
      guard let member = members[key] else { continue }
      faults.addUnknown(key, at: member.key.mark, path: path(of: key), known: known)
    }
  }

  /// Keys that are no words are shown in quotes.
  private func path(of key: String) -> String {
    let isWord = !key.isEmpty && key.utf8.count <= 40 && key.unicodeScalars.allSatisfy { $0.isWordPart }
    return (path.isEmpty ? "" : path + ".") + (isWord ? key : excerpt(key))
  }
}

extension Unicode.Scalar {
  fileprivate var isWordPart: Bool { self == "-" || self == "_" || properties.isAlphabetic || ("0"..."9") ~= self }
}
