import TestSupport
import Testing

@Test func hexTextBecomesOctets() {
  #expect(octets(hex: "04 3e\nFF") == [0x04, 0x3e, 0xff])
  #expect(octets(hex: "0") == nil)
  #expect(octets(hex: "0g") == nil)
}
