/// Names that are given only once in a list.
struct UniqueNames {
  private var first: [String: YAMLMark] = [:]

  /// The text of a name; notes a fault where it was given before.
  mutating func text(_ setting: Setting) -> String? {
    guard let text = setting.text() else { return nil }
    if let mark = first[text] {
      setting.fault("\(excerpt(text)) is given twice; the first is at \(mark)")
      return nil
    }
    first[text] = setting.node.mark
    return text
  }
}
