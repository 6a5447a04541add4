import BluetoothLE
import Glibc
import Linux
import Proximity
import Scanning
import TestSupport
import Testing

struct RecorderTests {
  private static let second: Int64 = 1_000_000_000
  /// From boot to UTC.
  private static let offset = 1_764_547_200 * second
  private static let iBeacon = HandmadeEvents.legacy(.init(HandmadeEvents.iBeacon))
  private static let stranger = HandmadeEvents.legacy(.init([2, 1, 6], address: [0xd0, 0, 0, 0, 0, 9]))

  private let folder: TemporaryFolder
  private var path: String { folder.path + "/a.btsnoop" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private static func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

  /// What a recording holds, whose recorder `body` has told, begun at 10 s since boot and ended at 100 s.
  private func record(
    _ settings: Recorder.Settings = Recorder.Settings(), _ body: (Recorder) -> Void
  ) throws -> ReadCapture {
    let recorder = Recorder(try FileDescriptor(creating: path, replacing: true), settings)
    recorder.begin(at: Self.instant(10), offset: Self.offset, isClockSynchronized: true)
    body(recorder)
    recorder.end(at: Self.instant(100))
    #expect(recorder.failure == nil)
    let octets = try FileDescriptor(reading: path).octets(atMost: 1 << 20)
    #expect(recorder.size == Int64(octets.count))
    return ReadCapture(octets)
  }

  private static func take(_ event: [UInt8], _ recorder: Recorder, from adapter: Int = 0, at seconds: Double) {
    event.withUnsafeBytes { recorder.take(Octets($0), from: adapter, at: instant(seconds)) }
  }

  private static func notes(_ capture: ReadCapture) -> [RecordingNote] {
    capture.packets.compactMap { packet in
      packet.content == .notice(.systemNote)
        ? packet.octets.withUnsafeBytes { RecordingNote(Octets($0)) } : nil
    }
  }

  @Test func packetsAndNotesStandAtTheirTimes() throws {
    let capture = try record { recorder in
      Self.take(Self.iBeacon, recorder, from: 1, at: 11.5)
      recorder.note(.proof, of: 3, at: Self.instant(12))
      // A time that steps back is the latest one's.
      Self.take(Self.stranger, recorder, at: 11)
    }
    #expect(capture.failure == nil)
    let seconds = capture.packets.map { Double(($0.time?.nanoseconds ?? 0) - Self.offset) / 1e9 }
    #expect(seconds == [10, 11.5, 12, 12, 100])
    #expect(capture.packets.map { $0.adapter } == [0xffff, 1, 3, 0, 0xffff])
    #expect(capture.packets[1].content == .hci(.event) && capture.packets[1].octets == Self.iBeacon)
    #expect(capture.packets[3].octets == Self.stranger)
    #expect(Self.notes(capture) == [.start(isClockSynchronized: true), .proof, .end])
  }

  @Test func adaptersComeAndGoUnderTheirNumbers() throws {
    let address = DeviceAddress(0xfa1e_0000_0001)
    let other = DeviceAddress(0xfa1e_0000_0002)
    func adapter(_ address: DeviceAddress, _ index: UInt16?, _ isPowered: Bool) -> LiveAdapter {
      LiveAdapter(address, index: index, isPowered: isPowered)
    }
    let capture = try record { recorder in
      let states: [[LiveAdapter]] = [
        [adapter(address, 0, false)],
        [adapter(address, 0, true), adapter(other, 1, false)],
        [adapter(address, 0, true), adapter(other, 1, false)],
        [adapter(address, nil, false), adapter(other, 1, false)],
        // It is back as hci2, and powered on meanwhile.
        [adapter(address, 2, true), adapter(other, 1, false)],
        [adapter(address, 3, true), adapter(other, 1, false)],
      ]
      for (number, state) in states.enumerated() { recorder.adapters(state, at: Self.instant(11 + Double(number))) }
    }
    let notices = capture.packets.compactMap { packet -> String? in
      guard case .notice(let opcode) = packet.content, opcode != .systemNote else { return nil }
      return "\(opcode) \(packet.adapter)"
    }
    #expect(
      notices == [
        "newIndex 0", "openIndex 0", "newIndex 1", "closeIndex 0", "deleteIndex 0", "newIndex 0", "openIndex 0",
        "closeIndex 0", "deleteIndex 0", "newIndex 0", "openIndex 0",
      ])
    let new = capture.packets.filter { $0.content == .notice(.newIndex) }
    #expect(new.map { String(decoding: $0.octets[8..<12], as: UTF8.self) } == ["hci0", "hci1", "hci2", "hci3"])
    #expect(Array(new[1].octets[2..<8]) == [2, 0, 0, 0, 0x1e, 0xfa])
  }

  @Test func strangersStayOutAndAreSaidToBeHeard() throws {
    var settings = Recorder.Settings()
    settings.isBeaconsOnly = true
    let two = HandmadeEvents.legacy(
      .init([2, 1, 6], address: [0xd0, 0, 0, 0, 0, 9]), .init(HandmadeEvents.iBeacon, rssi: -71))
    let capture = try record(settings) { recorder in
      Self.take(Self.stranger, recorder, from: 2, at: 11)
      Self.take(Self.stranger, recorder, from: 2, at: 11.5)
      Self.take(Self.iBeacon, recorder, from: 2, at: 11.6)
      Self.take(two, recorder, from: 0, at: 11.7)
      Self.take(Self.stranger, recorder, from: 2, at: 12)
    }
    let events = capture.packets.filter { $0.content == .hci(.event) }
    #expect(
      events.map { $0.octets } == [
        Self.iBeacon, HandmadeEvents.legacy(.init(HandmadeEvents.iBeacon, rssi: -71)),
      ])
    let heard = capture.packets.filter { packet in
      packet.octets.withUnsafeBytes { RecordingNote(Octets($0)) } == .heard
    }
    #expect(heard.map { $0.adapter } == [2, 0, 2])
    #expect(!capture.packets.contains { $0.octets.contains(0xd0) && $0.content == .hci(.event) })
  }

  /// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.13, data status.
  @Test func aBeaconInFragmentsStaysIn() throws {
    var settings = Recorder.Settings()
    settings.isBeaconsOnly = true
    // Its first fragment tells nothing: a structure of others' data.
    let filler: [UInt8] = [201, 0x16, 0xaa, 0xfe] + [UInt8](repeating: 7, count: 198)
    let data = filler + HandmadeEvents.iBeacon
    let fragments = [
      HandmadeEvents.extended(.init(Array(data[..<120]), type: 0x20)),
      HandmadeEvents.extended(.init(Array(data[120...]), type: 0)),
    ]
    let strangers = [
      HandmadeEvents.extended(.init(Array(filler[..<120]), type: 0x20, address: [0xd0, 0, 0, 0, 0, 9])),
      HandmadeEvents.extended(.init(Array(filler[120...]), type: 0, address: [0xd0, 0, 0, 0, 0, 9])),
    ]
    let capture = try record(settings) { recorder in
      for event in fragments + strangers { Self.take(event, recorder, at: 11) }
    }
    var decoder = ReportDecoder(joiningFragments: true)
    var joined: [[UInt8]] = []
    for packet in capture.packets {
      packet.octets.withUnsafeBytes { octets in
        let packet = CapturedPacket(
          record: 0, time: nil, adapter: 0, content: packet.content, octets: Octets(octets), isCut: false)
        _ = decoder.decode(packet) { joined.append($0.data.array) }
      }
    }
    #expect(joined == [data])
  }

  @Test func aSizeIsKept() throws {
    var settings = Recorder.Settings()
    settings.mostOctets = 1000
    var isFullAfter = 0
    let capture = try record(settings) { recorder in
      while !recorder.isFull, isFullAfter < 100 {
        Self.take(Self.iBeacon, recorder, at: 11)
        isFullAfter += 1
      }
      #expect(recorder.packets == isFullAfter - 1)
      // Full is full: a smaller one does not come after.
      Self.take(Self.stranger, recorder, at: 12)
      recorder.note(.proof, of: 0, at: Self.instant(12))
      #expect(recorder.size <= 1000)
    }
    #expect(isFullAfter < 100)
    #expect(capture.failure == nil)
    #expect(capture.packets.count { $0.content == .hci(.event) } == isFullAfter - 1)
    #expect(Self.notes(capture) == [.start(isClockSynchronized: true), .end])
  }

  @Test func form1002HoldsThePacketsAlone() throws {
    var settings = Recorder.Settings()
    settings.datalink = .h4
    let capture = try record(settings) { recorder in
      recorder.adapters([LiveAdapter(DeviceAddress(1), index: 0, isPowered: true)], at: Self.instant(10))
      Self.take(Self.iBeacon, recorder, from: 1, at: 11)
      recorder.note(.proof, of: 1, at: Self.instant(12))
    }
    #expect(capture.packets.count == 1)
    #expect(capture.packets.first?.octets == Self.iBeacon)
    #expect(capture.packets.first?.adapter == 0)
  }

  @Test(.enabled(if: SmallFileSystem.isPossible(.tmpfs), "needs root and the right to mount"))
  func aFullDiskLeavesWholeRecords() throws {
    let disk = try #require(SmallFileSystem(.tmpfs))
    let path = disk.path + "/a.btsnoop"
    let recorder = Recorder(try FileDescriptor(creating: path, replacing: true))
    recorder.begin(at: Self.instant(10), offset: Self.offset, isClockSynchronized: true)
    for number in 0..<20 { Self.take(Self.iBeacon, recorder, at: 11 + Double(number) / 10) }
    recorder.flush(at: Self.instant(40))
    #expect(recorder.failure == nil)
    let before = try FileDescriptor(reading: path).octets(atMost: 1 << 20)
    _ = try disk.fill()
    // More than the rest of the file's page, which there is still room for.
    for number in 0..<200 { Self.take(Self.iBeacon, recorder, at: 41 + Double(number) / 10) }
    recorder.flush(at: Self.instant(80))
    #expect(recorder.failure?.number == ENOSPC)
    #expect(try FileDescriptor(reading: path).octets(atMost: 1 << 20) == before)
    // It takes no more.
    Self.take(Self.iBeacon, recorder, at: 90)
    recorder.end(at: Self.instant(100))
    #expect(try FileDescriptor(reading: path).octets(atMost: 1 << 20) == before)
  }

  @Test func whatWaitsIsWrittenEachSecond() throws {
    let recorder = Recorder(try FileDescriptor(creating: path, replacing: true))
    recorder.begin(at: Self.instant(10), offset: Self.offset, isClockSynchronized: true)
    recorder.flush(at: Self.instant(10.9))
    #expect(try FileDescriptor(reading: path).fileSize == 0)
    recorder.flush(at: Self.instant(11))
    #expect(try FileDescriptor(reading: path).fileSize == recorder.size)
  }

  @Test func aFileThatIsThereIsNotTouched() throws {
    try FileDescriptor(creating: path, replacing: false).write("a")
    do throws(SystemError) {
      _ = try FileDescriptor(creating: path, replacing: false)
      Issue.record("it was")
    } catch {
      #expect(error.number == EEXIST)
    }
    #expect(try FileDescriptor(reading: path).fileSize == 1)
  }
}
