/// Joins the fragments of extended advertisements: per adapter, advertiser, set and type.
///
/// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.13 (data status). Memory is fixed: at most `capacity` chains
/// of `longestData` octets are open at once; the oldest gives way, given out as truncated.
package struct AdvertisementAssembler {
  /// The longest advertising data. Source: Core Specification 5.4, Vol 4, Part E, 7.8.57.
  package static let longestData = 1650
  /// Chains open at once. A controller sends a chain's fragments back to back; this allows for many adapters and for
  /// fragments that never end.
  package static let capacity = 32

  private struct Key: Equatable {
    var adapter: UInt16
    var addressType: AddressType
    var address: UInt64
    var sid: UInt8
    var properties: UInt16

    init(_ report: AdvertisingReport, _ adapter: UInt16) {
      self.adapter = adapter
      addressType = report.addressType
      address = report.addressValue
      sid = report.extended.sid
      properties = report.eventType & ExtendedEventType.properties
    }
  }

  private struct Chain {
    let key: Key
    let data: OctetBuffer
    var last: AdvertisingReport
    var fragments: UInt16
    /// More came than advertising data may have.
    var isTooLong: Bool

    /// The advertisement so far, as one report.
    func joined(_ status: ExtendedEventType.DataStatus) -> AdvertisingReport {
      var report = last
      report.data = data.octets
      report.extended.fragments = fragments
      report.eventType =
        report.eventType & ~ExtendedEventType.dataStatusMask
        | UInt16((isTooLong ? .truncated : status).rawValue) << 5
      return report
    }
  }

  private var chains: [Chain] = []
  private var spare: [OctetBuffer] = []
  /// Holds the data of the report given out last.
  private var given: OctetBuffer?

  package init() {
    chains.reserveCapacity(Self.capacity)
    spare.reserveCapacity(Self.capacity + 1)
  }

  /// Whether a report is whole and no chain is open that it could end: it needs no joining.
  package func passes(_ report: AdvertisingReport) -> Bool {
    chains.isEmpty && report.eventType & ExtendedEventType.dataStatusMask != 0b01 << 5
  }

  /// Takes a report and gives the advertisement that it completes: itself where it is whole, nil where more must come.
  ///
  /// What is given is valid until the next call. A fragment that starts one chain too many gives the oldest chain,
  /// truncated.
  package mutating func take(_ report: AdvertisingReport, adapter: UInt16) -> AdvertisingReport? {
    guard report.source == .extended, !passes(report) else { return report }
    let status = report.extendedEventType.dataStatus
    let key = Key(report, adapter)
    let index = chains.firstIndex { $0.key == key }
    guard status == .moreToCome || index != nil else { return report }

    var evicted: AdvertisingReport?
    var chain: Chain
    if let index {
      chain = chains.remove(at: index)
    } else {
      if chains.count == Self.capacity { evicted = giveOut(chains.removeFirst(), .truncated) }
      chain = Chain(key: key, data: freshBuffer(), last: report, fragments: 0, isTooLong: false)
    }
    chain.isTooLong = !chain.data.append(report.data) || chain.isTooLong
    chain.fragments &+= 1
    chain.last = report
    chain.last.data = Octets()
    guard status == .moreToCome else { return giveOut(chain, status) }
    chains.append(chain)
    return evicted
  }

  /// Gives out a chain that no fragment will complete any more, and which adapter heard it, the oldest first; nil when
  /// none is open.
  package mutating func finish() -> (report: AdvertisingReport, adapter: UInt16)? {
    guard !chains.isEmpty else { return nil }
    let chain = chains.removeFirst()
    return (giveOut(chain, .truncated), chain.key.adapter)
  }

  private mutating func giveOut(_ chain: Chain, _ status: ExtendedEventType.DataStatus) -> AdvertisingReport {
    if let given { spare.append(given) }
    given = chain.data
    return chain.joined(status)
  }

  private mutating func freshBuffer() -> OctetBuffer {
    guard let buffer = spare.popLast() else { return OctetBuffer(capacity: Self.longestData) }
    buffer.removeAll()
    return buffer
  }
}
