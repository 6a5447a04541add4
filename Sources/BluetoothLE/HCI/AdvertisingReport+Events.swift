extension AdvertisingReport {
  /// The most octets of data in one extended report: an event has 255 octets of parameters, 26 of them in front of the data.
  package static let longestExtendedFragment = 229
  /// ... in one legacy report, which has 11 in front of them and the RSSI behind.
  private static let longestLegacyData = 243

  /// The HCI events, without an H4 octet, in which a controller would hand it over: one, or several where its data is longer
  /// than an event. None for what does not come in one, or where more data is there than its kind can have.
  ///
  /// Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.2 and 7.7.65.13.
  package var events: [[UInt8]] {
    switch source {
    case .legacy: data.count <= Self.longestLegacyData ? [legacyEvent] : []
    case .extended: data.count <= AdvertisementAssembler.longestData ? extendedEvents : []
    case .directed, .linkLayer, .payload: []
    }
  }

  private var legacyEvent: [UInt8] {
    var parameters: [UInt8] = [UInt8(truncatingIfNeeded: eventType)]
    appendAddress(addressType, addressValue, to: &parameters)
    append(data, to: &parameters)
    parameters.append(UInt8(bitPattern: rssi))
    return Self.event(.legacy, parameters)
  }

  private var extendedEvents: [[UInt8]] {
    var events: [[UInt8]] = []
    var rest = data
    while rest.count > Self.longestExtendedFragment {
      events.append(extendedEvent(rest.prefix(Self.longestExtendedFragment), .moreToCome))
      rest = rest.dropping(Self.longestExtendedFragment)
    }
    return events + [extendedEvent(rest, nil)]
  }

  /// With the data status given, or the report's own.
  private func extendedEvent(_ part: Octets, _ status: ExtendedEventType.DataStatus?) -> [UInt8] {
    let type = status.map { eventType & ~ExtendedEventType.dataStatusMask | UInt16($0.rawValue) << 5 } ?? eventType
    var parameters: [UInt8] = [UInt8(truncatingIfNeeded: type), UInt8(truncatingIfNeeded: type >> 8)]
    appendAddress(addressType, addressValue, to: &parameters)
    parameters += [extended.primaryPHY, extended.secondaryPHY, extended.sid]
    parameters += [UInt8(bitPattern: extended.txPower), UInt8(bitPattern: rssi)]
    parameters.append(UInt8(truncatingIfNeeded: extended.periodicInterval))
    parameters.append(UInt8(truncatingIfNeeded: extended.periodicInterval >> 8))
    let direct = directAddress
    appendAddress(direct?.type ?? AddressType(rawValue: 0), direct?.address.value ?? 0, to: &parameters)
    append(part, to: &parameters)
    return Self.event(.extended, parameters)
  }

  private func appendAddress(_ type: AddressType, _ value: UInt64, to octets: inout [UInt8]) {
    octets.append(type.rawValue)
    for shift in stride(from: UInt64(0), to: 48, by: 8) { octets.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  private func append(_ data: Octets, to octets: inout [UInt8]) {
    octets.append(UInt8(data.count))
    data.withUnsafeBytes { octets.append(contentsOf: $0) }
  }

  /// An event of one report.
  private static func event(_ subevent: AdvertisingReports.Subevent, _ report: [UInt8]) -> [UInt8] {
    [HCIEvent.Code.leMeta.rawValue, UInt8(report.count + 2), subevent.rawValue, 1] + report
  }
}
