/// Compares who is said to have come and left with the truth of a scene.
package struct PresenceTally: Sendable {
  /// Seconds: scatter carries a few packets further than the mean level reaches, so who comes is heard that much early.
  private static let earliest = 30.0

  private struct Saying: Sendable {
    let seconds: Double
    let isEnter: Bool
  }

  /// What became of a scene's comings and goings.
  package struct Counts: Sendable {
    package var trueEnters = 0
    package var trueExits = 0
    /// Of who was not there.
    package var falseEnters = 0
    /// Of who was still there, by device.
    package var falseExits: [Int]
    /// Those of them while somebody hid the device, so that there was nothing to be heard.
    package var hiddenExits: [Int]
    /// Of who was there all along, after a false exit.
    package var returns = 0
    package var missedEnters = 0
    package var missedExits = 0
    /// Seconds after the truth, in order, of those that were found.
    package var enterDelays: [Double] = []
    package var exitDelays: [Double] = []

    package var allFalseExits: Int { falseExits.reduce(0, +) }
  }

  private let scene: Scene
  private var sayings: [[Saying]]

  /// Of a scene of which nothing was said yet.
  package init(_ scene: Scene) {
    self.scene = scene
    sayings = scene.devices.map { _ in [] }
  }

  /// Notes that a device is said to have entered, or else left, so many seconds after the start.
  package mutating func note(device: Int, isEnter: Bool, at seconds: Double) {
    sayings[device].append(Saying(seconds: seconds, isEnter: isEnter))
  }

  /// What was said so far, held against the whole truth.
  package var counts: Counts {
    var counts = Counts(
      falseExits: scene.devices.map { _ in 0 }, hiddenExits: scene.devices.map { _ in 0 })
    for device in scene.devices.indices { count(device, &counts) }
    counts.enterDelays.sort()
    counts.exitDelays.sort()
    return counts
  }

  private func count(_ device: Int, _ counts: inout Counts) {
    let spans = scene.presence(device: device)
    var entered = spans.map { _ in false }
    var left = entered
    for saying in sayings[device] {
      // The stay that is, or comes next.
      let next = spans.firstIndex { $0.upperBound > saying.seconds }
      let isEarly = next.map { spans[$0].lowerBound - saying.seconds > 0 } ?? false
      let isThere = next.map { spans[$0].lowerBound - saying.seconds <= Self.earliest } ?? false
      if saying.isEnter {
        guard let next, isThere else {
          counts.falseEnters += 1
          continue
        }
        if entered[next] {
          counts.returns += 1
        } else {
          entered[next] = true
          counts.enterDelays.append(saying.seconds - spans[next].lowerBound)
        }
      } else if isThere, !isEarly {
        counts.falseExits[device] += 1
        if scene.isHidden(device: device, at: saying.seconds) { counts.hiddenExits[device] += 1 }
      } else if let last = spans.lastIndex(where: { $0.upperBound <= saying.seconds }), entered[last], !left[last] {
        left[last] = true
        // Who is there at the end leaves with the scene, which is none of its exits.
        guard spans[last].upperBound < scene.duration else { continue }
        counts.exitDelays.append(saying.seconds - spans[last].upperBound)
      }
    }
    counts.trueEnters += spans.count
    counts.missedEnters += entered.count { !$0 }
    for (span, left) in zip(spans, left) where span.upperBound < scene.duration {
      counts.trueExits += 1
      if !left { counts.missedExits += 1 }
    }
  }
}
