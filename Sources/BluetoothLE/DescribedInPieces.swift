/// A description given piece by piece: written so, it needs no memory of its own.
public protocol DescribedInPieces: CustomStringConvertible {
  /// Calls `put` with each piece in its order: a literal, or a number's digits, which are short enough to need no heap.
  func describe(_ put: (String) -> Void)
}

extension DescribedInPieces {
  public var description: String {
    var text = ""
    describe { text += $0 }
    return text
  }
}
