/// A value of the file with its path: asks it to be of a type, and notes a fault where it is not.
///
/// Each reading method gives nil after it noted why, once.
struct Setting {
  let node: YAMLNode
  let path: String
  /// Where its key is; for an element of a list where the element starts.
  let keyMark: YAMLMark
  let faults: FaultCollector

  init(_ node: YAMLNode, path: String, keyMark: YAMLMark, faults: FaultCollector) {
    self.node = node
    self.path = path
    self.keyMark = keyMark
    self.faults = faults
    if let decoration = node.decoration {
      fault("a YAML \(decoration.rawValue), which is not read here; write the value itself")
    }
  }

  /// Notes a fault of the value.
  func fault(_ problem: String) {
    faults.add(problem, at: node.mark, path: path)
  }

  /// Notes a fault of the key: that it stands here at all.
  func keyFault(_ problem: String) {
    faults.add(problem, at: keyMark, path: path)
  }

  /// Notes that the value is something else than `expected`.
  func mismatch(_ expected: String) {
    switch node.content {
    // Noted as a decoration already.
    case .alias: break
    case .sequence: fault("a list; must be \(expected)")
    case .mapping: fault("keys with values; must be \(expected)")
    case .scalar(let text, _):
      let found = node.isNull ? "there is no value" : excerpt(text, quote: isQuoted ? "\"" : "'")
      fault("\(found); must be \(expected)")
    }
  }

  // MARK: Collections

  /// The elements of a list.
  func list(of expected: String) -> [Setting]? {
    guard case .sequence(let nodes) = node.content else {
      mismatch("a list of \(expected)")
      return nil
    }
    return nodes.enumerated().map { index, node in
      Setting(node, path: "\(path)[\(index)]", keyMark: node.mark, faults: faults)
    }
  }

  /// Reads the value's keys; nil where it has none.
  func section<Result>(_ body: (inout Section) -> Result) -> Result? {
    guard case .mapping(let members) = node.content else {
      mismatch("keys with values")
      return nil
    }
    var section = Section(members, path: path, mark: node.mark, faults: faults)
    let result = body(&section)
    section.finish()
    return result
  }

  // MARK: Text

  /// The text of a plain or quoted scalar, whatever it looks like; nil for anything else, without a fault.
  var word: String? {
    guard case .scalar(let text, _) = node.content, !node.isNull else { return nil }
    return text
  }

  /// Text for people, on one line; what YAML takes for a number or a truth value has to be quoted.
  func text(longest: Int = 200) -> String? {
    let expected = "text"
    guard case .scalar(var text, let style) = node.content, !node.isNull else {
      mismatch(expected)
      return nil
    }
    switch style {
    case .plain:
      if looksLikeNumber(text) || looksLikeTruth(text) {
        let kind = looksLikeNumber(text) ? "a number" : "a truth value"
        fault("\(excerpt(text)) is \(kind); must be text, so write \(excerpt(text, quote: "\""))")
        return nil
      }
      guard node.lastLine == node.mark.line else {
        fault("text that goes on in the next line; indent that line like its key, or put the text in quotes")
        return nil
      }
    case .block:
      while text.last == "\n" { text.removeLast() }
    case .quoted: break
    }
    guard !text.isEmpty else {
      fault("empty; must be text")
      return nil
    }
    guard text.utf8.count <= longest else {
      fault("\(text.utf8.count) octets of text; must be at most \(longest)")
      return nil
    }
    guard text.unicodeScalars.allSatisfy(isPrintable) else {
      fault("\(excerpt(text)) holds characters that cannot be printed; must be one line of text")
      return nil
    }
    return text
  }

  /// An absolute path of a file or folder.
  func filePath() -> String? {
    // Linux takes 4095 octets (PATH_MAX less the zero octet).
    guard let text = text(longest: 4095) else { return nil }
    guard text.hasPrefix("/") else {
      fault("\(excerpt(text)) is relative; must be a path that starts with '/'")
      return nil
    }
    return text
  }

  /// One of a few words.
  func choice<T: RawRepresentable & CaseIterable>() -> T? where T.RawValue == String {
    choice(T.allCases.map { $0.rawValue }, or: nil).flatMap { T(rawValue: $0) }
  }

  /// One of a few words; `or` says what else the value may be.
  func choice(_ words: [String], or other: String?) -> String? {
    if let word, words.contains(word) { return word }
    let expected = (words + (other.map { [$0] } ?? [])).listed(by: "or")
    let meant = word.flatMap { nearest($0, in: words) }
    mismatch(expected + (meant.map { "; did you mean '\($0)'?" } ?? ""))
    return nil
  }

  // MARK: Truth and numbers

  func boolean() -> Bool? {
    if case .scalar("true", .plain) = node.content { return true }
    if case .scalar("false", .plain) = node.content { return false }
    mismatch("true or false" + (isQuoted ? ", without quotes" : ""))
    return nil
  }

  private var isQuoted: Bool {
    if case .scalar(_, .quoted) = node.content { true } else { false }
  }

  func integer(in range: ClosedRange<Int>) -> Int? {
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard let text = plainNumber(expected) else { return nil }
    guard let value = number(text[...]), !text.contains("."), value.isWhole, range.contains(Int(value)) else {
      mismatch(expected)
      return nil
    }
    return Int(value)
  }

  func decimal(in range: ClosedRange<Double>, _ meaning: String) -> Double? {
    let expected = "\(meaning), a number from \(plain(range.lowerBound)) to \(plain(range.upperBound))"
    guard let text = plainNumber(expected) else { return nil }
    guard let number = number(text[...]), range.contains(number) else {
      mismatch(expected)
      return nil
    }
    return number
  }

  /// A scalar that may be a number: a plain one.
  private func plainNumber(_ expected: String) -> String? {
    guard case .scalar(let text, let style) = node.content, !node.isNull, style == .plain else {
      mismatch(expected + (isQuoted ? ", without quotes" : ""))
      return nil
    }
    return text
  }
}

extension [String] {
  /// `a, b or c`.
  func listed(by conjunction: String) -> String {
    guard count > 1, let last else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " \(conjunction) " + last
  }
}
