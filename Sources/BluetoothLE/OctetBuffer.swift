/// Octets that the module owns, of a fixed capacity: what must be put together before it can be read.
final class OctetBuffer {
  private let base: UnsafeMutableRawPointer
  let capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    base = .allocate(byteCount: capacity, alignment: 8)
    self.capacity = capacity
  }

  deinit {
    base.deallocate()
  }

  /// Valid until the buffer changes or goes.
  var octets: Octets { Octets(base: base, count: count) }

  func removeAll() {
    count = 0
  }

  /// Appends what fits; false when that was not all.
  @discardableResult
  func append(_ octets: Octets) -> Bool {
    let fitting = min(octets.count, capacity - count)
    octets.withUnsafeBytes { source in
      if fitting > 0, let start = source.baseAddress { (base + count).copyMemory(from: start, byteCount: fitting) }
    }
    count += fitting
    return fitting == octets.count
  }

  @discardableResult
  func append(_ octet: UInt8) -> Bool {
    guard count < capacity else { return false }
    base.storeBytes(of: octet, toByteOffset: count, as: UInt8.self)
    count += 1
    return true
  }
}
