import BluetoothLE
import EventLog
import Linux
import Proximity
import TestSupport
import Testing

/// What the engine says of one beacon, as lines.
struct EventJSONTests {
  private let beacon =
    #"{"kind":"ibeacon","uuid":"01020304-0506-0708-090a-0b0c0d0e0f10","major":1,"minor":7,"#
    + #""address":"c0:00:00:00:00:01","measuredPower":-59.0,"powerSource":"advertised"}"#

  /// Five packets 0.2 s apart at -59 dBm from 2026-12-01T08:30:00.100Z on, then nothing until `seconds` later.
  private func batch(advancingTo seconds: Double) -> EventBatch {
    let start: Int64 = 1_796_113_800_000_000_000
    var events = EventBatch()
    var engine = Engine(at: Instant(nanoseconds: 0), utc: UnixTime(nanoseconds: start), &events)
    for packet in 0..<5 {
      let instant = Instant(nanoseconds: 100_000_000 + Int64(packet) * 200_000_000)
      Advertisement.legacyEvent(Advertisement.iBeacon(major: 1, minor: 7), address: 0xc000_0000_0001, rssi: -59)
        .withUnsafeBytes { octets in
          guard let event = HCIEvent(Octets(octets)), var reports = AdvertisingReports(event) else { return }
          while let report = reports.next() { engine.take(report, from: 0, at: instant, &events) }
        }
    }
    engine.advance(to: Instant(nanoseconds: 0).advanced(by: seconds), &events)
    return events
  }

  private func lines(_ batch: EventBatch, isText: Bool = false) -> [String] {
    let descriptor = FileDescriptor.standardOutput
    var output = OutputBuffer(descriptor)
    defer { output.discard() }
    if isText {
      let text = EventText(isColored: false)
      for event in batch.events { text.put(event, of: batch, into: &output) }
    } else {
      var json = EventJSON(gateway: "replay")
      json.put(batch, into: &output)
    }
    let lines = output.withWaiting { String(decoding: $0, as: UTF8.self) }.split(separator: "\n")
    if !isText {
      do {
        let fault = try EventSchema.fault(in: lines)
        #expect(fault == nil)
        let readBack = try #require(readEvents(lines.map(String.init)))
        #expect(eventLines(readBack) == lines.map(String.init))
        #expect(eventLines(readBack, isText: true) == eventLines(batch, isText: true))
      } catch {
        Issue.record(error)
      }
    }
    return lines.map(String.init)
  }

  @Test func enteringIsFiveLinesWithKeysInTheirOrder() {
    let time = #""time":"2026-12-01T08:30:00.100Z""#
    let region = #""gateway":"replay","region":"everything""#
    #expect(
      lines(batch(advancingTo: 0.9)) == [
        #"{"seq":1,"time":"2026-12-01T08:30:00.000Z","event":"didStartMonitoring",\#(region)}"#,
        #"{"seq":2,\#(time),"event":"didDetermineState",\#(region),"scope":"region","beacon":\#(beacon),"#
          + #""state":"inside","location":null}"#,
        #"{"seq":3,\#(time),"event":"didEnter",\#(region),"scope":"region","beacon":\#(beacon),"location":null}"#,
        #"{"seq":4,\#(time),"event":"didDetermineState",\#(region),"scope":"beacon","beacon":\#(beacon),"#
          + #""state":"inside","location":null}"#,
        #"{"seq":5,\#(time),"event":"didEnter",\#(region),"scope":"beacon","beacon":\#(beacon),"location":null}"#,
      ])
  }

  @Test func positionsAndHeadingsHaveTheirKeysInOrder() throws {
    var events = EventBatch()
    var engine = Engine(at: Instant(nanoseconds: 0), utc: UnixTime(nanoseconds: 0), &events)
    events.removeAll()
    let place = try #require(Coordinate(latitude: 52.5163, longitude: -0.00000004))
    let next = try #require(Coordinate(latitude: 52.5164, longitude: 0))
    let fixes = [
      Fix(place, accuracy: 4.126, altitude: -3, speed: 0, course: 271.25, from: .gps),
      Fix(next, accuracy: 1200, from: .network),
    ]
    for (second, fix) in fixes.enumerated() {
      engine.take(try #require(fix), at: Instant(nanoseconds: Int64(second) * 1_000_000_000), &events)
    }
    let headings = [
      Heading(trueHeading: 90, magneticHeading: 86.5, accuracy: 4), Heading(trueHeading: 180, accuracy: 9),
    ]
    for heading in headings {
      engine.take(try #require(heading), at: Instant(nanoseconds: 2_000_000_000), &events)
    }
    engine.add(BeaconRegion(id: "late", patterns: [.any]), at: Instant(nanoseconds: 62_500_000_000), &events)
    _ = engine.requestState("late", at: Instant(nanoseconds: 62_500_000_000), &events)
    let common = #""gateway":"replay""#
    let at = { (time: String, name: String) in #""time":"1970-01-01T00:\#(time)Z","event":"\#(name)",\#(common)"# }
    #expect(
      lines(events).filter { !$0.contains("didRange") } == [
        #"{"seq":1,\#(at("00:00.000", "didUpdateLocations")),"locations":[{"latitude":52.5163000,"longitude":0.0000000,"#
          + #""accuracy":4.13,"altitude":-3.00,"speed":0.00,"course":271.2500000,"source":"gps","age":0.000}]}"#,
        #"{"seq":2,\#(at("00:01.000", "didUpdateLocations")),"locations":[{"latitude":52.5164000,"longitude":0.0000000,"#
          + #""accuracy":1200.00,"source":"network","age":0.000}]}"#,
        #"{"seq":3,\#(at("00:02.000", "didUpdateHeading")),"trueHeading":90.0000000,"magneticHeading":86.5000000,"#
          + #""accuracy":4.0000000}"#,
        #"{"seq":4,\#(at("00:02.000", "didUpdateHeading")),"trueHeading":180.0000000,"accuracy":9.0000000}"#,
        #"{"seq":5,\#(at("01:02.500", "didStartMonitoring")),"region":"late"}"#,
        #"{"seq":6,\#(at("01:02.500", "didDetermineState")),"region":"late","scope":"region","state":"outside","#
          + #""location":{"latitude":52.5164000,"longitude":0.0000000,"accuracy":1200.00,"source":"network","#
          + #""age":61.500,"stale":true}}"#,
      ])
    #expect(
      lines(events, isText: true).prefix(4).map { $0.dropFirst(25) } == [
        "at 52.516300, 0.000000, within 4 m (gps)", "at 52.516400, 0.000000, within 1200 m (network)",
        "heading 90°, within 4°", "heading 180°, within 9°",
      ])
  }

  @Test func aListHasTheDistanceBetweenItsBounds() throws {
    let line = try #require(lines(batch(advancingTo: 1)).last)
    let head =
      #"{"seq":6,"time":"2026-12-01T08:30:01.000Z","event":"didRange","gateway":"replay","region":"everything","#
      + #""beacons":[{"beacon":\#(beacon),"proximity":"near","distance":"#
    #expect(line.hasPrefix(head))
    #expect(
      line.hasSuffix(#","rssi":-59.0,"packets":5,"lastSeen":"2026-12-01T08:30:00.900Z"}],"location":null}"#))
  }

  @Test func anUnknownDistanceIsNull() throws {
    // Four gaps of 0.2 s: unknown after max(0.8 (1000^(1/4) - 1), 3) = 3.7 s, so in the list of second 5.
    let line = try #require(lines(batch(advancingTo: 5)).last)
    #expect(line.contains(#""proximity":"unknown","distance":null,"interval":null,"rssi":-59.0,"packets":0,"#))
  }

  @Test func leavingSaysWhenItWasSeenHowLongItStayedAndWhy() {
    let all = lines(batch(advancingTo: 100))
    let exits = all.filter { $0.contains(#""event":"didExit""#) }
    // T = 0.8 ((0.1 * 0.2 / 86400)^(-1/4) - 1) = 35.672 s after 08:30:00.900.
    #expect(
      exits.map { $0.contains(#""time":"2026-12-01T08:30:36.572Z""#) } == [true, true]
        && exits.allSatisfy {
          $0.hasSuffix(
            #""lastSeen":"2026-12-01T08:30:00.900Z","dwell":36.472,"cause":"silence","location":null}"#)
        })
    #expect(exits.map { $0.contains(#""scope":"beacon""#) } == [true, false])
    #expect(all.enumerated().allSatisfy { $1.hasPrefix(#"{"seq":\#($0 + 1),"time":""#) })
  }

  @Test func textIsOneLineAnEvent() {
    let batch = batch(advancingTo: 100)
    let text = lines(batch, isText: true)
    let name = "iBeacon 01020304-0506-0708-090a-0b0c0d0e0f10/1/7"
    #expect(text.count == batch.events.count)
    #expect(text[0] == "2026-12-01 08:30:00.000  everything: monitoring starts")
    #expect(text[2] == "2026-12-01 08:30:00.100  everything entered, first \(name)")
    #expect(text[4] == "2026-12-01 08:30:00.100  everything: \(name) entered")
    #expect(
      text.contains("2026-12-01 08:30:36.572  everything: \(name) left after 36.5 s (silence), last seen 08:30:00"))
  }

  @Test func rangeLogOnChangeKeepsTheListsWithNews() {
    let batch = batch(advancingTo: 100)
    func kept(_ policy: RangeLog) -> Int {
      var filter = RangeLogFilter(policy)
      return batch.events.filter { event in
        if case .didRange = event.content { filter.passes(event, of: batch) } else { false }
      }.count
    }
    // Seconds 1 to 37, of which 1 (near), 5 (unknown) and 37 (empty) are news.
    #expect(kept(.interval) == 37)
    #expect(kept(.onChange) == 3)
    #expect(kept(.none) == 0)
  }
}
