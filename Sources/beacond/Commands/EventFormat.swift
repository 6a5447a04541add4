import Linux

/// How a command writes events.
enum EventFormat: String, CaseIterable {
  case auto, json, text

  /// Whether a line is for a person.
  var isText: Bool { self == .text || self == .auto && FileDescriptor.standardOutput.isTerminal }
}
