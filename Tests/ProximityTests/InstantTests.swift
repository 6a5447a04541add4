import Proximity
import Testing

struct InstantTests {
  @Test func differencesAreSeconds() {
    #expect(Instant(nanoseconds: 1_500_000_000).seconds(since: Instant(nanoseconds: 1_000_000_000)) == 0.5)
    #expect(Instant(nanoseconds: 0).seconds(since: Instant(nanoseconds: 250_000_000)) == -0.25)
  }

  @Test func arithmeticSaturates() {
    #expect(Instant.distantFuture.advanced(by: 1) == .distantFuture)
    #expect(Instant.distantPast.advanced(by: -1) == .distantPast)
    #expect(Instant(nanoseconds: 0).advanced(by: 1e300) == .distantFuture)
    #expect(Instant.distantFuture.seconds(since: .distantPast) > 9e9)
    #expect(Instant.distantPast.seconds(since: .distantFuture) < -9e9)
  }
}
