import Daemon
import Testing

@Suite struct YAMLDocumentTests {
  private func failureOf(_ octets: some Collection<UInt8>) -> YAMLFailure? {
    do throws(YAMLFailure) {
      _ = try tree(octets)
      return nil
    } catch {
      return error
    }
  }

  private func mark(_ text: String) -> String? { failureOf(Array(text.utf8))?.mark.description }

  @Test func everyValueKnowsWhereItStarts() throws {
    let root = try #require(try tree(Array("a: 1\nb:\n  - \"ü\": x\n    c: [1, {d: 'e'}]\n".utf8)))
    var marks: [String: String] = [:]
    root.walk { path, node in marks[path] = node.mark.description }
    #expect(
      marks == [
        "": "1:1", "a": "1:4", "b": "3:3", "b[0]": "3:5", "b[0].ü": "3:10", "b[0].c": "4:8", "b[0].c[0]": "4:9",
        "b[0].c[1]": "4:12", "b[0].c[1].d": "4:16",
      ])
  }

  @Test func scalarsKeepTheirStyle() throws {
    let root = try #require(try tree(Array("[5, \"5\", '5', ~]\n".utf8)))
    guard case .sequence(let elements) = root.content else {
      Issue.record("not a list")
      return
    }
    var styles: [YAMLNode.ScalarStyle] = []
    for element in elements {
      if case .scalar(_, let style) = element.content { styles.append(style) }
    }
    #expect(styles == [.plain, .quoted, .quoted, .plain])
    #expect(elements.map { $0.isNull } == [false, false, false, true])
  }

  @Test(arguments: ["", "# a comment\n", "\u{feff}", "\n\n"])
  func aTextWithoutADocumentHasNoRoot(text: String) throws {
    let root = try tree(Array(text.utf8))
    #expect(root == nil)
  }

  @Test func aByteOrderMarkMovesNoColumn() {
    #expect(mark("\u{feff}@") == "1:1")
  }

  @Test(
    arguments: [
      ([0x61, 0x3a, 0x20, 0xff], "1:4"), ([0x61, 0x3a, 0x0a, 0x20, 0xc3, 0xbc, 0x80], "2:3"),
      ([0x61, 0x0d, 0x0a, 0x61, 0xc3], "2:2"), ([0xff, 0xfe, 0x61, 0x00], "1:1"),
      ([0x61, 0x0d, 0xed, 0xa0, 0x80], "2:1"),
      ([0xc0, 0x80], "1:1"), ([0x61, 0x3a, 0x20, 0x00], "1:4"), ([0x61, 0x3a, 0x20, 0x1b], "1:4"),
    ] as [([UInt8], String)])
  func whatIsNoTextIsRefusedWithItsPlace(octets: [UInt8], place: String) {
    #expect(failureOf(octets)?.mark.description == place)
  }

  @Test func aSecondDocumentIsRefused() {
    #expect(mark("a: 1\n---\nb: 1\n") == "2:1")
    #expect(mark("---\na: 1\n...\n") == nil)
  }

  @Test(arguments: [
    ("\tgateway: x\n", "1:1", "tab"), ("a:\n\tb: c\n", "2:1", "tab"), ("a: @b\n", "1:4", "quotes"),
    ("a: b: c\n", "1:5", "':'"), ("a: b\n c: d\n", "2:3", "':'"), ("a:\n  b: c\n d: e\n", "3:2", "indentation"),
    ("- a\nb: c\n", "2:1", "indentation"), ("a: \"b\n", "1:4", "quote"), ("a: [b\n", "2:1", "'[' at 1:4"),
    ("a: {b: c\nd: e\n", "2:2", "'{' at 1:4"), ("ab\nc: d\n", "2:2", "':'"), ("a: b\ncd\n", "2:1", "without ':'"),
    ("a: *b c\n", "1:7", ""),
  ])
  func aSyntaxErrorHasOnePlaceAndAHint(text: String, place: String, hint: String) throws {
    let failure = try #require(failureOf(Array(text.utf8)))
    #expect(failure.mark.description == place)
    #expect(failure.problem.contains(hint))
  }

  @Test func nestingIsLimited() {
    #expect(mark(String(repeating: "[", count: 16) + String(repeating: "]", count: 16)) == nil)
    #expect(mark(String(repeating: "[", count: 17) + String(repeating: "]", count: 17)) == "1:17")
    #expect(mark(String(repeating: "{a: ", count: 200_000)) == "1:62")
    #expect(mark(String(repeating: "- ", count: 400_000)) == "1:33")
  }

  @Test func sizeAndNumberOfValuesAreLimited() {
    #expect(failureOf([UInt8](repeating: UInt8(ascii: "#"), count: YAMLDocument.longestText)) == nil)
    #expect(failureOf([UInt8](repeating: UInt8(ascii: "#"), count: YAMLDocument.longestText + 1)) != nil)
    #expect(failureOf(Array(("[" + String(repeating: "a,", count: 199_999) + "]").utf8)) == nil)
    #expect(failureOf(Array(("[" + String(repeating: "a,", count: 200_000) + "]").utf8)) != nil)
  }
}
