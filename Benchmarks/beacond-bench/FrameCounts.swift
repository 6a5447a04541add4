/// Counts the frames in JSON lines by kind, octet by octet.
///
/// A frame's object starts with its kind and no other object does, so `{"kind":"` is enough to find one.
struct FrameCounts {
  private static let start = Array("{\"kind\":\"".utf8)

  private(set) var counts: [String: Int] = [:]
  private(set) var lines = 0
  /// How many octets of `start` the last ones are.
  private var matched = 0
  private var word: [UInt8] = []

  mutating func read(_ octets: UnsafeRawBufferPointer) {
    for octet in octets {
      if octet == UInt8(ascii: "\n") { lines += 1 }
      if matched == Self.start.count {
        if octet == UInt8(ascii: "\"") {
          counts[String(decoding: word, as: UTF8.self), default: 0] += 1
          word.removeAll(keepingCapacity: true)
          matched = 0
        } else {
          word.append(octet)
        }
      } else if octet == Self.start[matched] {
        matched += 1
      } else {
        matched = octet == Self.start[0] ? 1 : 0
      }
    }
  }
}
