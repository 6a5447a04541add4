import CYAML

/// A YAML document as libyaml reads it.
indirect enum YAML: Equatable {
  case scalar(String)
  case sequence([YAML])
  case mapping([String: YAML])

  struct Failure: Error {
    let problem: String
    let line: Int
  }

  /// The first document of a text.
  init(parsing text: String) throws {
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) == 1 else { throw Failure(problem: "no memory", line: 0) }
    defer { yaml_parser_delete(&parser) }
    let octets = Array(text.utf8)
    self = try octets.withUnsafeBufferPointer { buffer in
      yaml_parser_set_input_string(&parser, buffer.baseAddress, buffer.count)
      guard try Self.next(&parser).type == YAML_STREAM_START_EVENT,
        try Self.next(&parser).type == YAML_DOCUMENT_START_EVENT,
        let document = try Self.node(&parser)
      else { throw Failure(problem: "no document", line: 0) }
      return document
    }
  }

  subscript(key: String) -> YAML? {
    guard case .mapping(let members) = self else { return nil }
    return members[key]
  }

  subscript(index: Int) -> YAML? {
    guard case .sequence(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  var count: Int {
    switch self {
    case .scalar: 0
    case .sequence(let elements): elements.count
    case .mapping(let members): members.count
    }
  }

  private static func next(_ parser: inout yaml_parser_t) throws -> (type: yaml_event_type_t, text: String) {
    var event = yaml_event_t()
    guard yaml_parser_parse(&parser, &event) == 1 else {
      throw Failure(problem: String(cString: parser.problem), line: Int(parser.problem_mark.line) + 1)
    }
    defer { yaml_event_delete(&event) }
    guard event.type == YAML_SCALAR_EVENT else { return (event.type, "") }
    let scalar = event.data.scalar
    return (event.type, String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self))
  }

  /// The node that starts with the next event; nil where a collection ends.
  private static func node(_ parser: inout yaml_parser_t) throws -> YAML? {
    let event = try next(&parser)
    switch event.type {
    case YAML_SCALAR_EVENT: return .scalar(event.text)
    case YAML_SEQUENCE_START_EVENT:
      var elements: [YAML] = []
      while let element = try node(&parser) { elements.append(element) }
      return .sequence(elements)
    case YAML_MAPPING_START_EVENT:
      var members: [String: YAML] = [:]
      while let key = try node(&parser) {
        guard case .scalar(let name) = key, let value = try node(&parser) else {
          throw Failure(problem: "a key that is no word", line: 0)
        }
        members[name] = value
      }
      return .mapping(members)
    default: return nil
    }
  }
}
