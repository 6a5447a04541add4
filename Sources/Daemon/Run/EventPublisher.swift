import EventLog
import Linux
import Proximity

/// Sends events on: into the log what is to be kept, and everything to whoever listens.
package struct EventPublisher: ~Copyable {
  /// Called with every batch once it is on its way to the log, and with whether somebody keeps the clock right. Nobody may
  /// rely on what a power cut can still take back.
  package var listener: ((EventBatch, _ isClockSynchronized: Bool) -> Void)?
  /// Octets that went to the log.
  package private(set) var octets: Int64 = 0
  private let log: LogWriter
  private var json: EventJSON
  private var filter: RangeLogFilter
  private var lines = OutputBuffer()

  package init(_ log: LogWriter, _ rangeLog: RangeLog, gateway: String) {
    self.log = log
    lastSequence = log.next - 1
    json = EventJSON(gateway: gateway, from: log.next)
    filter = RangeLogFilter(rangeLog)
  }

  /// The `seq` of the last event.
  package private(set) var lastSequence: UInt64

  package mutating func publish(_ batch: EventBatch, isClockSynchronized: Bool) {
    json.isClockSynchronized = isClockSynchronized
    for event in batch.events where filter.passes(event, of: batch) {
      // Before it has a number: what finds no room leaves no gap.
      guard log.admits(isDurable: event.name.isDurable) else { continue }
      json.put(event, of: batch, into: &lines)
      lastSequence += 1
    }
    if lines.count > 0 {
      octets += Int64(lines.count)
      lines.withWaiting { log.append(lines: $0) }
      lines.discard()
    }
    listener?(batch, isClockSynchronized)
  }

  /// Takes over what another configuration says of events.
  package mutating func apply(_ rangeLog: RangeLog, gateway: String) {
    filter = RangeLogFilter(rangeLog)
    json = EventJSON(gateway: gateway, from: lastSequence + 1)
  }
}
