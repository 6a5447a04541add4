import BluetoothLE
import Proximity
import Scanning
import Testing

struct ReplayClockTests {
  private func milliseconds(_ value: Int64) -> UnixTime { UnixTime(nanoseconds: value * 1_000_000) }

  @Test func aRecordingsTimeIsTheInstant() {
    var clock = ReplayClock()
    for time in [-5000, 0, 1, 1, 90_000_000] as [Int64] {
      let reading = clock.read(milliseconds(time))
      #expect(reading.instant.nanoseconds == time * 1_000_000)
      #expect(reading.step == nil)
    }
  }

  @Test func packetsWrittenOutOfOrderStandAtTheNewestInstant() {
    var clock = ReplayClock()
    _ = clock.read(milliseconds(1000))
    let late = clock.read(milliseconds(900))
    #expect(late.instant.nanoseconds == 1_000_000_000)
    #expect(late.step == nil)
    #expect(clock.read(milliseconds(1100)).instant.nanoseconds == 1_100_000_000)
  }

  @Test func aStepBackChangesTheOffsetAndNotTheInstant() {
    var clock = ReplayClock()
    _ = clock.read(milliseconds(100_000))
    let step = clock.read(milliseconds(40_000))
    #expect(step.instant.nanoseconds == 100_000_000_000)
    #expect(step.step == milliseconds(40_000))
    let next = clock.read(milliseconds(40_500))
    #expect(next.instant.nanoseconds == 100_500_000_000)
    #expect(next.step == nil)
  }

  @Test func withoutTimesPacketsStandAnIntervalApart() throws {
    func packet(_ record: UInt64, _ time: UnixTime? = nil) -> CapturedPacket {
      CapturedPacket(
        record: record, time: time, adapter: 0, content: .other,
        octets: Octets(UnsafeRawBufferPointer(start: nil, count: 0)), isCut: false)
    }
    var told = ReplayClock(interval: 0.25)
    let instants = [1, 5, .max].map { told.read(packet($0))?.instant }
    #expect(instants.prefix(2) == [Instant(nanoseconds: 0), Instant(nanoseconds: 1_000_000_000)])
    #expect(try #require(instants[2]) > Instant(nanoseconds: 1_000_000_000))
    var untold = ReplayClock()
    let readings = [untold.read(packet(1)), untold.read(packet(1, milliseconds(7)))]
    #expect(readings[0] == nil)
    #expect(readings[1]?.instant.nanoseconds == 7_000_000)
  }

  @Test func timesAtTheEndsOfTheRangeDoNotTrap() {
    var clock = ReplayClock()
    var last = Instant.distantPast
    for time in [0, Int64.max, .min, .max, -1, .min, 0] {
      let reading = clock.read(UnixTime(nanoseconds: time))
      #expect(reading.instant >= last)
      last = reading.instant
    }
  }
}
