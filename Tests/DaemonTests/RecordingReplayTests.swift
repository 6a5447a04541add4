import BluetoothLE
import Daemon
import EventLog
import Linux
import Proximity
import Scanning
import TestSupport
import Testing

/// A replay of a recording gives what the gateway that was recorded gave, in every octet.
struct RecordingReplayTests {
  private static let second: Int64 = 1_000_000_000
  private static let regions = """
    gateway: g
    ranging: {interval: 500 ms}
    regions:
      - {id: hall, match: [any], each: true, range: true, exit-after: 5 s}
      - {id: desk, match: [{ibeacon: {uuid: 01020304-0506-0708-090a-0b0c0d0e0f10, major: 1}}], within: 3 m}
    """

  /// A gateway that is told what a recorder is, as a daemon does.
  private struct Live {
    var gateway: Gateway
    let recorder: Recorder
    var clocks: Moment
    var now: Instant
    private var decoder = ReportDecoder(joiningFragments: true)
    private var json = EventJSON(gateway: "g", from: 1)
    private(set) var lines = ""

    init(_ configuration: Configuration, _ recorder: Recorder) {
      // Neither begins at a whole second.
      clocks = Moment(
        utc: UnixTime(microseconds: 1_764_547_200_123_456), isSynchronized: false, boot: "6d0f1a2b",
        sinceBoot: 77_000_777_000)
      now = Instant(nanoseconds: clocks.sinceBoot)
      gateway = Gateway(configuration, restoring: nil, isProven: false, at: clocks)
      self.recorder = recorder
      recorder.begin(at: now, offset: clocks.offset, isClockSynchronized: clocks.isSynchronized)
      write()
    }

    mutating func pass(_ microseconds: UInt64) {
      now = Instant(nanoseconds: now.nanoseconds + Int64(microseconds) * 1000)
    }

    mutating func hear(_ event: [UInt8], from adapter: Int) {
      event.withUnsafeBytes { octets in
        recorder.take(Octets(octets), from: adapter, at: now)
        let packet = CapturedPacket(
          record: 0, time: nil, adapter: UInt16(adapter), content: .hci(.event), octets: Octets(octets), isCut: false)
        _ = decoder.decode(packet) { gateway.take($0, from: adapter, at: now) }
      }
      write()
    }

    mutating func tell(_ note: RecordingNote, of adapter: Int?) {
      recorder.note(note, of: adapter, at: now)
      gateway.take(note, of: adapter ?? 0, at: now)
      write()
    }

    mutating func set(by microseconds: Int64, isSynchronized: Bool) {
      advance()
      var moment = clocks.advanced(to: now)
      moment.utc = UnixTime(nanoseconds: moment.utc.nanoseconds + microseconds * 1000)
      moment.isSynchronized = isSynchronized
      _ = gateway.read(moment)
      clocks = gateway.clocks
      recorder.note(.clock(clocks.advanced(to: now).utc, isSynchronized: isSynchronized), at: now)
      write()
    }

    /// Time passes in which nothing is recorded.
    mutating func advance() {
      gateway.advance(to: now)
      write()
    }

    private mutating func write() {
      json.isClockSynchronized = gateway.clocks.isSynchronized
      gateway.takeEvents { batch in
        lines += written { output in
          for event in batch.events { json.put(event, of: batch, into: &output) }
        }
      }
    }
  }

  private static func tag(_ number: UInt64, rssi: Int8) -> [UInt8] {
    Advertisement.legacyEvent(
      Advertisement.iBeacon(major: 1, minor: UInt16(number)), address: 0xc000_0000_0000 | number, rssi: rssi)
  }

  /// Ten minutes of beacons that come and go, adapters that stall and stop, and clocks that are set.
  private static func happen(_ live: inout Live, _ random: inout SplitMix) {
    let names = ["fa:1e:00:00:00:01", "fa:1e:00:00:00:02"]
    var audible = Set(0..<UInt64(6))
    for _ in 0..<4000 {
      live.pass(random.next() % 300_000)
      let adapter = Int(random.next() % 2)
      switch random.next() % 400 {
      case 0..<6: audible.formSymmetricDifference([random.next() % 6])
      case 6, 7:
        let state: ScannerState = random.next() % 2 == 0 ? .stopped : .scanning
        let rate = random.next() % 2 == 0 ? nil : Double(random.next() % 1000) / 7
        live.tell(
          .scanner(ScannerReport(state, name: names[adapter], reason: "for a reason", reportsPerSecond: rate)),
          of: adapter)
      case 8, 9: live.tell(.proof, of: adapter)
      case 10:
        live.set(by: Int64(random.next() % 20_000_000) - 10_000_000, isSynchronized: random.next() % 2 == 0)
      case 11:
        let status: Authorization.Status = random.next() % 2 == 0 ? .always : .restricted
        live.tell(.authorization(Authorization(.bluetooth, status, reason: "so it is")), of: nil)
      // Nobody is heard for a while, with and without somebody who looks.
      case 12, 13: live.pass(random.next() % 20_000_000)
      case 14..<40: live.advance()
      case 40..<60: live.hear(HandmadeEvents.legacy(.init([2, 1, 6], address: [0xd0, 0, 0, 0, 0, 9])), from: adapter)
      default:
        let tag = random.next() % 6
        guard audible.contains(tag) else { continue }
        live.hear(Self.tag(tag, rssi: Int8(-90 + Int(random.next() % 50))), from: adapter)
      }
    }
    live.advance()
  }

  private static func replayed(_ path: String, _ configuration: Configuration) throws -> String {
    var replay = CaptureReplay(configuration)
    var json = EventJSON(gateway: "g", from: 1)
    var lines = ""
    func write(_ replay: inout CaptureReplay) {
      replay.takeEvents { batch, isClockSynchronized in
        json.isClockSynchronized = isClockSynchronized
        lines += written { output in
          for event in batch.events { json.put(event, of: batch, into: &output) }
        }
      }
    }
    var captures = MergedCaptures()
    captures.add(CaptureStream(try FileDescriptor(reading: path)))
    captures.forEachPacket(
      waiting: { _ in true }, failed: { _, failure in Issue.record("\(failure)") },
      { packet, reading in
        replay.take(packet, at: reading)
        write(&replay)
      })
    replay.finish()
    write(&replay)
    return lines
  }

  @Test(arguments: 1...12) func aReplaySaysWhatWasSaid(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.btsnoop"
    let configuration = try Configuration(Self.regions)
    let recorder = Recorder(try FileDescriptor(creating: path, replacing: false))
    var live = Live(configuration, recorder)
    var random = SplitMix(seed: seed)
    Self.happen(&live, &random)
    recorder.end(at: live.now)
    let replayed = try Self.replayed(path, configuration)
    let (expected, given) = (live.lines.split(separator: "\n"), replayed.split(separator: "\n"))
    for (number, (a, b)) in zip(expected, given).enumerated() where a != b {
      Issue.record("event \(number + 1): \(a)\nin the replay: \(b)")
      break
    }
    #expect(expected.count == given.count)
    // The scene has what it is for.
    for name in ["didEnter", "didExit", "scannerDidChange", "didChangeAuthorization"] {
      #expect(expected.contains { $0.contains("\"event\":\"\(name)\"") }, "\(name)")
    }
  }

  /// btmon writes no notes, but when an adapter goes down and when it is back.
  @Test func othersCapturesTellWhenAnAdapterWasDown() throws {
    let folder = try TemporaryFolder()
    let writer = BTSnoopWriter(.monitor)
    var octets: [UInt8] = []
    let start: Int64 = 1_764_547_200
    func time(_ seconds: Int64) -> UnixTime { UnixTime(nanoseconds: (start + seconds) * Self.second) }
    func notice(_ opcode: MonitorOpcode, at seconds: Int64) {
      writer.appendNotice(opcode, Octets(), adapter: 0, at: time(seconds), to: &octets)
    }
    func tag(at seconds: Int64) {
      Self.tag(1, rssi: -60).withUnsafeBytes {
        writer.appendEvent(Octets($0), adapter: 0, at: time(seconds), to: &octets)
      }
    }
    writer.appendHeader(to: &octets)
    writer.appendNewIndex(DeviceAddress(1), name: "hci0", adapter: 0, at: time(0), to: &octets)
    notice(.openIndex, at: 0)
    for second in 1...20 as ClosedRange<Int64> { tag(at: second) }
    notice(.closeIndex, at: 21)
    notice(.deleteIndex, at: 21)
    notice(.openIndex, at: 80)
    for second in 81...90 as ClosedRange<Int64> { tag(at: second) }
    notice(.closeIndex, at: 91)
    // No notice says that it is back: what it hears does.
    for second in 95...99 as ClosedRange<Int64> { tag(at: second) }
    let path = folder.path + "/btmon.btsnoop"
    try FileDescriptor(writing: path).write(octets: octets)
    let lines = try Self.replayed(path, try Configuration(Self.regions)).split(separator: "\n")
    let scanner = lines.filter { $0.contains("scannerDidChange") }
    #expect(scanner.map { $0.contains("\"state\":\"stopped\"") } == [true, false, true, false])
    #expect(scanner.allSatisfy { $0.contains("\"adapter\":\"hci0\"") })
    #expect(!lines.contains { $0.contains("didExit") })
    #expect(lines.count { $0.contains("didEnter") && $0.contains("\"scope\":\"beacon\"") } == 1)
  }
}
