import BluetoothLE
import Proximity

/// The engine of one gateway between its configuration, its clocks and its saved state: all that a daemon decides, and
/// nothing that it waits for.
///
/// Instants are nanoseconds since boot. Events gather in `events`, for the caller to take out.
package struct Gateway {
  package private(set) var events = EventBatch()
  private var engine: Engine
  private var configuration: Configuration
  /// Regions that were added while the daemon ran.
  private var added: [Configuration.Region]
  private var authorizations: [Authorization.Service: Authorization] = [:]
  /// The clocks, as they hold for what is taken: when one of them was set last, or whether somebody keeps it right changed.
  package private(set) var clocks: Moment

  /// Starts where `saved` ended, or anew.
  ///
  /// With `isProven` every instant counts as heard, as in a recording; else a silence alone proves nothing.
  package init(
    _ configuration: Configuration, restoring saved: SavedState?, isProven: Bool = false, at moment: Moment
  ) {
    self.configuration = configuration
    let added = saved?.added(beside: configuration) ?? []
    self.added = added
    clocks = moment
    var settings = EngineSettings(configuration, adding: added)
    settings.isProvenThroughout = isProven
    let instant = Instant(nanoseconds: moment.sinceBoot)
    if let saved {
      var state = saved.engine
      let definitions = Dictionary(
        (configuration.regions + added).map { ($0.id, $0.definition) }, uniquingKeysWith: { first, _ in first })
      for index in state.regions.indices {
        let id = state.regions[index].id
        // What a log alone remembers has no definition.
        guard let before = saved.definitions[id]?.text, let now = definitions[id] else { continue }
        state.regions[index].isRedefined = before != now
      }
      engine = Engine(
        settings, restoring: state, elapsed: moment.nanoseconds(since: saved.moment), at: instant, utc: moment.utc,
        &events)
    } else {
      engine = Engine(settings, at: instant, utc: moment.utc, &events)
    }
  }

  /// Calls `body` with the events so far, and forgets them.
  package mutating func takeEvents(_ body: (EventBatch) -> Void) {
    body(events)
    events.removeAll()
  }

  /// When there is something to do though nothing comes in.
  package var nextDeadline: Instant? { engine.nextDeadline }

  /// Looks at the clocks; gives by how many seconds the wall clock was set since the last look, 0 if it was not.
  package mutating func read(_ moment: Moment) -> Double {
    let step = clocks.follow(moment)
    guard step != 0 else { return 0 }
    engine.setUTC(moment.utc, at: Instant(nanoseconds: moment.sinceBoot), &events)
    return step
  }

  package mutating func take(_ report: AdvertisingReport, from adapter: Int, at instant: Instant) {
    engine.take(report, from: adapter, at: instant, &events)
  }

  package mutating func advance(to instant: Instant) {
    engine.advance(to: instant, &events)
  }

  package mutating func scanner(_ adapter: Int, _ report: ScannerReport, at instant: Instant) {
    engine.scanner(adapter, report, at: instant, &events)
  }

  /// Says that a service may do something else than before, as long as it is another thing.
  package mutating func authorization(_ new: Authorization, at instant: Instant) {
    guard authorizations[new.service] != new else { return }
    authorizations[new.service] = new
    // What is due comes before it.
    engine.advance(to: instant, &events)
    let time = UnixTime(nanoseconds: instant.nanoseconds.addingReportingOverflow(clocks.offset).partialValue)
    events.append(Event(time: time, region: "", content: .didChangeAuthorization(new), location: nil))
  }

  package mutating func proof(_ adapter: Int, at instant: Instant) {
    engine.proof(adapter, at: instant, &events)
  }

  /// Reports of beacons that an adapter has heard since the start.
  package func sightings(of adapter: Int) -> UInt64 { engine.sightings(of: adapter) }

  // MARK: State

  /// What a later start goes on from; `sequence` is that of the last event so far.
  package func saved(at instant: Instant, after sequence: UInt64, isFinal: Bool) -> SavedState {
    var definitions: [String: SavedState.Definition] = [:]
    for region in configuration.regions { definitions[region.id] = .init(region.definition) }
    for region in added { definitions[region.id] = .init(region.definition, isAdded: true) }
    return SavedState(
      engine.state, at: clocks.advanced(to: instant), after: sequence, isFinal: isFinal, definitions: definitions)
  }

  // MARK: Configuration

  /// Takes over another configuration; regions that are defined as before keep their sides.
  package mutating func reload(_ new: Configuration, at instant: Instant) {
    added.removeAll { region in new.regions.contains { $0.id == region.id } }
    configuration = new
    engine.apply(EngineSettings(new, adding: added), at: instant, &events)
  }
}

extension Moment {
  /// Seconds: a smaller step of the wall clock is its steering.
  private static let smallestStep = 0.1

  /// By how many seconds the wall clock was set between the two; 0 if it was not.
  package func step(to later: Moment) -> Double {
    let (difference, overflow) = later.offset.subtractingReportingOverflow(offset)
    let step = overflow ? (later.offset > 0 ? 9e9 : -9e9) : Double(difference) * 1e-9
    return step.magnitude > Self.smallestStep ? step : 0
  }

  /// Takes over whether somebody keeps the clock right, and what it reads if it was set: by so many seconds, 0 if it was not.
  package mutating func follow(_ later: Moment) -> Double {
    let step = step(to: later)
    isSynchronized = later.isSynchronized
    if step != 0 { self = later }
    return step
  }

  /// Nanoseconds from boot to UTC.
  package var offset: Int64 { utc.nanoseconds.subtractingReportingOverflow(sinceBoot).partialValue }

  /// The same clocks, when the one since boot reads `instant`.
  package func advanced(to instant: Instant) -> Moment {
    var moment = self
    moment.sinceBoot = instant.nanoseconds
    moment.utc = UnixTime(nanoseconds: instant.nanoseconds.addingReportingOverflow(offset).partialValue)
    return moment
  }
}

extension SavedState {
  /// The regions that were added while the daemon ran and that no file defines.
  fileprivate func added(beside configuration: Configuration) -> [Configuration.Region] {
    let configured = Set(configuration.regions.map { $0.id })
    return definitions.filter { $0.value.isAdded && !configured.contains($0.key) }.sorted { $0.key < $1.key }
      .compactMap { Configuration.Region(definition: $0.value.text) }
  }
}
