import BluetoothLE
import Scanning
import TestSupport
import Testing

struct HexPacketTests {
  @Test(
    arguments: [
      (hex: "04 3e 02 02 00", content: CapturedPacket.Content.hci(.event), start: 1),
      ("3e 02 02 00", .hci(.event), 0),
      ("d6 be 89 8e 40 06", .linkLayer(RadioHeader()), 0),
      ("02 01 06", .advertisement, 0),
      ("", .advertisement, 0),
      // A structure of 62 octets, not an event: its length does not fit.
      ("3e 09 61 62", .advertisement, 0),
      ("3e", .advertisement, 0),
      ("d6 be 89", .advertisement, 0),
      // A name of three octets, not an H4 octet and an event.
      ("04 09 61 62 63", .advertisement, 0),
    ] as [(hex: String, content: CapturedPacket.Content, start: Int)])
  func octetsAreRecognisedForWhatTheyAre(hex: String, content: CapturedPacket.Content, start: Int) throws {
    let octets = try kept(hex: hex)
    let packet = HexPacket.packet(octets)
    #expect(packet.content == content)
    #expect(packet.octets.array == Array(octets.array.dropFirst(start)))
    #expect(packet.record == 1)
    #expect(packet.time == nil)
  }
}
