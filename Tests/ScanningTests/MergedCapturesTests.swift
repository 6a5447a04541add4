import BluetoothLE
import Foundation
import Linux
import Proximity
import Scanning
import TestSupport
import Testing

struct MergedCapturesTests {
  private let event = [0x04] + HandmadeEvents.legacy(.init(HandmadeEvents.iBeacon))

  /// A packet as it came out.
  private struct Heard: Equatable {
    let record: UInt64
    let adapter: UInt16
    let milliseconds: Int64
  }

  private struct Outcome {
    var heard: [Heard] = []
    var failed: [Int] = []
    var withoutTimes: [Int] = []
  }

  /// What comes of captures that hold packets at these milliseconds.
  private func merge(at captures: [[Int64]], most: Int = .max) throws -> Outcome {
    try merge(
      captures.map { times in
        HandmadeCaptures.btsnoop(
          1002, times.map { .init(event, time: HandmadeCaptures.btsnoopTime + $0 * 1000) })
      }, most: most)
  }

  private func merge(_ captures: [[UInt8]], most: Int = .max) throws -> Outcome {
    let start: Int64 = 1_717_228_800_000
    let folder = FileManager.default.temporaryDirectory.path + "/beacond-merge-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var merged = MergedCaptures()
    for (number, capture) in captures.enumerated() {
      try Data(capture).write(to: URL(fileURLWithPath: folder + "/\(number)"))
      merged.add(CaptureStream(try FileDescriptor(reading: folder + "/\(number)")))
    }
    #expect(merged.size == Int64(captures.reduce(0) { $0 + $1.count }))
    var outcome = Outcome()
    merged.forEachPacket(
      waiting: { _ in outcome.heard.count < most }, failed: { number, _ in outcome.failed.append(number) },
      { packet, reading in
        let milliseconds = reading.instant.nanoseconds / 1_000_000 - start
        outcome.heard.append(Heard(record: packet.record, adapter: packet.adapter, milliseconds: milliseconds))
      })
    outcome.withoutTimes = merged.withoutTimes
    return outcome
  }

  @Test func partsOfOneRecordingGoOnWithItsAdapters() throws {
    for parts in [[[0, 10], [20, 30], [40]], [[40], [0, 10], [20, 30]]] as [[[Int64]]] {
      let heard = try merge(at: parts).heard
      #expect(heard.map { $0.milliseconds } == [0, 10, 20, 30, 40])
      #expect(heard.allSatisfy { $0.adapter == 0 })
    }
  }

  @Test func capturesThatOverlapHaveAdaptersOfTheirOwn() throws {
    // The third begins when the second has ended, and goes on with its adapters.
    let heard = try merge(at: [[0, 20, 40], [10, 15], [30, 50]]).heard
    #expect(
      heard == [
        Heard(record: 1, adapter: 0, milliseconds: 0), Heard(record: 1, adapter: 1024, milliseconds: 10),
        Heard(record: 2, adapter: 1024, milliseconds: 15), Heard(record: 2, adapter: 0, milliseconds: 20),
        Heard(record: 1, adapter: 1024, milliseconds: 30), Heard(record: 3, adapter: 0, milliseconds: 40),
        Heard(record: 2, adapter: 1024, milliseconds: 50),
      ])
  }

  @Test func ofOneInstantTheCaptureThatHasBegunComesFirst() throws {
    let heard = try merge(at: [[10, 20], [0, 10, 10]]).heard
    #expect(heard.map { $0.milliseconds } == [0, 10, 10, 10, 20])
    // The other begins when this one has ended: they are one recording.
    #expect(heard.allSatisfy { $0.adapter == 0 })
    #expect(heard.map { $0.record } == [1, 2, 3, 1, 2])
  }

  @Test func aCaptureThatCannotBeReadOnDoesNotEndTheOthers() throws {
    let whole = HandmadeCaptures.btsnoop(
      1002, (0..<3).map { .init(event, time: HandmadeCaptures.btsnoopTime + $0 * 1_000_000) })
    let outcome = try merge([Array("no capture".utf8), whole.dropLast(), whole])
    #expect(outcome.failed == [0, 1])
    #expect(outcome.heard.map { $0.milliseconds } == [0, 0, 1000, 1000, 2000])
  }

  @Test func aCaptureWithoutTimesIsNamed() throws {
    let untimed = HandmadeCaptures.hcidump([(true, event)])
    let outcome = try merge([HandmadeCaptures.btsnoop(1002, [.init(event)]), untimed])
    #expect(outcome.heard.count == 1)
    #expect(outcome.withoutTimes == [1])
  }

  @Test func nothingMoreIsReadForNobody() throws {
    #expect(try merge(at: [[0, 10], [5]], most: 0).heard.isEmpty)
  }

  /// Several times what one buffer holds, in each.
  @Test func longCapturesStayInOrder() throws {
    let even = (0..<20_000).map { Int64($0) * 2 }
    let heard = try merge(at: [even, even.map { $0 + 1 }]).heard
    #expect(heard.map { $0.milliseconds } == (0..<40_000).map { Int64($0) })
    #expect(heard.allSatisfy { $0.adapter == ($0.milliseconds % 2 == 0 ? 0 : 1024) })
  }
}
