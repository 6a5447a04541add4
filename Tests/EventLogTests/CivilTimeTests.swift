import BluetoothLE
import EventLog
import Foundation
import TestSupport
import Testing

struct CivilTimeTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
      (1_717_228_800_001_999_999, "2024-06-01T08:00:00.001Z"),
      (951_782_400_000_000_000, "2000-02-29T00:00:00.000Z"),  // a leap year, being divisible by 400
      (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000Z"),  // the day after 28 February: 2100 is none
      (-2_203_891_200_000_000_000, "1900-03-01T00:00:00.000Z"),
      (1_709_164_800_000_000_000, "2024-02-29T00:00:00.000Z"),
      (1_735_689_599_999_999_999, "2024-12-31T23:59:59.999Z"),
      (2_147_483_648_000_000_000, "2038-01-19T03:14:08.000Z"),
      (.max, "2262-04-11T23:47:16.854Z"),
      (.min, "1677-09-21T00:12:43.145Z"),
    ] as [(Int64, String)])
  func knownMoments(_ nanoseconds: Int64, text: String) {
    #expect(written { $0.put(iso8601: UnixTime(nanoseconds: nanoseconds)) } == text)
  }

  @Test func everyDayOfFourCenturiesFollowsTheOneBefore() {
    let isLeap = { (year: Int64) in year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
    var (year, month, day): (Int64, Int, Int) = (1800, 1, 1)
    // 1800-01-01 is 62,091 days before 1970.
    for number in Int64(-62_091)..<(-62_091 + 146_097) {
      let civil = CivilTime(UnixTime(nanoseconds: number * 86_400_000_000_000))
      guard civil.year == year, civil.month == month, civil.day == day else {
        Issue.record("day \(number) is \(civil), must be \(year)-\(month)-\(day)")
        return
      }
      let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      day += 1
      if day > lengths[month - 1] { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
    #expect(year == 2200)
  }

  @Test func timesOfDayAreFoundationsOnBothSidesOf1970() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    var random = SplitMix(seed: 9)
    for _ in 0..<2000 {
      let seconds = Int64(bitPattern: random.next()) % 6_000_000_000
      let civil = CivilTime(UnixTime(seconds: seconds, fraction: 0))
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(seconds)))
      #expect(parts.year == Int(civil.year))
      #expect(parts.month == civil.month)
      #expect(parts.day == civil.day)
      #expect(parts.hour == civil.hour)
      #expect(parts.minute == civil.minute)
      #expect(parts.second == civil.second)
    }
  }

  @Test(
    arguments: [
      (0, "0.000000"), (1_717_228_800_001_000_000, "1717228800.001000"), (-1_500_000_000, "-1.500000"),
      (-1000, "-0.000001"), (-1, "0.000000"), (999_999_999, "1.000000"),
    ] as [(Int64, String)])
  func unixSecondsHaveMicroseconds(_ nanoseconds: Int64, text: String) {
    #expect(written { $0.put(unixSeconds: UnixTime(nanoseconds: nanoseconds)) } == text)
  }
}
