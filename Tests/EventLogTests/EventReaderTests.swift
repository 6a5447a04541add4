import BluetoothLE
import EventLog
import Foundation
import Linux
import Proximity
import TestSupport
import Testing

/// A batch's events as lines of the log, or as text.
func eventLines(_ batch: EventBatch, isText: Bool = false) -> [String] {
  var json = EventJSON(gateway: "replay")
  let text = EventText(isColored: false)
  // One at a time, as what has waited long enough would be written.
  return batch.events.map { event in
    written { output in
      if isText { text.put(event, of: batch, into: &output) } else { json.put(event, of: batch, into: &output) }
      _ = output.takeBack(1)
    }
  }
}

/// The events of lines; nil for the first of them that cannot be read.
func readEvents(_ lines: [String]) -> EventBatch? {
  var batch = EventBatch()
  var reader = EventReader()
  for line in lines {
    let isRead = withMemory(Array(line.utf8)) { octets in
      LogLine(octets).map { reader.read($0, into: &batch) } ?? false
    }
    guard isRead else { return nil }
  }
  return batch
}

struct EventReaderTests {
  @Test(arguments: 1...10) func whatWasWrittenIsReadBack(_ seed: UInt64) throws {
    var events = RandomEvents(seed: seed)
    let batch = events.batch(of: 300)
    let json = eventLines(batch)
    let fault = try EventSchema.fault(in: json.map { Substring($0) })
    #expect(fault == nil)
    let again = try #require(readEvents(json))
    for (line, readBack) in zip(json, eventLines(again)) where line != readBack {
      Issue.record("\(readBack) was \(line)")
    }
    #expect(eventLines(again, isText: true) == eventLines(batch, isText: true))
    #expect(again.ranged.count == batch.ranged.count && again.events.count == batch.events.count)
    #expect(again.events.map { $0.name } == batch.events.map { $0.name })
  }

  /// Numbers of which a second rounding, of what was rounded, would make another.
  @Test func theTextOfAnEventIsThatOfItsLine() throws {
    var batch = EventBatch()
    for milliseconds in 0..<2000 as Range<Int> {
      let dwell = (Double(milliseconds) + 0.4999) / 1000
      batch.append(
        Event(
          time: logTime(0), region: "hall",
          content: .didExit(.region(nil), lastSeen: nil, dwell: dwell, .silence), location: nil))
    }
    let json = eventLines(batch)
    #expect(eventLines(try #require(readEvents(json)), isText: true) == eventLines(batch, isText: true))
    #expect(eventLines(batch, isText: true)[49].hasSuffix("hall left after 0.0 s (silence)"))
    #expect(eventLines(batch, isText: true)[50].hasSuffix("hall left after 0.1 s (silence)"))
  }

  // MARK: Lines that no version writes

  /// A line of each kind with all that it can have.
  private static let samples: [String] = {
    let beacon =
      #""beacon":{"kind":"ibeacon","uuid":"01020304-0506-0708-090a-0b0c0d0e0f10","major":1,"minor":7,"#
      + #""address":"c0:00:00:00:00:01","measuredPower":-59.0,"powerSource":"advertised","name":"Desk","#
      + #""telemetry":{"battery":2.900,"temperature":21.50,"advertisements":7,"uptime":8.5}}"#
    let location =
      #"{"latitude":52.5163000,"longitude":-0.1000000,"accuracy":4.13,"altitude":-3.00,"speed":0.00,"#
      + #""course":271.2500000,"source":"gps","age":61.000,"stale":true}"#
    let failure = #""region":"hall","error":{"code":"scanner-down","message":"unplugged"}"#
    let subject = #""region":"hall","scope":"beacon",\#(beacon),"#
    let contents = [
      ("didStartMonitoring", #""region":"hall""#), ("monitoringDidFail", failure), ("didFailRanging", failure),
      ("didDetermineState", #"\#(subject)"state":"inside","location":\#(location)"#),
      ("didEnter", #"\#(subject)"location":\#(location)"#),
      (
        "didExit",
        #"\#(subject)"lastSeen":"2026-12-01T08:30:00.000Z","dwell":1.500,"cause":"silence","location":null"#
      ),
      (
        "didRange",
        #""region":"hall","beacons":[{\#(beacon),"proximity":"near","distance":1.98,"interval":{"low":0.96,"high":4.35},"#
          + #""rssi":-62.7,"packets":2,"lastSeen":"2026-12-01T08:30:00.000Z"}],"omitted":3,"location":\#(location)"#
      ),
      ("scannerDidChange", #""adapter":"hci0","state":"stopped","reason":"unplugged","reportsPerSecond":12.5"#),
      ("didUpdateLocations", #""locations":[\#(location)]"#),
      (
        "didChangeAuthorization",
        #""service":"bluetooth","status":"restricted","reason":"blocked by rfkill""#
      ),
      ("didUpdateHeading", #""trueHeading":90.0000000,"magneticHeading":86.5000000,"accuracy":4.0000000"#),
    ]
    return contents.enumerated().map { index, content in
      #"{"seq":\#(index + 1),"time":"2026-12-01T08:30:00.125Z","event":"\#(content.0)","gateway":"replay",\#(content.1)}"#
    }
  }()

  @Test func theSamplesAreAllKindsAndComeBack() throws {
    #expect(eventLines(try #require(readEvents(Self.samples))) == Self.samples)
    #expect(Self.samples.count == EventName.allCases.count)
  }

  @Test func aLineOfAnUnsynchronizedClockIsRead() throws {
    let line = Self.samples[0].replacing(#""gateway":"replay""#, with: #""gateway":"replay","clock":"unsynchronized""#)
    #expect(
      eventLines(try #require(readEvents([line])), isText: true) == ["2026-12-01 08:30:00.125  hall: monitoring starts"]
    )
  }

  /// What may be absent; everything else has to be there.
  private static let optional: Set<String> = [
    "name", "telemetry", "altitude", "speed", "course", "stale", "omitted", "lastSeen", "magneticHeading", "gateway",
  ]

  @Test(arguments: samples) func aKeyThatIsMissingOrOfAnotherTypeIsNoEvent(_ line: String) throws {
    let key = try Regex(#""([A-Za-z]+)":"#)
    let common = try #require(line.range(of: #""gateway":"replay""#)?.upperBound)
    var changed = 0
    for match in line[common...].matches(of: key) {
      let name = String(line[match.range].dropFirst().dropLast(2))
      if Self.optional.contains(name) { continue }
      // Of a list, each beacon has to have it; of an event, `beacon` may be absent with the scope of a region.
      if name == "beacon", !line.contains("didRange") { continue }
      let renamed = line.replacingCharacters(in: match.range, with: #""x\#(name)":"#)
      #expect(readEvents([renamed]) == nil, "\(renamed)")
      changed += 1
    }
    for match in line[common...].matches(of: key) {
      // A value is of no two of these types.
      let accepted = ["7", #""\ud800""#, "[]", "{}", "true"].filter { value in
        let rest = line[match.range.upperBound...]
        let end = Self.valueEnd(rest)
        return readEvents([line.replacingCharacters(in: rest.startIndex..<end, with: value)]) != nil
      }
      #expect(accepted.count <= 1, "\(line[match.range]) \(accepted)")
      changed += 1
    }
    #expect(changed >= 1)
  }

  /// Where the value at the beginning of a text ends.
  private static func valueEnd(_ text: Substring) -> Substring.Index {
    var depth = 0
    var isString = false
    for index in text.indices {
      let character = text[index]
      if character == "\"" { isString.toggle() }
      if isString { continue }
      if "}],".contains(character), depth == 0 { return index }
      if "{[".contains(character) { depth += 1 }
      if "}]".contains(character) { depth -= 1 }
    }
    return text.endIndex
  }

  @Test(
    arguments: [
      ("didDetermineState", #""state":"inside""#, #""state":"between""#),
      ("didExit", #""dwell":1.500"#, #""dwell":1e15"#),
      ("didExit", #""dwell":1.500"#, #""dwell":1e999"#),
      ("didExit", #""cause":"silence""#, #""cause":"boredom""#),
      ("didEnter", #""scope":"beacon""#, #""scope":"house""#),
      ("didEnter", #""latitude":52.5163000"#, #""latitude":90.1"#),
      ("didEnter", #""accuracy":4.13"#, #""accuracy":-1"#),
      ("didEnter", #""major":1"#, #""major":65536"#),
      ("didEnter", #""minor":7"#, #""minor":-1"#),
      ("didEnter", #""minor":7"#, #""minor":7.0"#),
      ("didEnter", #""uuid":"01"#, #""uuid":""#),
      ("didEnter", #""address":"c0:"#, #""address":"c0"#),
      ("didEnter", #""region":"hall""#, #""region":"""#),
      ("didEnter", #""battery":2.900"#, #""battery":65.536"#),
      ("didEnter", #""battery":2.900"#, #""battery":-0.001"#),
      ("didEnter", #""temperature":21.50"#, #""temperature":128"#),
      ("didEnter", #""advertisements":7"#, #""advertisements":4294967296"#),
      ("didEnter", #""uptime":8.5"#, #""uptime":429496729.6"#),
      ("didRange", #""distance":1.98"#, #""distance":null"#),
      ("didRange", #""packets":2"#, #""packets":9223372036854775808"#),
      ("didRange", #""omitted":3"#, #""omitted":-3"#),
      ("didRange", #""lastSeen":"2026-12-01"#, #""lastSeen":"2026-13-01"#),
      ("didUpdateHeading", #""trueHeading":90.0000000"#, #""trueHeading":1e300"#),
      ("didUpdateLocations", #""locations":["#, #""locations":[null,"#),
      ("didUpdateLocations", #""locations":["#, #""region":"hall","locations":["#),
      ("scannerDidChange", "12.5", "-1e400"),
    ] as [(String, String, String)])
  func aValueThatCannotBeIsNoEvent(event: String, part: String, other: String) throws {
    let line = try #require(Self.samples.first { $0.contains(#""event":"\#(event)""#) })
    let changed = line.replacing(part, with: other)
    #expect(changed != line)
    #expect(readEvents([changed]) == nil, "\(changed)")
  }

  @Test func edgesOfWhatIsWrittenAreRead() throws {
    for (event, part, other) in [
      ("didEnter", #""accuracy":4.13"#, #""accuracy":0.00"#),
      ("didEnter", #""battery":2.900"#, #""battery":null"#),
      ("didEnter", #""temperature":21.50"#, #""temperature":-128.00"#),
      ("didEnter", #""temperature":21.50"#, #""temperature":128.00"#),
      ("didEnter", #""temperature":21.50"#, #""temperature":null"#),
      ("didEnter", #""uptime":8.5"#, #""uptime":429496729.5"#),
      ("didRange", #""packets":2"#, #""packets":9223372036854775807"#),
    ] {
      let line = try #require(Self.samples.first { $0.contains(#""event":"\#(event)""#) })
      let changed = line.replacing(part, with: other).replacing(#""seq":5"#, with: #""seq":1"#)
        .replacing(#""seq":7"#, with: #""seq":1"#)
      let expected = other.contains(":128.00") ? nil : [changed]
      #expect(readEvents([changed]).map { eventLines($0) } == expected, "\(changed)")
    }
  }

  /// Octets changed at random: read or not, never a trap, and what is read is written and read again the same.
  @Test(arguments: 1...4) func aDamagedLineIsReadOrRefused(_ seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let others = Array(#"0123456789-.eE"{}[],:nul\x"#.utf8)
    var isRead = [false: 0, true: 0]
    for _ in 0..<5000 {
      var octets = Array(Self.samples[Int(random.next() % 10)].utf8)
      for _ in 0...random.next() % 3 {
        let place = Int(random.next() % UInt64(octets.count))
        // A digit becomes another one, most of the time, and so the line stays JSON.
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octets[place])
        octets[place] = others[Int(random.next() % (isDigit && random.chance(0.9) ? 10 : UInt64(others.count)))]
      }
      let batch = readEvents([String(decoding: octets, as: UTF8.self)])
      isRead[batch != nil, default: 0] += 1
      guard let batch else { continue }
      let again = try #require(readEvents(eventLines(batch)))
      #expect(eventLines(again) == eventLines(batch))
    }
    #expect((isRead[true] ?? 0) > 300)
    #expect((isRead[false] ?? 0) > 300)
  }
}
