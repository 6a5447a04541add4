/// Reads a YAML text into a tree, within limits that no configuration comes near and hostile input cannot pass.
package enum YAMLDocument {
  /// Octets of a text: 1 MB, some 5,000 regions.
  package static let longestText = 1_000_000
  /// Values within values; a configuration has 7 levels.
  package static let deepestNesting = 16
  /// Keys and values in all; a text of the longest size has fewer unless it is made of brackets.
  package static let mostNodes = 200_000

  /// The root of the one document in UTF-8 octets, with or without a byte order mark; nil if there is none.
  ///
  /// Throws at the first place that is not YAML, is a second document, or passes a limit.
  package static func parse(_ octets: UnsafeRawBufferPointer) throws(YAMLFailure) -> YAMLNode? {
    guard octets.count <= longestText else {
      throw YAMLFailure("the file is larger than 1 MB, the most that is read", at: .start)
    }
    let text = octets.starts(with: [0xef, 0xbb, 0xbf]) ? UnsafeRawBufferPointer(rebasing: octets[3...]) : octets
    guard !text.isEmpty else { return nil }
    var composer = Composer(parser: try YAMLParser(text))
    return try composer.document()
  }
}

/// Makes events into a tree.
private struct Composer: ~Copyable {
  private var parser: YAMLParser
  private var nodes = 0

  init(parser: consuming YAMLParser) {
    self.parser = parser
  }

  mutating func document() throws(YAMLFailure) -> YAMLNode? {
    var root: YAMLNode?
    var documents = 0
    while true {
      let event = try parser.next()
      switch event.kind {
      case .streamEnd: return root
      case .streamStart, .documentEnd: break
      case .documentStart:
        documents += 1
        guard documents == 1 else {
          throw YAMLFailure("a second document starts; the configuration is a single one", at: event.start)
        }
      default: root = try node(event, depth: 1)
      }
    }
  }

  /// The value that starts with an event.
  private mutating func node(_ event: YAMLEvent, depth: Int) throws(YAMLFailure) -> YAMLNode {
    nodes += 1
    guard nodes <= YAMLDocument.mostNodes else {
      throw YAMLFailure("more than \(YAMLDocument.mostNodes) keys and values, the most that are read", at: event.start)
    }
    guard depth <= YAMLDocument.deepestNesting else {
      throw YAMLFailure("nested deeper than \(YAMLDocument.deepestNesting) levels", at: event.start)
    }
    let content: YAMLNode.Content
    switch event.kind {
    case .scalar(let text, let style): content = .scalar(text, style)
    case .sequenceStart: content = .sequence(try elements(depth: depth + 1))
    case .mappingStart: content = .mapping(try members(depth: depth + 1))
    default: content = .alias
    }
    return YAMLNode(content, at: event.start, decoration: event.decoration, lastLine: event.lastLine)
  }

  private mutating func elements(depth: Int) throws(YAMLFailure) -> [YAMLNode] {
    var elements: [YAMLNode] = []
    while true {
      let event = try parser.next()
      if case .sequenceEnd = event.kind { return elements }
      elements.append(try node(event, depth: depth))
    }
  }

  private mutating func members(depth: Int) throws(YAMLFailure) -> [YAMLNode.Member] {
    var members: [YAMLNode.Member] = []
    while true {
      let event = try parser.next()
      if case .mappingEnd = event.kind { return members }
      let key = try node(event, depth: depth)
      members.append(YAMLNode.Member(key: key, value: try node(try parser.next(), depth: depth)))
    }
  }
}
