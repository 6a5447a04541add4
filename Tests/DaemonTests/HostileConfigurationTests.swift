import Daemon
import TestSupport
import Testing

@Suite struct HostileConfigurationTests {
  /// Where the beginning of a value is a value, too.
  private static let openEnded: Set<String> = [
    "gateway", "location.purpose", "location.gpsd.host", "location.gpsd.port", "location.gpsd.socket",
    "location.gpsd.device", "location.places[].name", "regions[].id", "beacons[].name", "log.folder",
    "location.places[].latitude", "location.places[].longitude", "regions[].match[].eddystone-url",
    "regions[].match[].altbeacon.id", "ranging.max-beacons",
  ]

  @Test func noTruncationOfTheFixtureCutsAValueUnnoticed() throws {
    try truncate(Files.allKeys)
  }

  @Test(.enabled(if: Files.normative != nil, "the normative example is not beside the package"))
  func noTruncationOfTheNormativeExampleCutsAValueUnnoticed() throws {
    try truncate(try #require(Files.normative))
  }

  /// Takes each beginning of a good file: where it is good, too, all of its values are whole.
  private func truncate(_ octets: [UInt8]) throws {
    var whole: [String: String] = [:]
    try tree(octets)?.walk { path, node in whole[path] = node.text }
    var accepted = 0
    for length in 0..<octets.count {
      let part = octets[..<length]
      guard faults(part).isEmpty else { continue }
      accepted += 1
      try tree(part)?.walk { path, node in
        guard let text = node.text, text != whole[path] else { return }
        #expect(Self.openEnded.contains(pattern(path)), "octets 0..<\(length): \(path) is \(text)")
      }
    }
    #expect(accepted > 50)
  }

  @Test func noChangeOfAnOctetOfTheFixtureTraps() {
    var random = SplitMix(seed: 30)
    let interesting = Array(":,[]{}#&*!|>'\"%@`-? \t\r\n~0".utf8) + [0, 0x1b, 0x80, 0xc3, 0xff]
    for _ in 0..<500 {
      var octets = Files.allKeys
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: 0..<octets.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: octets[index] = interesting.randomElement(using: &random) ?? 0
        case 1: octets.insert(interesting.randomElement(using: &random) ?? 0, at: index)
        default: octets.remove(at: index)
        }
      }
      for fault in faults(octets) {
        #expect(fault.mark.line >= 1 && fault.mark.column >= 1 && !fault.problem.isEmpty)
      }
    }
  }

  private static let hostileTexts: [String] = [
    String(repeating: "[", count: 500_000), String(repeating: "{a: ", count: 200_000),
    "gateway: " + String(repeating: "x", count: 900_000), String(repeating: "x", count: 900_000) + ": 1",
    "gateway: \"" + String(repeating: "\\e", count: 400_000) + "\"", String(repeating: "&a ", count: 300_000),
    "regions: [" + String(repeating: "a,", count: 90_000) + "]",
    "gateway: a" + String(repeating: "\n b", count: 300_000),
    (0..<60_000).map { "k\($0): 1\n" }.joined(), String(repeating: "a: 1\n", count: 90_000),
    "regions:\n" + String(repeating: "  - {id: a, each: q, x: 1}\n", count: 20_000),
    "a: &a [x]\nb: &b [" + String(repeating: "*a,", count: 90_000) + "]",
  ]

  @Test(arguments: hostileTexts)
  func hostileTextsAreRefusedQuickly(text: String) {
    let duration = ContinuousClock().measure {
      #expect(!faults(Array(text.utf8)).isEmpty)
    }
    // They take a tenth of that in a debug build; what is quadratic takes minutes.
    #expect(duration < .seconds(20))
  }

  @Test func thousandsOfRegionsAreRead() throws {
    let regions = (0..<5000).map { index in
      """
        - id: region-\(index)
          match: [{ibeacon: {uuid: 3d5f7a10-8c42-4e6b-9b7d-2f1c0a9e8d76, major: \(index)}}]
          each: true
          range: true

      """
    }
    #expect(try Configuration("regions:\n" + regions.joined()).regions.count == 5000)
  }
}

extension YAMLNode {
  fileprivate var text: String? {
    if case .scalar(let text, _) = content { text } else { nil }
  }
}
