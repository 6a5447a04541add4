import BluetoothLE
import Proximity
import Scanning
import Testing

struct ReplayClockTests {
  private func read(_ seconds: [Double]) -> [(instant: Double, step: Double?)] {
    var clock = ReplayClock()
    return seconds.map { second in
      let reading = clock.read(UnixTime(nanoseconds: Int64(second * 1e9)))
      return (Double(reading.instant.nanoseconds) / 1e9, reading.step.map { Double($0.nanoseconds) / 1e9 })
    }
  }

  @Test func aClockThatGoesOnIsTakenAsItIs() {
    let read = read([-5, 0, 10, 1e6])
    #expect(read.map { $0.instant } == [-5, 0, 10, 1e6])
    #expect(read.allSatisfy { $0.step == nil })
  }

  @Test func packetsWrittenOutOfOrderAreNoStep() {
    let read = read([10, 9.95, 11])
    #expect(read.map { $0.instant } == [10, 10, 11])
    #expect(read.allSatisfy { $0.step == nil })
  }

  @Test func afterAStepBackTimeGoesOnFromWhereItWas() {
    let read = read([100, 40, 41, 50, 20, 21])
    #expect(read.map { $0.instant } == [100, 100, 101, 110, 110, 111])
    #expect(read.map { $0.step } == [nil, 40, nil, nil, 20, nil])
  }

  @Test func hostileTimesNeverStepBackAndNeverTrap() {
    var clock = ReplayClock()
    var last = Int64.min
    for time: Int64 in [0, .max, .min, 5, .max, -5, .min, .min, .max, 0] {
      let instant = clock.read(UnixTime(nanoseconds: time)).instant.nanoseconds
      #expect(instant >= last)
      last = instant
    }
  }
}
