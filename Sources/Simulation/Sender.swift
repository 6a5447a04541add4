import BluetoothLE

/// A device while a scene is played: its address, its turn, its chance.
struct Sender {
  var random: SplitMix
  private(set) var address = DeviceAddress(0)
  private(set) var addressType = AddressType.random
  /// When the address changes, in seconds.
  private var addressEnds = Double.infinity
  private var turn = 0
  /// The octets drawn with the address, for each of the contents.
  private var drawn: [[UInt8]] = []

  init(_ device: Device, _ random: SplitMix) {
    self.random = random
    switch device.address {
    case .fixed(let address, let type):
      self.address = address
      addressType = type
      draw(device)
    case .resolvable(let period):
      changeAddress(device)
      // Its period began at some time before the scene.
      addressEnds = self.random.uniform(0...period)
    }
  }

  /// The time of the first advertising event, in microseconds; nil where there is none.
  mutating func start(_ device: Device) -> Int64? {
    device.onAir.first.map { begin($0.lowerBound, device) }
  }

  /// The time of the advertising event after the one at `time`; nil where that was the last.
  mutating func next(_ device: Device, after time: Int64) -> Int64? {
    // Source: Core Specification 5.4, Vol 6, Part B, 4.4.2.2.1: advDelay is 0 to 10 ms.
    let next = time + Simulator.microseconds(device.interval + random.uniform(0...0.01))
    let seconds = Double(next) * 1e-6
    guard let span = device.onAir.first(where: { $0.upperBound > seconds }) else { return nil }
    return span.lowerBound <= seconds ? next : begin(span.lowerBound, device)
  }

  private mutating func begin(_ seconds: Double, _ device: Device) -> Int64 {
    Simulator.microseconds(seconds + random.uniform(0...device.interval))
  }

  /// What the device sends now.
  mutating func advertisement(_ device: Device, at seconds: Double) -> [UInt8] {
    if case .resolvable(let period) = device.address, seconds >= addressEnds {
      changeAddress(device)
      addressEnds += period
    }
    guard !device.contents.isEmpty else { return [] }
    let index = turn
    turn = (turn + 1) % device.contents.count
    switch device.contents[index] {
    case .fixed(let octets):
      return octets
    case .telemetry(let millivolts, let temperature256, let upFor):
      let up = upFor + seconds
      return BeaconFrame.eddystoneTLM(
        millivolts: millivolts, temperature256: temperature256,
        count: UInt32(truncatingIfNeeded: floor(up / device.interval)),
        deciseconds: UInt32(truncatingIfNeeded: floor(up * 10))
      ).advertisement
    case .drawn(let octets, _):
      return octets + drawn[index]
    }
  }

  private mutating func changeAddress(_ device: Device) {
    // The two top bits of a resolvable private address are 01. Source: Core Specification 5.4, Vol 6, Part B, 1.3.2.2.
    address = DeviceAddress(random.next() & 0x3fff_ffff_ffff | 0x4000_0000_0000)
    draw(device)
  }

  private mutating func draw(_ device: Device) {
    drawn = device.contents.map { content in
      guard case .drawn(_, let count) = content else { return [] }
      return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
    }
  }
}

/// Whose turn it is: a binary heap of times, equal ones in the order of the devices.
struct TurnQueue {
  private var heap: [(time: Int64, index: Int)] = []

  var first: (time: Int64, index: Int)? { heap.first }

  mutating func insert(_ time: Int64, _ index: Int) {
    heap.append((time, index))
    var place = heap.count - 1
    while place > 0, heap[place] < heap[(place - 1) / 2] {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Gives the first one its next turn.
  mutating func replaceFirst(with time: Int64) {
    heap[0].time = time
    settle()
  }

  mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    settle()
  }

  private mutating func settle() {
    var place = 0
    while true {
      var least = place
      for child in 2 * place + 1...2 * place + 2 where child < heap.count && heap[child] < heap[least] {
        least = child
      }
      guard least != place else { return }
      heap.swapAt(place, least)
      place = least
    }
  }
}
