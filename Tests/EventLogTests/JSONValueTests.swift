import BluetoothLE
import EventLog
import Foundation
import TestSupport
import Testing

struct JSONValueTests {
  private func parsed(_ text: String) -> JSONValue? { JSONValue(kept(Array(text.utf8))) }

  @Test func everyKindOfValueIsReadWhereItStands() throws {
    let text = #" { "a" : [ 1 , -2.5e3 , true , false , null , "x" ] , "b" : { "c" : { } } , "a" : 9 } "#
    let value = try #require(parsed(text))
    let array = try #require(value["a"])
    #expect(value.isObject && array.isArray)
    #expect(array[0]?.unsigned == 1)
    #expect(array[1]?.number == -2500)
    #expect(array[1]?.unsigned == nil)
    #expect(array[2]?.boolean == true && array[3]?.boolean == false)
    #expect(array[4]?.isNull == true)
    #expect(array[5]?.string == "x")
    #expect(array[6] == nil && value["d"] == nil && array["a"] == nil && value[0] == nil)
    #expect(value["b"]?["c"]?.isObject == true)
  }

  @Test(arguments: [
    #""\"\\\/\b\f\n\r\t""#, #""\u0041\u00e9\u20AC\ud83d\ude00""#, #""Zürich 東京""#, #""""#,
  ])
  func stringsAreWhatFoundationReads(_ text: String) throws {
    let expected = try #require(try JSONSerialization.jsonObject(with: Data("[\(text)]".utf8)) as? [String])
    #expect(parsed(text)?.string == expected[0])
  }

  @Test func halfASurrogatePairIsReplaced() {
    #expect(parsed(#""\ud83dx\ude00\ud83d\u0041""#)?.string == "\u{fffd}x\u{fffd}\u{fffd}A")
  }

  @Test func aNameWithEscapesIsFound() {
    #expect(parsed(#"{"\u0061":1}"#)?["a"]?.unsigned == 1)
  }

  @Test func wholeNumbersAreExactUpToTheLargest() {
    #expect(parsed("18446744073709551615")?.unsigned == .max)
    #expect(parsed("18446744073709551616")?.unsigned == nil)
    #expect(parsed("0")?.unsigned == 0)
  }

  @Test(arguments: [
    "", " ", "{", "}", "[1,]", "[,1]", "{\"a\":1,}", "{\"a\"}", "{a:1}", "{\"a\":1 \"b\":2}", "01", "-", "1.", ".5",
    "+1",
    "1e", "1e+", "0x1", "NaN", "tru", "nulll", "\"", "\"\\x\"", "\"\\u12g4\"", "\"\u{1}\"", "\"\t\"", "[1] 2", "'a'",
    "[1}", "{\"a\":1]", "\u{feff}1", "/**/1",
  ])
  func whatIsNoJSONIsRefused(_ text: String) {
    #expect(parsed(text) == nil)
  }

  @Test(
    arguments: [
      [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xc3], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80], [0xf0, 0x8f, 0xbf, 0xbf],
      [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82], [0xff],
    ] as [[UInt8]])
  func whatIsNoUTF8IsRefused(_ octets: [UInt8]) {
    let quote = UInt8(ascii: "\"")
    #expect(JSONValue(kept([quote] + octets + [quote])) == nil)
    #expect(JSONValue(kept([quote] + octets)) == nil)
  }

  @Test func depthIsLimited() {
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(parsed(nested(16)) != nil)
    #expect(parsed(nested(17)) == nil)
    #expect(parsed(nested(1_000_000)) == nil)
  }

  /// Text with octets changed at random: either both take it, or neither.
  @Test func foundationAgreesWhatIsJSON() throws {
    var random = SplitMix(seed: 2)
    let text = Array(#"{"a":[1,-2.5e+3,true,"é\n\u20ac"],"b":{"c":null,"d":"x"}}"#.utf8)
    let alphabet = Array("{}[],:\"\\ntrue0123456789.eE+-\u{1}é ".utf8)
    var taken = 0
    for _ in 0..<20_000 {
      var octets = text
      for _ in 0...random.next() % 2 {
        octets[Int(random.next() % UInt64(octets.count))] = alphabet[Int(random.next() % UInt64(alphabet.count))]
      }
      // Foundation takes what RFC 8259 leaves open: numbers beyond a Double, names that are there twice, halves of surrogates.
      let isJSON = (try? JSONSerialization.jsonObject(with: Data(octets), options: .fragmentsAllowed)) != nil
      let isTaken = withMemory(octets) { JSONValue($0) != nil }
      #expect(isTaken == isJSON, "\(String(decoding: octets, as: UTF8.self))")
      taken += isTaken ? 1 : 0
    }
    #expect(taken > 1000 && taken < 19_000)
  }
}
