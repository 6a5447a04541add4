import Proximity
import TestSupport
import Testing

/// The estimator against the benchmark pack's vectors, which a second implementation agreed with: every row of every file.
@Suite(
  .enabled(if: Corpus.rssiBench != nil, "the rssi-bench pack is not there: set BEACOND_CORPUS to the corpus beside it"))
struct GoldenTests {
  @Test(arguments: ["golden_ranging.csv", "golden_ranging_more.csv"])
  func rangingAgreesWithTheVectors(file: String) throws {
    let rows = try GoldenTable(file)
    let model = DistanceModel()
    let classifier = ProximityClassifier()
    var filter = LevelFilter()
    var power = PowerAtOneMeter(advertised: nil)
    var proximity = ProximityClass.unknown
    var checked = 0
    var fed = 0
    for row in rows.rows {
      if row.startsCase {
        filter = LevelFilter()
        proximity = .unknown
      }
      let now = try row.instant("t_s")
      guard row["kind"] == "Q" else {
        power = try PowerAtOneMeter(measured: row.number("P_dbm"), uncertainty: row.number("sigP_db"))
        filter.update(dBm: try row.number("rssi_dbm"), at: now)
        fed += 1
        continue
      }
      let level = try #require(filter.level(at: now))
      let distribution = model.distribution(level: level, power: power)
      let estimate = model.estimate(level: level, power: power)
      #expect(distribution.estimate == estimate)
      proximity = classifier.classify(log10Distance: estimate.log10Distance, after: proximity)
      try row.expect("m_dbm", level.mean)
      try row.expect("V_db2", level.variance)
      try row.expect("p_move", level.probabilityOfMoving, orWithin: 3e-4)
      try row.expect("d_m", estimate.distance)
      try row.expect("lo68_m", estimate.interval68.low)
      try row.expect("hi68_m", estimate.interval68.high)
      try row.expect("lo95_m", distribution.interval95.low)
      try row.expect("hi95_m", distribution.interval95.high)
      try row.expect("p_imm", distribution.probabilityImmediate, orWithin: 3e-4)
      try row.expect("p_near", distribution.probabilityNear, orWithin: 3e-4)
      try row.expect("p_far", distribution.probabilityFar, orWithin: 3e-4)
      #expect(row["class"] == "\(proximity.rawValue)", row.place)
      checked += 1
    }
    print("\(file): \(fed) packets fed, \(checked) rows checked of \(rows.rows.count)")
    #expect(checked > 0 && fed + checked == rows.rows.count)
  }

  @Test(arguments: ["golden_silence.csv", "golden_silence_more.csv"])
  func silenceAgreesWithTheVectors(file: String) throws {
    let rows = try GoldenTable(file)
    var clock = SilenceClock()
    var checked = 0
    for row in rows.rows {
      if row.startsCase { clock = SilenceClock() }
      clock.heard(rssi: try #require(Int8(row["rssi_dbm"])), at: try row.instant("t_s"))
      let timeOuts = clock.timeOuts(PresenceSettings())
      try row.expect("mu_s", clock.meanGap)
      try row.expect("L_dbm", clock.longTermLevel)
      try row.expect("T_exit_s", timeOuts.exit)
      try row.expect("T_unknown_s", timeOuts.unknown)
      checked += 1
    }
    print("\(file): \(checked) rows checked of \(rows.rows.count)")
    #expect(checked > 0 && checked == rows.rows.count)
  }
}

/// A file of the pack: named columns, and a first column that names the case.
private struct GoldenTable {
  struct Row {
    let place: Comment
    let startsCase: Bool
    let columns: [Substring: Int]
    let fields: [Substring]

    subscript(_ column: Substring) -> Substring { columns[column].map { fields[$0] } ?? "" }

    func number(_ column: Substring) throws -> Double { try #require(Double(self[column]), place) }

    func instant(_ column: Substring) throws -> Instant {
      Instant(nanoseconds: Int64((try number(column) * 1e9).rounded()))
    }

    /// Within 0.1 % of the file's value, or within `margin` of it.
    func expect(_ column: Substring, _ value: Double, orWithin margin: Double = 1e-9) throws {
      let expected = try number(column)
      #expect(
        abs(value - expected) <= max(1e-3 * abs(expected), margin),
        "\(column) is \(value), not \(expected), at \(place)")
    }
  }

  let rows: [Row]

  init(_ file: String) throws {
    let path = try #require(Corpus.rssiBench) + "/" + file
    let table = try #require(Corpus.table(path))
    let columns = Dictionary(uniqueKeysWithValues: zip(try #require(table.first), 0...))
    rows = table.indices.dropFirst().map { line in
      Row(
        place: "\(file), line \(line + 1)", startsCase: line == 1 || table[line][0] != table[line - 1][0],
        columns: columns, fields: table[line])
    }
  }
}
