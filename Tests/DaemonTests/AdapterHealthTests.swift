import BluetoothLE
import Daemon
import Proximity
import Scanning
import Testing

struct AdapterHealthTests {
  private func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

  private func totals(_ reports: UInt64, _ sightings: UInt64 = 0) -> HealthMeter.Totals {
    HealthMeter.Totals(reports: reports, sightings: sightings)
  }

  private func rates(
    _ meter: HealthMeter, _ adapter: Int, _ totals: HealthMeter.Totals, at seconds: Double
  ) -> [Double] {
    let rates = meter.rates(of: adapter, totals, at: instant(seconds))
    return [rates.reports, rates.sightings].map { ($0 * 1e6).rounded() / 1e6 }
  }

  @Test func ratesAreThoseOfTheLastMinute() {
    var meter = HealthMeter(at: instant(100))
    #expect(rates(meter, 0, totals(0), at: 100) == [0, 0])
    // Ten a second for a minute, then one.
    #expect(rates(meter, 0, totals(50, 20), at: 105) == [10, 4])
    #expect(!meter.isDue(at: instant(109)) && meter.isDue(at: instant(110)))
    for step in 1...6 as ClosedRange<UInt64> {
      meter.sample([totals(step * 100, step * 40)], at: instant(100 + Double(step) * 10))
    }
    #expect(rates(meter, 0, totals(600, 240), at: 160) == [10, 4])
    for step in 7...12 as ClosedRange<UInt64> {
      meter.sample([totals(600 + (step - 6) * 10, 240)], at: instant(100 + Double(step) * 10))
    }
    #expect(rates(meter, 0, totals(660, 240), at: 220) == [1, 0])
    // One that came a moment ago.
    #expect(rates(meter, 1, totals(120), at: 220) == [2, 0])
  }

  @Test func aLineSaysItAll() {
    var counters = AdapterCounters()
    counters.reports = 2779
    counters.dropped = 3
    counters.resets = 1
    var health = AdapterHealth(
      adapter: LiveAdapter(DeviceAddress(0xfa1e_0000_0001), index: 0, isPowered: true), state: .scanning,
      reportsPerSecond: 31.94, beaconsPerSecond: 12, secondsSinceReport: 0.06, counters: counters)
    #expect(
      health.line == "hci0 fa:1e:00:00:00:01: scanning; 31.9 reports/s, 12.0 of beacons; the last 0.1 s ago; "
        + "2779 reports, 3 lost, 1 resets since the start")
    health.adapter.index = nil
    health.state = nil
    health.secondsSinceReport = nil
    #expect(health.line.hasPrefix("fa:1e:00:00:00:01: starting; 31.9 reports/s, 12.0 of beacons; 2779 reports"))
  }
}
