import Foundation
import Linux
import TestSupport
import Testing

struct OutputBufferTests {
  private static let edges: [UInt64] = {
    var edges: [UInt64] = [0, .max, .max - 1]
    var power: UInt64 = 1
    for _ in 0..<20 {
      edges += [power &- 1, power, power &+ 1]
      power = power &* 10
    }
    for bit in 0..<64 { edges += [1 << UInt64(bit), (1 << UInt64(bit)) - 1] }
    return edges
  }()

  @Test func decimalsAreThoseOfTheStandardLibrary() {
    var random = SplitMix(seed: 1)
    let values = Self.edges + (0..<20_000).map { _ in random.next() >> (random.next() % 64) }
    for value in values {
      #expect(written { $0.put(decimal: value) } == String(value))
      let signed = Int64(bitPattern: value)
      #expect(written { $0.put(decimal: signed) } == String(signed))
    }
    #expect(written { $0.put(decimal: Int8(-128)) } == "-128")
    #expect(written { $0.put(decimal: UInt8(255)) } == "255")
    #expect(written { $0.put(decimal: Int64.min) } == "-9223372036854775808")
  }

  @Test func allNumbersOfUpToFourDigitsAreRight() {
    for value: UInt64 in 0..<10_000 { #expect(written { $0.put(decimal: value) } == String(value)) }
  }

  @Test func digitsAreFilledWithZeros() {
    var random = SplitMix(seed: 2)
    for _ in 0..<5000 {
      let value = random.next() % 100_000_000
      for digits in 1...8 {
        let expected = String(String(format: "%08llu", value).suffix(digits))
        #expect(written { $0.put(decimal: value, digits: digits) } == expected)
      }
    }
  }

  @Test func hexIsThatOfTheStandardLibrary() {
    var random = SplitMix(seed: 3)
    for value in Self.edges + (0..<5000).map({ _ in random.next() }) {
      for digits in [1, 2, 3, 4, 7, 8, 9, 12, 16] {
        let expected = String(String(format: "%016llx", value).suffix(digits))
        #expect(written { $0.put(hex: value, digits: digits) } == expected)
      }
    }
  }

  @Test func octetsAreTwoHexDigitsEach() {
    var random = SplitMix(seed: 4)
    for count in 0..<70 {
      let octets = (0..<count).map { _ in UInt8(random.next() & 0xff) }
      let expected = octets.map { String(format: "%02x", $0) }.joined()
      #expect(written { output in octets.withUnsafeBytes { output.put(hex: $0) } } == expected)
    }
  }

  @Test func addressesAndUUIDsHaveTheirMarks() {
    var random = SplitMix(seed: 5)
    for _ in 0..<2000 {
      let (high, low) = (random.next(), random.next())
      let digits = String(format: "%016llx%016llx", high, low)
      func part(_ start: Int, _ count: Int) -> Substring { digits.dropFirst(start).prefix(count) }
      let uuid = [part(0, 8), part(8, 4), part(12, 4), part(16, 4), part(20, 12)].joined(separator: "-")
      #expect(written { $0.put(uuidHigh: high, low: low) } == uuid)
      let address = stride(from: 20, to: 32, by: 2).map { part($0, 2) }.joined(separator: ":")
      #expect(written { $0.put(colonHex: low) } == address)
    }
  }

  @Test func decimalsWithPlacesRoundAsTheNearest() {
    var random = SplitMix(seed: 6)
    for _ in 0..<20_000 {
      let value = random.uniform(-1e6...1e6)
      for places in [0, 1, 2, 3, 6] {
        let text = written { $0.put(fixed: value, places: places) }
        let read = Double(text)
        let unit = (0..<places).reduce(1.0) { unit, _ in unit / 10 }
        #expect(read.map { abs($0 - value) <= unit / 2 + 1e-9 } == true, "\(value) is \(text)")
        #expect(text.split(separator: ".").dropFirst().first?.count ?? 0 == places)
      }
    }
  }

  @Test(
    arguments: [
      (0.0, 1, "0.0"), (-0.0, 1, "0.0"), (-0.04, 1, "0.0"), (-0.05, 1, "-0.1"), (0.5, 0, "1"), (-0.5, 0, "-1"),
      (1.005, 2, "1.00"), (99.999, 2, "100.00"), (123_456_789.125, 3, "123456789.125"), (0.001, 3, "0.001"),
      (.nan, 2, "null"), (.infinity, 2, "null"), (-.infinity, 2, "null"), (1e300, 2, "null"),
      (.leastNonzeroMagnitude, 2, "0.00"),
      (48.858_370_1, 7, "48.8583701"), (1.5, 8, "1.50000000"),
    ] as [(Double, Int, String)])
  func decimalsWithPlacesHaveNoSurprises(_ value: Double, places: Int, text: String) {
    #expect(written { $0.put(fixed: value, places: places) } == text)
  }

  @Test func textAndOctetsAreTakenAsTheyAre() {
    #expect(written { $0.put("plain") } == "plain")
    #expect(written { $0.put(string: "Zürich \u{1f6f0}") } == "Zürich \u{1f6f0}")
    #expect(
      written { output in
        output.put("ab")
        output.pad(to: 5, from: 0)
        output.put("c")
        output.pad(to: 2, from: 0)
        output.put("d")
      } == "ab   c d")
    let nothing = written { output in
      output.put("abc")
      let (end, rest) = (output.takeBack(2), output.takeBack(99))
      #expect(end == Array("bc".utf8))
      #expect(rest == Array("a".utf8))
    }
    #expect(nothing == "")
  }

  @Test func aLineLongerThanTheBufferMakesItGrow() {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 200_000)
    let text = written { output in
      output.put("<")
      long.withUnsafeBytes { output.put($0) }
      long.withUnsafeBytes { output.put(hex: $0) }
      output.put(">")
    }
    #expect(text.utf8.count == 600_002)
    #expect(text.hasPrefix("<xxx"))
    #expect(text.hasSuffix("7878>"))
  }

  @Test func linesReachTheDescriptorInOrder() throws {
    let path = FileManager.default.temporaryDirectory.path + "/beacond-output-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    do {
      let file = try FileDescriptor(writing: path)
      var output = OutputBuffer(file)
      for number in 0..<20_000 {
        output.put(decimal: number)
        output.endLine()
      }
      let waiting = output.count
      output.flush()
      let (failure, left) = (output.failure, output.count)
      #expect(waiting < 48 << 10)
      #expect(failure == nil)
      #expect(left == 0)
    }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text == (0..<20_000).map { "\($0)\n" }.joined())
  }

  @Test func theFirstFailureToWriteIsKept() throws {
    let full = try FileDescriptor(writing: "/dev/full")
    var output = OutputBuffer(full)
    output.put("lost")
    output.flush()
    let (first, left) = (output.failure, output.count)
    output.put("lost too")
    output.flush()
    let second = output.failure
    #expect(first == SystemError("cannot write", number: ENOSPC))
    #expect(left == 0)
    #expect(second == first)
  }
}
