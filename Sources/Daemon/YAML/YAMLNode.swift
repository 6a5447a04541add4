/// A place in a YAML text; line and column count from 1, the column in characters.
package struct YAMLMark: Hashable, Comparable, Sendable {
  package let line: Int
  package let column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The first character of a text.
  package static let start = YAMLMark(line: 1, column: 1)

  package static func < (a: YAMLMark, b: YAMLMark) -> Bool { (a.line, a.column) < (b.line, b.column) }
}

extension YAMLMark: CustomStringConvertible {
  /// `12:5`.
  package var description: String { "\(line):\(column)" }
}

/// A value of a YAML document with the place where it starts.
///
/// Scalars are not resolved to numbers or truth values: who reads them knows what they have to be. Members keep the
/// order of the file, and keys that are given twice stay twice.
package struct YAMLNode: Sendable {
  /// How a scalar is written: plain `5` may be a number, `"5"` is text.
  package enum ScalarStyle: Hashable, Sendable {
    case plain
    /// In single or double quotes.
    case quoted
    /// Behind `|` or `>`.
    case block
  }

  package enum Content: Sendable {
    case scalar(String, ScalarStyle)
    case sequence([YAMLNode])
    case mapping([Member])
    /// A reference to an anchor; it is not followed.
    case alias
  }

  package struct Member: Sendable {
    package let key: YAMLNode
    package let value: YAMLNode
  }

  /// What YAML can do to a value beyond stating it.
  package enum Decoration: String, Sendable {
    case anchor, tag, alias
  }

  package let mark: YAMLMark
  package let content: Content
  package let decoration: Decoration?
  /// The line of its last character, for a scalar.
  package let lastLine: Int

  init(_ content: Content, at mark: YAMLMark, decoration: Decoration? = nil, lastLine: Int? = nil) {
    self.mark = mark
    self.content = content
    self.decoration = decoration
    self.lastLine = lastLine ?? mark.line
  }

  /// Nothing is written where the value belongs, or one of YAML's words for nothing.
  package var isNull: Bool {
    guard case .scalar(let text, .plain) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }
}

/// Why a text is not a YAML document that is read here, and where that shows.
package struct YAMLFailure: Error, Hashable, Sendable {
  package let mark: YAMLMark
  package let problem: String

  init(_ problem: String, at mark: YAMLMark) {
    self.mark = mark
    self.problem = problem
  }
}
