import CYAML

/// One step of libyaml through a document.
struct YAMLEvent {
  enum Kind {
    case documentStart, documentEnd, streamStart, streamEnd
    case scalar(String, YAMLNode.ScalarStyle)
    case alias
    case sequenceStart, sequenceEnd, mappingStart, mappingEnd
  }

  let kind: Kind
  let start: YAMLMark
  let decoration: YAMLNode.Decoration?
  let lastLine: Int
}

/// libyaml's parser, and its only owner.
struct YAMLParser: ~Copyable {
  /// Behind a pointer, since libyaml keeps the address of the parser in the parser.
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let octets: UnsafeRawBufferPointer

  /// Starts on UTF-8 octets, which must outlive the parser and not be empty.
  init(_ octets: UnsafeRawBufferPointer) throws(YAMLFailure) {
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      throw YAMLFailure("not enough memory", at: .start)
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, octets.bindMemory(to: UInt8.self).baseAddress, octets.count)
    self.parser = parser
    self.octets = octets
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  /// The next event; nothing may follow `streamEnd` or a failure.
  mutating func next() throws(YAMLFailure) -> YAMLEvent {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw YAMLFailure(parser.pointee, octets) }
    defer { yaml_event_delete(&event) }
    var decoration: YAMLNode.Decoration?
    let kind: YAMLEvent.Kind
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      decoration = Self.decoration(anchor: scalar.anchor, tag: scalar.tag)
      let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      kind = .scalar(text, Self.style(scalar.style))
    case YAML_ALIAS_EVENT:
      decoration = .alias
      kind = .alias
    case YAML_SEQUENCE_START_EVENT:
      decoration = Self.decoration(anchor: event.data.sequence_start.anchor, tag: event.data.sequence_start.tag)
      kind = .sequenceStart
    case YAML_MAPPING_START_EVENT:
      decoration = Self.decoration(anchor: event.data.mapping_start.anchor, tag: event.data.mapping_start.tag)
      kind = .mappingStart
    case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
    case YAML_MAPPING_END_EVENT: kind = .mappingEnd
    case YAML_DOCUMENT_START_EVENT: kind = .documentStart
    case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
    case YAML_STREAM_START_EVENT: kind = .streamStart
    default: kind = .streamEnd
    }
    return YAMLEvent(
      kind: kind, start: YAMLMark(event.start_mark), decoration: decoration, lastLine: YAMLMark(event.end_mark).line)
  }

  private static func style(_ style: yaml_scalar_style_t) -> YAMLNode.ScalarStyle {
    switch style {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE, YAML_DOUBLE_QUOTED_SCALAR_STYLE: .quoted
    case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .block
    default: .plain
    }
  }

  private static func decoration(
    anchor: UnsafeMutablePointer<UInt8>?, tag: UnsafeMutablePointer<UInt8>?
  ) -> YAMLNode.Decoration? {
    anchor != nil ? .anchor : tag != nil ? .tag : nil
  }
}

extension YAMLMark {
  /// libyaml counts from 0.
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }
}

// MARK: What libyaml complains about, in words that help

extension YAMLFailure {
  fileprivate init(_ parser: yaml_parser_t, _ octets: UnsafeRawBufferPointer) {
    let problem = parser.problem.map { String(cString: $0) } ?? ""
    let mark = YAMLMark(parser.problem_mark)
    switch parser.error {
    case YAML_MEMORY_ERROR:
      self.init("not enough memory", at: .start)
    case YAML_READER_ERROR:
      var cursor = TextCursor()
      for octet in octets.prefix(parser.problem_offset) { cursor.advance(over: octet) }
      let isControl = problem.hasPrefix("control")
      self.init(
        isControl
          ? "a control character, which YAML does not allow" : "not UTF-8 (\(problem)); save the file as UTF-8",
        at: cursor.mark)
    default:
      switch problem {
      case "could not find expected ':'":
        self.init("a key without ':'; a key is followed by ':' and a space", at: YAMLMark(parser.context_mark))
      case "mapping values are not allowed in this context":
        self.init(
          "a ':' that belongs to no key; either the line is not indented like its neighbours, or text with ': ' in it "
            + "needs quotes, or a key behind a key needs braces, as in {place: depot}", at: mark)
      case "found character that cannot start any token":
        self.init(
          TextCursor.octet(at: mark, in: octets) == UInt8(ascii: "\t")
            ? "a tab; YAML is indented with spaces" : "text that starts with this character needs quotes", at: mark)
      case "did not find expected key", "did not find expected '-' indicator":
        self.init("the indentation fits nothing above it; keys of one level start in one column", at: mark)
      case "found unexpected end of stream":
        self.init("a quote that is not closed", at: YAMLMark(parser.context_mark))
      case "did not find expected ',' or ']'", "did not find expected ',' or '}'":
        let bracket = problem.hasSuffix("']'") ? "[" : "{"
        self.init("no ',' or end of the '\(bracket)' at \(YAMLMark(parser.context_mark))", at: mark)
      default:
        self.init("not YAML: \(problem)", at: mark)
      }
    }
  }
}

/// Line and column on a walk through UTF-8 octets. Line breaks are LF, CR and CR LF.
private struct TextCursor {
  private(set) var mark = YAMLMark.start
  private var previous: UInt8 = 0

  mutating func advance(over octet: UInt8) {
    let isSecondOfTwo = octet == UInt8(ascii: "\n") && previous == UInt8(ascii: "\r")
    if !isSecondOfTwo, octet == UInt8(ascii: "\n") || octet == UInt8(ascii: "\r") {
      mark = YAMLMark(line: mark.line + 1, column: 1)
    } else if !isSecondOfTwo, octet & 0xc0 != 0x80 {
      // Octets 10xxxxxx continue a character.
      mark = YAMLMark(line: mark.line, column: mark.column + 1)
    }
    previous = octet
  }

  static func octet(at mark: YAMLMark, in octets: UnsafeRawBufferPointer) -> UInt8? {
    var cursor = TextCursor()
    for octet in octets {
      if cursor.mark == mark, octet != UInt8(ascii: "\n") { return octet }
      cursor.advance(over: octet)
    }
    return nil
  }
}
