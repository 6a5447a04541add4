import BluetoothLE
import Simulation
import TestSupport
import Testing

/// What is encoded is read again by the decoder.
struct BeaconFrameTests {
  private let id = UUID128(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c_0d0e_0f10)

  /// The one frame of an advertisement that fits into a legacy one.
  private func read<Value>(_ frame: BeaconFrame, _ value: (Frame) -> Value?) -> Value? {
    let advertisement = frame.advertisement
    guard advertisement.count <= 31 else { return nil }
    return advertisement.withUnsafeBytes { octets in
      var frames = Frames(Octets(octets))
      return frames.next().flatMap(value)
    }
  }

  @Test func iBeacon() throws {
    let frame = BeaconFrame.iBeacon(uuid: id, major: 0x1234, minor: 0xfedc, power: -59)
    let read = try #require(read(frame) { if case .iBeacon(let frame) = $0 { frame } else { nil } })
    #expect(read.uuid == id && read.major == 0x1234 && read.minor == 0xfedc && read.measuredPower == -59)
  }

  @Test func altBeacon() throws {
    let frame = BeaconFrame.altBeacon(manufacturer: 0x0118, organization: id, unit: 0x1122_3344, power: -61)
    let read = try #require(read(frame) { if case .altBeacon(let frame) = $0 { frame } else { nil } })
    #expect(read.manufacturer == 0x0118 && read.organization == id && read.unit == 0x1122_3344)
    #expect(read.referenceRSSI == -61)
  }

  @Test func eddystoneUID() throws {
    let read = try #require(
      read(.eddystoneUID(id, power: -18)) { if case .eddystoneUID(let frame) = $0 { frame } else { nil } })
    #expect(read.id == id && read.power == -18 && read.reserved == 0)
  }

  @Test func eddystoneEID() throws {
    let frame = BeaconFrame.eddystoneEID(0x3d5f_90c1_7ae2_46b8, power: 4)
    let read = try #require(read(frame) { if case .eddystoneEID(let frame) = $0 { frame } else { nil } })
    #expect(read.eid == 0x3d5f_90c1_7ae2_46b8 && read.power == 4)
  }

  @Test func eddystoneTLM() throws {
    let frame = BeaconFrame.eddystoneTLM(
      millivolts: 2900, temperature256: -640, count: 0x8000_0001, deciseconds: 0x7fff_fffe)
    let read = try #require(read(frame) { if case .eddystoneTLM(let frame) = $0 { frame } else { nil } })
    #expect(read.battery == 2.9 && read.temperature == -2.5)
    #expect(read.advertisingCount == 0x8000_0001 && read.deciseconds == 0x7fff_fffe)
  }

  private static let urls: [(String, [UInt8])] = [
    ("https://example.org/lobby", coded(0x03, "example", 0x01, "lobby")),
    ("http://www.example.com", coded(0x00, "example", 0x07, "")),
    ("https://www.a.info/b", coded(0x01, "a", 0x04, "b")),
    ("http://go.com.net", [0x02, 0x67, 0x6f, 0x07, 0x0a]),
  ]

  private static func coded(_ scheme: UInt8, _ host: String, _ code: UInt8, _ path: String) -> [UInt8] {
    var octets = [scheme]
    octets += host.utf8
    octets.append(code)
    octets += path.utf8
    return octets
  }

  @Test(arguments: urls)
  func aURLIsEncodedInItsShortestFormAndReadAgain(url: String, encoded: [UInt8]) throws {
    #expect(EddystoneURL.encoded(url) == encoded)
    let text = read(.eddystoneURL(encoded, power: -20)) { frame -> String? in
      guard case .eddystoneURL(let frame) = frame, frame.power == -20 else { return nil }
      return EddystoneURL.text(frame.encoded)
    }
    #expect(text == url)
  }

  @Test(arguments: [
    "example.org", "ftp://example.org", "https://example.org/a b", "https://exämple.org",
    "https://example.org/a/long/way",
  ])
  func aURLThatDoesNotGoIntoAFrameIsRefused(url: String) {
    #expect(EddystoneURL.encoded(url) == nil)
  }
}
