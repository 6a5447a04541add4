import BluetoothLE
import Proximity
import Scanning
import TestSupport
import Testing

struct RecordingNoteTests {
  private static let notes: [RecordingNote] = [
    .start(isClockSynchronized: true),
    .start(isClockSynchronized: false),
    .clock(UnixTime(microseconds: 1_764_547_200_000_001), isSynchronized: true),
    .clock(UnixTime(microseconds: -5), isSynchronized: false),
    .scanner(ScannerReport(.scanning, name: "fa:1e:00:00:00:01", reason: "started")),
    .scanner(ScannerReport(.degraded, name: "hci0", reason: "two  blanks, é and 漢", reportsPerSecond: 0.1)),
    .scanner(ScannerReport(.stopped, name: "hci0", reason: "", reportsPerSecond: 1234.5678)),
    .proof, .heard, .end,
    .authorization(Authorization(.bluetooth, .restricted, reason: "no adapter; plug one in")),
    .authorization(Authorization(.location, .whenInUse, reason: "")),
  ]

  private static func read(_ text: [UInt8]) -> RecordingNote? { text.withUnsafeBytes { RecordingNote(Octets($0)) } }

  @Test(arguments: notes) func aNoteIsReadAsItWasWritten(note: RecordingNote) {
    #expect(Self.read(Array(note.text.utf8) + [0]) == note)
    #expect(Self.read(Array(note.text.utf8)) == note)
  }

  @Test func aReasonOfSeveralLinesIsOne() {
    let report = ScannerReport(.stopped, name: "hci0", reason: "a\nb\u{1}c\u{0}d")
    let told = ScannerReport(.stopped, name: "hci0", reason: "a b c d")
    #expect(Self.read(Array(RecordingNote.scanner(report).text.utf8)) == .scanner(told))
  }

  @Test func aLongReasonIsCut() throws {
    let note = RecordingNote.scanner(
      ScannerReport(.stopped, name: "hci0", reason: String(repeating: "é", count: 4000)))
    let octets = Array(note.text.utf8)
    #expect(octets.count <= RecordingNote.longest)
    guard case .scanner(let report) = try #require(Self.read(octets + [0])) else {
      Issue.record("another note")
      return
    }
    #expect(report.reason.hasPrefix("éé") && report.reason.count > 400)
  }

  @Test(
    arguments: [
      "", "beacond:", "beacond: ", "beacond: start", "beacond: start later", "beacond: START synchronized",
      "beacond: clock", "beacond: clock 1", "beacond: clock x synchronized", "beacond: clock 1 synchronized more",
      "beacond: clock 99999999999999999999 synchronized", "beacond: scanner", "beacond: scanner idle hci0 - x",
      "beacond: scanner stopped hci0 x y", "beacond: scanner stopped hci0 nan y", "beacond: scanner stopped hci0 -1 y",
      "beacond: scanner stopped hci0 inf y", "beacond: scanner stopped", "beacond: proof 1", "beacond: end now",
      "beacond: authorization radio denied x", "beacond: authorization bluetooth never x",
      "beacond: authorization bluetooth denied", "Linux version 6.1", " beacond: proof",
    ]) func whatIsNoneIsNone(text: String)
  {
    #expect(Self.read(Array(text.utf8)) == nil)
  }

  @Test func anythingIsReadWithoutATrap() {
    var random = SplitMix(seed: 7)
    for note in Self.notes {
      for _ in 0..<300 {
        var octets = Array(note.text.utf8)
        for _ in 0...(random.next() % 3) {
          octets[Int(random.next() % UInt64(octets.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        octets.removeLast(Int(random.next() % UInt64(octets.count)))
        if let read = Self.read(octets) { #expect(Self.read(Array(read.text.utf8)) == read) }
      }
    }
    #expect(Self.read(Array("beacond: proof".utf8) + [UInt8](repeating: 0, count: 2000)) == nil)
  }
}
