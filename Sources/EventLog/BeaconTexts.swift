import Linux
import Proximity

/// The JSON of beacons, kept for as long as they stay what they are: lists repeat it every second.
struct BeaconTexts {
  private static let places = 1024
  /// Octets kept for a beacon; a longer text, as a long name makes it, is made anew each time.
  private static let size = 384

  /// Which edition each place holds, and how many octets of it; 0 where there is none.
  private var editions = ContiguousArray(repeating: (edition: UInt64(0), length: 0), count: places)
  private var octets = ContiguousArray(repeating: UInt8(0), count: places * size)

  /// Writes the beacon.
  mutating func put(_ beacon: BeaconSnapshot, to output: inout OutputBuffer) {
    let place = Int(truncatingIfNeeded: beacon.edition >> 32) & (Self.places - 1)
    let start = place * Self.size
    if editions[place].edition == beacon.edition {
      let length = editions[place].length
      octets.withUnsafeBytes { output.put(UnsafeRawBufferPointer(rebasing: $0[start..<start + length])) }
      return
    }
    let before = output.count
    output.put(json: beacon)
    let length = output.count - before
    guard length <= Self.size else { return }
    output.withWaiting { waiting in
      octets.withUnsafeMutableBytes { target in
        UnsafeMutableRawBufferPointer(rebasing: target[start..<start + length])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: waiting[before...]))
      }
    }
    editions[place] = (beacon.edition, length)
  }
}
