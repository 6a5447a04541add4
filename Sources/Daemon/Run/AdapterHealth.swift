import Linux
import Proximity
import Scanning

/// How an adapter does, for people.
package struct AdapterHealth: Hashable, Sendable {
  package var adapter: LiveAdapter
  /// What its scanner was last said to do; nil before that.
  package var state: ScannerState?
  /// Over the last minute.
  package var reportsPerSecond: Double
  /// ... of beacons, and of devices that are watched by their addresses.
  package var beaconsPerSecond: Double
  /// Nil while there was none.
  package var secondsSinceReport: Double?
  package var counters: AdapterCounters

  package init(
    adapter: LiveAdapter, state: ScannerState?, reportsPerSecond: Double, beaconsPerSecond: Double,
    secondsSinceReport: Double?, counters: AdapterCounters
  ) {
    self.adapter = adapter
    self.state = state
    self.reportsPerSecond = reportsPerSecond
    self.beaconsPerSecond = beaconsPerSecond
    self.secondsSinceReport = secondsSinceReport
    self.counters = counters
  }

  /// `hci0 fa:1e:00:00:00:01: scanning; 31.9 reports/s, 12.0 of beacons; the last 0.1 s ago; ...`.
  package var line: String {
    OutputBuffer.text { output in
      if let index = adapter.index {
        output.put("hci")
        output.put(decimal: Int(index))
        output.put(" ")
      }
      output.put(string: "\(adapter.address): \(state?.rawValue ?? "starting"); ")
      output.put(fixed: reportsPerSecond, places: 1)
      output.put(" reports/s, ")
      output.put(fixed: beaconsPerSecond, places: 1)
      output.put(" of beacons; ")
      if let secondsSinceReport {
        output.put("the last ")
        output.put(fixed: secondsSinceReport, places: 1)
        output.put(" s ago; ")
      }
      output.put(
        string: "\(counters.reports) reports, \(counters.dropped) lost, \(counters.resets) resets since the start")
    }
  }
}

/// Counts over the last minute.
package struct HealthMeter {
  /// What an adapter had heard so far.
  package struct Totals: Hashable, Sendable {
    package var reports: UInt64
    package var sightings: UInt64

    package init(reports: UInt64, sightings: UInt64) {
      self.reports = reports
      self.sightings = sightings
    }
  }

  private struct Sample {
    let instant: Instant
    /// By the adapters' numbers.
    let totals: [Totals]
  }

  /// Seconds.
  private static let interval = 10.0
  private static let span = 60.0

  private var samples: [Sample]

  package init(at start: Instant) {
    samples = [Sample(instant: start, totals: [])]
  }

  /// It is time for `sample`.
  package func isDue(at now: Instant) -> Bool {
    now.seconds(since: samples[samples.count - 1].instant) >= Self.interval
  }

  package mutating func sample(_ totals: [Totals], at now: Instant) {
    samples.append(Sample(instant: now, totals: totals))
    while samples.count > 1, now.seconds(since: samples[1].instant) >= Self.span { samples.removeFirst() }
  }

  /// Reports and sightings a second of an adapter that has heard so much by now.
  package func rates(of adapter: Int, _ totals: Totals, at now: Instant) -> (reports: Double, sightings: Double) {
    let oldest = samples[0]
    let seconds = now.seconds(since: oldest.instant)
    guard seconds > 0 else { return (0, 0) }
    let before = adapter < oldest.totals.count ? oldest.totals[adapter] : Totals(reports: 0, sightings: 0)
    return (
      Double(totals.reports - before.reports) / seconds, Double(totals.sightings - before.sightings) / seconds
    )
  }
}
