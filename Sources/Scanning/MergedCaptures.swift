import BluetoothLE
import Linux
import Proximity

/// Several captures as one, in the order of time; one capture is the simplest case.
///
/// A capture that begins when another has ended goes on with that one's adapters, as the parts of one recording do;
/// captures that overlap are heard by adapters of their own.
package struct MergedCaptures {
  /// Each has a buffer of its own.
  package static let most = 64

  private var parts: [CapturePart] = []
  private let interval: Double?

  /// `interval` is the time in seconds from packet to packet in captures without times.
  package init(interval: Double? = nil) {
    self.interval = interval
  }

  /// Adds a capture; of one instant the packets of those added first come first.
  package mutating func add(_ stream: consuming CaptureStream) {
    parts.append(CapturePart(stream, ReplayClock(interval: interval)))
  }

  /// Size of all together in octets, where they are files.
  package var size: Int64? {
    var sum: Int64 = 0
    for part in parts {
      guard let size = part.size else { return nil }
      sum += size
    }
    return sum
  }

  /// The captures that were read to the end, but packets passed over: they have no times, and nobody said how far apart
  /// they are.
  package var withoutTimes: [Int] { parts.indices.filter { parts[$0].lacksTimes && !parts[$0].hasFailed } }

  /// Calls `body` with each packet, `waiting` before more is read, with the octets read so far, and `failed` with the
  /// number of a capture that cannot be read on; the others are. Ends early when `waiting` gives false.
  package mutating func forEachPacket(
    waiting: (UInt64) -> Bool, failed: (Int, CaptureStream.Failure) -> Void,
    _ body: (CapturedPacket, ReplayClock.Reading) -> Void
  ) {
    guard parts.count > 1 else { return forEachPacketOfOne(waiting, failed, body) }
    for index in parts.indices where !fill(index, waiting, failed) { return }
    while let next = firstPart {
      if parts[next].adapters == nil { parts[next].adapters = freeAdapters }
      parts[next].takeFirst(body)
      guard parts[next].first == nil else { continue }
      guard fill(next, waiting, failed) else { return }
      if parts[next].first == nil { parts[next].adapters = nil }
    }
  }

  /// The same of a single capture: no packet has to wait for another's, so none is copied.
  private func forEachPacketOfOne(
    _ waiting: (UInt64) -> Bool, _ failed: (Int, CaptureStream.Failure) -> Void,
    _ body: (CapturedPacket, ReplayClock.Reading) -> Void
  ) {
    guard let part = parts.first else { return }
    do throws(CaptureStream.Failure) {
      while !part.hasEnded, waiting(part.position) { try part.read(body) }
    } catch {
      failed(0, error)
    }
  }

  /// Reads on in one that has no packet in memory; false if that is no use any more.
  private func fill(
    _ index: Int, _ waiting: (UInt64) -> Bool, _ failed: (Int, CaptureStream.Failure) -> Void
  ) -> Bool {
    do throws(CaptureStream.Failure) {
      while parts[index].first == nil, !parts[index].hasEnded {
        guard waiting(parts.reduce(0) { $0 + $1.position }) else { return false }
        try parts[index].refill()
      }
    } catch {
      failed(index, error)
    }
    return true
  }

  /// The one whose packet comes next: of one instant those that have begun come before the others.
  private var firstPart: Int? {
    var best: Int?
    for index in parts.indices {
      guard let instant = parts[index].first else { continue }
      guard let known = best, let least = parts[known].first else {
        best = index
        continue
      }
      let isEarlier = instant < least
      let hasBegun = parts[index].adapters != nil && parts[known].adapters == nil
      if isEarlier || instant == least && hasBegun { best = index }
    }
    return best
  }

  /// The lowest number of a set of adapters that no capture stands for.
  private var freeAdapters: UInt16 {
    let taken = parts.compactMap { $0.adapters }
    return (0...UInt16(parts.count)).first { !taken.contains($0) } ?? 0
  }
}

/// One of the captures; what it holds of itself is copied out of the buffer that is read into.
private final class CapturePart {
  private struct Held {
    let record: UInt64
    let adapter: UInt16
    let content: CapturedPacket.Content
    let isCut: Bool
    let reading: ReplayClock.Reading
    let end: Int
  }

  /// A number has room for so many adapters of one capture, more than an adapter's index ever reaches.
  private static let adaptersOfOne: UInt16 = 1024

  private var stream: CaptureStream
  private var clock: ReplayClock
  private var held: ContiguousArray<Held> = []
  private var octets: ContiguousArray<UInt8> = []
  private var next = 0
  private var start = 0
  private(set) var hasFailed = false
  private(set) var lacksTimes = false
  /// Which set of adapters it stands for; nil before its first packet and after its last.
  var adapters: UInt16?

  init(_ stream: consuming CaptureStream, _ clock: ReplayClock) {
    self.stream = stream
    self.clock = clock
  }

  var size: Int64? { stream.size }
  var position: UInt64 { stream.position }
  var hasEnded: Bool { hasFailed || stream.hasEnded }

  /// When the first packet in memory was heard; nil where there is none.
  var first: Instant? { next < held.count ? held[next].reading.instant : nil }

  /// Reads what comes next; packets before a failure are kept.
  func refill() throws(CaptureStream.Failure) {
    held.removeAll(keepingCapacity: true)
    octets.removeAll(keepingCapacity: true)
    next = 0
    start = 0
    try read { packet, reading in
      packet.octets.withUnsafeBytes { octets.append(contentsOf: $0) }
      held.append(
        Held(
          record: packet.record, adapter: packet.adapter, content: packet.content, isCut: packet.isCut,
          reading: reading, end: octets.count))
    }
  }

  /// Reads on, and calls `body` with each packet that has a time.
  func read(_ body: (CapturedPacket, ReplayClock.Reading) -> Void) throws(CaptureStream.Failure) {
    // Locals: whether an object's own are in use is asked at each access while the program runs.
    var clock = clock
    var lacksTimes = lacksTimes
    defer {
      self.clock = clock
      self.lacksTimes = lacksTimes
    }
    do throws(CaptureStream.Failure) {
      guard try stream.refill() else { return }
      try stream.read { packet in
        guard let reading = clock.read(packet) else {
          lacksTimes = true
          return
        }
        body(packet, reading)
      }
    } catch {
      hasFailed = true
      throw error
    }
  }

  func takeFirst(_ body: (CapturedPacket, ReplayClock.Reading) -> Void) {
    let first = held[next]
    octets.withUnsafeBytes { octets in
      let packet = CapturedPacket(
        record: first.record, time: first.reading.time,
        adapter: first.adapter &+ (adapters ?? 0) &* Self.adaptersOfOne, content: first.content,
        octets: Octets(UnsafeRawBufferPointer(rebasing: octets[start..<first.end])), isCut: first.isCut)
      body(packet, first.reading)
    }
    start = first.end
    next += 1
  }
}
