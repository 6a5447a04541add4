import BluetoothLE
import Proximity

/// HCI event packets that were heard since somebody looked last, in memory that is used again.
package struct HeardPackets {
  private struct Entry {
    let instant: Instant
    let adapter: Int
    /// Its place in the memory.
    let start: Int
    let end: Int
  }

  private var entries: ContiguousArray<Entry> = []
  private var octets: ContiguousArray<UInt8> = []
  private var isSorted = true

  package init() {}

  package var count: Int { entries.count }

  /// Adds an event packet, without its H4 octet, that was heard at an instant since boot.
  package mutating func append(_ packet: UnsafeRawBufferPointer, from adapter: Int, at instant: Instant) {
    if let last = entries.last, instant < last.instant { isSorted = false }
    let start = octets.count
    octets.append(contentsOf: packet)
    entries.append(Entry(instant: instant, adapter: adapter, start: start, end: octets.count))
  }

  /// Calls `body` with each packet in the order of time, of one time in the order of adapters, then of arrival; and
  /// forgets them.
  package mutating func takeAll(_ body: (Octets, _ adapter: Int, Instant) -> Void) {
    if !isSorted {
      entries.sort { a, b in
        (a.instant, a.adapter, a.start) < (b.instant, b.adapter, b.start)
      }
    }
    octets.withUnsafeBytes { octets in
      for entry in entries {
        let packet = Octets(UnsafeRawBufferPointer(rebasing: octets[entry.start..<entry.end]))
        body(packet, entry.adapter, entry.instant)
      }
    }
    entries.removeAll(keepingCapacity: true)
    octets.removeAll(keepingCapacity: true)
    isSorted = true
  }
}
