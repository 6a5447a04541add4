import BluetoothLE
import Linux
import Proximity

/// Writes what is heard into a btsnoop capture, with all that the engine is told beside: a replay of it gives the same
/// events.
///
/// Its times are those of the boot clock, from the wall clock's at the start on: they never step. An adapter's index is
/// its number, which it keeps, whatever the kernel calls it.
package final class Recorder {
  package struct Settings: Hashable, Sendable {
    /// Form 1002 has no place for notes and tells no adapter from another.
    package var datalink = BTSnoopWriter.Datalink.monitor
    /// Octets; what would make it longer ends it.
    package var mostOctets = Int64.max
    package var isBeaconsOnly = false

    package init() {}
  }

  /// Octets that wait before they are written, and nanoseconds that they may.
  private static let mostWaiting = 32 << 10
  private static let longestWait: Int64 = 1_000_000_000
  /// Nanoseconds between two notes that somebody was heard who is left out.
  private static let timeBetweenHeard: Int64 = 1_000_000_000
  /// Octets for the last note.
  private static let endSize: Int64 = 64

  private let file: FileDescriptor
  private let settings: Settings
  private let writer: BTSnoopWriter
  /// Nanoseconds from the boot clock to the recording's times.
  private var offset: Int64 = 0
  private var filter: BeaconFilter?
  private var waiting: [UInt8] = []
  private var written: Int64 = 0
  private var writtenAt = Instant.distantPast
  private var last = Instant.distantPast
  private var known: [LiveAdapter] = []
  private var heardAt: [Instant] = []
  private var hasEnded = false

  /// Event packets so far.
  package private(set) var packets = 0
  /// It has reached its size, and takes no more.
  package private(set) var isFull = false
  /// Why it takes no more; what is there is whole.
  package private(set) var failure: SystemError?

  package init(_ file: consuming FileDescriptor, _ settings: Settings = Settings()) {
    self.file = file
    self.settings = settings
    writer = BTSnoopWriter(settings.datalink)
    filter = settings.isBeaconsOnly ? BeaconFilter() : nil
  }

  /// Begins at an instant on the boot clock; `offset` is from it to UTC, in nanoseconds.
  package func begin(at instant: Instant, offset: Int64, isClockSynchronized: Bool) {
    self.offset = offset
    writtenAt = instant
    writer.appendHeader(to: &waiting)
    note(.start(isClockSynchronized: isClockSynchronized), at: instant)
  }

  /// Octets so far.
  package var size: Int64 { written + Int64(waiting.count) }

  // MARK: What is recorded

  /// Takes an event packet, without its H4 octet, that an adapter has heard.
  package func take(_ packet: Octets, from adapter: Int, at instant: Instant) {
    guard filter != nil else { return write(packet, adapter, at: instant) }
    let captured = CapturedPacket(
      record: 0, time: nil, adapter: index(adapter), content: .hci(.event), octets: packet, isCut: false)
    let hasLeftOut = filter?.pass(captured) { write($0, adapter, at: instant) } ?? false
    guard hasLeftOut, (0..<LiveAdapter.most).contains(adapter) else { return }
    while heardAt.count <= adapter { heardAt.append(.distantPast) }
    if instant.nanoseconds(since: heardAt[adapter]) >= Self.timeBetweenHeard {
      heardAt[adapter] = instant
      note(.heard, of: adapter, at: instant)
    }
  }

  /// Notes what the engine is told; `adapter` is whom it is about.
  package func note(_ note: RecordingNote, of adapter: Int? = nil, at instant: Instant) {
    append(at: instant) { write(note, of: adapter, at: $0, to: &$1) }
  }

  /// Notes which adapters have come and gone, and which are on.
  package func adapters(_ present: [LiveAdapter], at instant: Instant) {
    guard present != known else { return }
    for (number, adapter) in present.enumerated() {
      let before = number < known.count ? known[number] : LiveAdapter(adapter.address, index: nil, isPowered: false)
      if before.isPowered, !adapter.isPowered || before.index != adapter.index {
        notice(.closeIndex, number, at: instant)
      }
      if let old = before.index, old != adapter.index { notice(.deleteIndex, number, at: instant) }
      if let new = adapter.index, new != before.index {
        append(at: instant) { time, octets in
          writer.appendNewIndex(adapter.address, name: "hci\(new)", adapter: index(number), at: time, to: &octets)
        }
      }
      if adapter.isPowered, !before.isPowered || before.index != adapter.index {
        notice(.openIndex, number, at: instant)
      }
    }
    known = present
  }

  // MARK: The file

  /// Writes what has waited long enough.
  package func flush(at instant: Instant) {
    if waiting.count >= Self.mostWaiting || instant.nanoseconds(since: writtenAt) >= Self.longestWait {
      flush()
      writtenAt = instant
    }
  }

  /// Ends the recording; on return it is on the disk, or `failure` says why not.
  package func end(at instant: Instant) {
    guard !hasEnded, failure == nil else { return }
    hasEnded = true
    write(.end, of: nil, at: time(max(last, instant)), to: &waiting)
    flush()
    guard failure == nil, file.fileSize != nil else { return }
    do throws(SystemError) {
      try file.synchronize()
    } catch {
      failure = error
    }
  }

  /// The index of no adapter. Source: Linux, `include/net/bluetooth/hci.h`, HCI_DEV_NONE.
  private static let noAdapter: UInt16 = 0xffff

  private func index(_ adapter: Int) -> UInt16 { UInt16(truncatingIfNeeded: adapter) }

  private func time(_ instant: Instant) -> UnixTime {
    UnixTime(nanoseconds: instant.nanoseconds.addingReportingOverflow(offset).partialValue)
  }

  private func write(_ packet: Octets, _ adapter: Int, at instant: Instant) {
    append(at: instant) { time, octets in
      writer.appendEvent(packet, adapter: index(adapter), at: time, to: &octets)
    }
    if !isFull { packets += 1 }
  }

  private func write(
    _ note: RecordingNote, of adapter: Int?, at time: UnixTime, to octets: inout [UInt8]
  ) {
    let payload = Array(note.text.utf8) + [0]
    payload.withUnsafeBytes {
      _ = writer.appendNotice(
        .systemNote, Octets($0), adapter: adapter.map { index($0) } ?? Self.noAdapter, at: time, to: &octets)
    }
  }

  private func notice(_ opcode: MonitorOpcode, _ adapter: Int, at instant: Instant) {
    append(at: instant) { time, octets in
      writer.appendNotice(opcode, Octets(), adapter: index(adapter), at: time, to: &octets)
    }
  }

  /// Appends a record, as long as there is room.
  private func append(at instant: Instant, _ body: (UnixTime, inout [UInt8]) -> Void) {
    if isFull || hasEnded || failure != nil { return }
    last = max(last, instant)
    let before = waiting.count
    body(time(last), &waiting)
    if size > settings.mostOctets - Self.endSize {
      waiting.removeLast(waiting.count - before)
      isFull = true
    }
  }

  private func flush() {
    if waiting.isEmpty || failure != nil { return }
    do throws(SystemError) {
      try file.write(octets: waiting)
      written += Int64(waiting.count)
    } catch {
      failure = error
      // A record that was cut in two is no record.
      if file.fileSize != nil { try? file.truncate(to: written) }
    }
    waiting.removeAll(keepingCapacity: true)
  }
}
