import BluetoothLE
import EventLog
import Foundation
import Linux
import TestSupport
import Testing

struct LogLineTests {
  private let line =
    #"{"seq":4711,"time":"2026-12-01T08:30:00.125Z","event":"didEnter","gateway":"te\"st","region":"h\u0061ll","scope":"region"}"#

  @Test func whatEveryLineBeginsWithIsRead() throws {
    let line = try #require(LogLine(kept(Array(line.utf8))))
    #expect(line.sequence == 4711)
    #expect(line.time == logTime(125))
    #expect(line.event == .didEnter)
    #expect(line.isSynchronized)
    #expect(line.isDurable)
    #expect(line.region == "hall")
    #expect(line.json?["scope"]?.string == "region")
  }

  @Test func aLineOfAClockThatIsNotKeptRightSaysSo() throws {
    let text = logLine(7, isSynchronized: false).dropLast()
    let line = try #require(LogLine(kept(Array(text.utf8))))
    #expect(!line.isSynchronized)
    #expect(line.region == "hall")
  }

  @Test(arguments: EventName.allCases) func everyEventIsKnownByItsName(_ event: EventName) throws {
    let text = logLine(1, event.word.description).dropLast()
    let line = try #require(LogLine(kept(Array(text.utf8))))
    #expect(line.event == event)
    #expect(line.isDurable == ![.didRange, .didUpdateLocations, .didUpdateHeading].contains(event))
  }

  @Test func anEventOfALaterVersionIsDurable() throws {
    let line = try #require(LogLine(kept(Array(logLine(1, "didBloom").utf8.dropLast()))))
    #expect(line.event == nil)
    #expect(line.isDurable)
  }

  @Test func noLineHasARegionThatItDoesNotName() throws {
    let text = #"{"seq":1,"time":"2026-12-01T08:30:00.000Z","event":"scannerDidChange","gateway":"g","adapter":"hci0"}"#
    let line = try #require(LogLine(kept(Array(text.utf8))))
    #expect(line.region == nil)
  }

  @Test func aCutLineIsNoJSON() {
    let octets = Array(line.utf8)
    for length in 0..<octets.count {
      #expect(LogLine(kept(Array(octets[..<length])))?.json == nil, "\(length) octets")
    }
  }

  @Test(arguments: [
    "0", "01", "-1", "1.0", "1e3", "99999999999999999999", " 1", "",
  ])
  func aNumberThatNoEventHasIsRefused(_ number: String) {
    #expect(LogLine(kept(Array(line.replacingOccurrences(of: "4711", with: number).utf8))) == nil)
  }

  @Test(arguments: [
    "2026-13-01T08:30:00.125Z", "2026-00-01T08:30:00.125Z", "2026-02-29T08:30:00.125Z", "2026-04-31T08:30:00.125Z",
    "2026-12-00T08:30:00.125Z", "2026-12-01T24:30:00.125Z", "2026-12-01T08:60:00.125Z", "2026-12-01T08:30:60.125Z",
    "2026-12-01 08:30:00.125Z", "2026-12-01T08:30:00.125+", "2026-12-01T08:30:00,125Z", "2026-12-01T08:30:00.12Z",
    "2026-12-01T08:30:00.1255Z", "1013-12-01T08:30:00.125Z", "2300-12-01T08:30:00.125Z",
  ])
  func aTimeThatNoCalendarHasIsRefused(_ time: String) {
    #expect(
      LogLine(kept(Array(line.replacingOccurrences(of: "2026-12-01T08:30:00.125Z", with: time).utf8))) == nil)
  }

  @Test func everyTimeThatIsWrittenIsReadBack() {
    var random = SplitMix(seed: 1)
    for index in 0..<20_000 {
      // Every twentieth day from 1696 to 2243, and any millisecond of the years about 1970.
      let days = day(Int64(index) * 20) - day(100_000)
      let milliseconds = index < 10_000 ? days : Int64(random.next() >> 22) - 1 << 41
      let time = UnixTime(nanoseconds: milliseconds * 1_000_000)
      let text = written { $0.put(iso8601: time) }
      #expect(UnixTime(iso8601: kept(Array(text.utf8))) == time, "\(text)")
    }
  }
}
