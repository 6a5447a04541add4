import BluetoothLE
import Proximity

/// Counts who was heard in a capture, how often and how loud.
package struct BeaconCensus {
  /// Beacons counted apart; more are counted together, so that memory stays bounded.
  package static let mostBeacons = 65_536

  package struct Entry {
    package let identity: BeaconIdentity
    package fileprivate(set) var packets = 0
    package fileprivate(set) var first: UnixTime?
    package fileprivate(set) var last: UnixTime?
    /// Reports with an RSSI, and their sum, least and greatest in dBm.
    package fileprivate(set) var levels = 0
    fileprivate var levelSum = 0
    package fileprivate(set) var weakest = Int8.max
    package fileprivate(set) var strongest = Int8.min
    /// The address heard last.
    package fileprivate(set) var address: DeviceAddress?
    /// Whether another address was heard before.
    package fileprivate(set) var hasOtherAddresses = false
    /// As stated last, in dBm at 1 m.
    package fileprivate(set) var advertisedPower: Int?
    package fileprivate(set) var telemetry: EddystoneTLM?
    package fileprivate(set) var telemetryFrames = 0

    /// Mean RSSI in dBm; nil where no report had one.
    package var meanLevel: Double? { levels > 0 ? Double(levelSum) / Double(levels) : nil }

    /// Seconds from packet to packet on average; nil for a single one or a capture without times.
    package var meanInterval: Double? {
      guard packets > 1, let first, let last, last > first else { return nil }
      return (Double(last.nanoseconds) - Double(first.nanoseconds)) / 1e9 / Double(packets - 1)
    }
  }

  private struct Advertiser: Hashable {
    let address: DeviceAddress
    let type: AddressType
  }

  private var indices: [BeaconIdentity: Int] = [:]
  private var entries: [Entry] = []
  private var advertisers: [Advertiser: Int] = [:]
  /// All advertising reports, beacons' or not.
  package private(set) var reports = 0
  /// Reports of beacons that were too many to be counted apart.
  package private(set) var uncounted = 0

  package init() {}

  /// The beacons, those heard most often first.
  package var beacons: [Entry] {
    entries.sorted { $0.packets == $1.packets ? $0.identity < $1.identity : $0.packets > $1.packets }
  }

  package mutating func count(_ report: AdvertisingReport, at time: UnixTime?) {
    reports += 1
    guard report.isSound else { return }
    let advertiser = report.address.map { Advertiser(address: $0, type: report.addressType) }
    for frame in Frames(report.data) {
      if let identity = BeaconIdentity(frame) {
        guard let index = index(of: identity) else {
          uncounted += 1
          continue
        }
        entries[index].count(report, at: time)
        entries[index].advertisedPower = frame.powerAtOneMeter
        if let advertiser, advertisers.count < Self.mostBeacons { advertisers[advertiser] = index }
      } else if case .eddystoneTLM(let telemetry) = frame, let index = advertiser.flatMap({ advertisers[$0] }) {
        entries[index].telemetry = telemetry
        entries[index].telemetryFrames += 1
      }
    }
  }

  private mutating func index(of identity: BeaconIdentity) -> Int? {
    if let index = indices[identity] { return index }
    guard entries.count < Self.mostBeacons else { return nil }
    indices[identity] = entries.count
    entries.append(Entry(identity: identity))
    return entries.count - 1
  }
}

extension BeaconCensus.Entry {
  fileprivate mutating func count(_ report: AdvertisingReport, at time: UnixTime?) {
    packets += 1
    if let time {
      first = min(first ?? time, time)
      last = max(last ?? time, time)
    }
    if let level = report.receivedPower {
      levels += 1
      levelSum += Int(level)
      weakest = min(weakest, level)
      strongest = max(strongest, level)
    }
    if let heard = report.address {
      hasOtherAddresses = hasOtherAddresses || (address != nil && address != heard)
      address = heard
    }
  }
}
