import BluetoothLE
import EventLog
import Foundation
import Linux
import TestSupport
import Testing

struct JSONTests {
  @Test(arguments: [
    "", "plain", "\"quoted\"", "back\\slash", "tab\tand\nnewline\r", "\u{0}\u{1f}\u{7f}", "Zürich \u{1f6f0} 東京",
    "\u{2028}\u{2029}", "</script>",
  ])
  func everyStringIsReadBack(_ text: String) throws {
    let json = written { $0.put(json: text) }
    #expect(try JSONSerialization.jsonObject(with: Data("[\(json)]".utf8)) as? [String] == [text])
    #expect(json.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f })
  }

  @Test func controlCharactersAreWrittenByNumber() {
    #expect(written { $0.put(json: "a\nb\u{1b}\"\\") } == #""a\u000ab\u001b\"\\""#)
  }

  @Test func everyURLThatAFrameCanHoldIsAString() throws {
    for code in UInt8.min...UInt8.max {
      let frame = kept([0x10, 0xee, 0x03, 0x61, code])
      let structure = kept([0x08, 0x16, 0xaa, 0xfe] + frame.array)
      guard let first = Array(Frames(structure)).first else { continue }
      let json = written { $0.put(json: first) }
      let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
      #expect(object["url"] as? String == EddystoneURL.text(frame.dropping(2)))
    }
  }

  @Test func identifiersAreWrittenAsPeopleKnowThem() {
    let id = UUID128(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0f)
    #expect(written { $0.put(id) } == "00010203-0405-0607-0809-0a0b0c0d0e0f")
    #expect(written { $0.put(id) } == id.description)
    #expect(written { $0.put(namespace: id) } == "00010203040506070809")
    #expect(written { $0.put(instance: id) } == "0a0b0c0d0e0f")
    #expect(written { $0.put(DeviceAddress(0xc001_0203_0405)) } == "c0:01:02:03:04:05")
    #expect(written { $0.put(jsonHex: kept([0, 0xab])) } == "\"00ab\"")
  }
}
