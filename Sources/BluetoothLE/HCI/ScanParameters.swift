/// How a controller scans. Source: Core Specification 5.4, Vol 4, Part E, 7.8.10.
package struct ScanType: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Listens only.
  package static let passive = ScanType(rawValue: 0x00)
  /// Also asks scannable advertisers for their scan response.
  package static let active = ScanType(rawValue: 0x01)
}

/// Which address a scan request carries. Source: Core Specification 5.4, Vol 4, Part E, 7.8.10.
package struct OwnAddressType: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let `public` = OwnAddressType(rawValue: 0x00)
  package static let random = OwnAddressType(rawValue: 0x01)
  /// A resolvable private address, else the public one.
  package static let resolvableOrPublic = OwnAddressType(rawValue: 0x02)
  /// A resolvable private address, else the random one.
  package static let resolvableOrRandom = OwnAddressType(rawValue: 0x03)
}

/// Whose advertisements a controller hands over. Source: Core Specification 5.4, Vol 4, Part E, 7.8.10.
package struct ScanFilterPolicy: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Everyone's, but directed ones for others.
  package static let all = ScanFilterPolicy(rawValue: 0x00)
  /// Those of the filter accept list.
  package static let acceptList = ScanFilterPolicy(rawValue: 0x01)
}

/// Whether a controller hands over what it has handed over already.
/// Source: Core Specification 5.4, Vol 4, Part E, 7.8.11 and 7.8.65.
package struct DuplicateFilter: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Every advertisement is reported.
  package static let off = DuplicateFilter(rawValue: 0x00)
  package static let on = DuplicateFilter(rawValue: 0x01)
  /// On, and forgotten at every period of an extended scan.
  package static let eachPeriod = DuplicateFilter(rawValue: 0x02)
}

/// When the receiver listens on one PHY, in units of 0.625 ms: `window` out of every `interval`.
///
/// Both are 4 to 16,384 in a legacy scan and 4 to 65,535 in an extended one; the window is no longer than the interval.
/// Source: Core Specification 5.4, Vol 4, Part E, 7.8.10 and 7.8.64.
package struct ScanTiming: Hashable, Sendable {
  package var type: ScanType
  package var interval: UInt16
  package var window: UInt16

  package init(_ type: ScanType, interval: UInt16, window: UInt16) {
    self.type = type
    self.interval = interval
    self.window = window
  }
}

/// Source: Core Specification 5.4, Vol 4, Part E, 7.8.10.
package struct ScanParameters: Hashable, Sendable {
  package var timing: ScanTiming
  package var ownAddressType: OwnAddressType
  package var filterPolicy: ScanFilterPolicy

  package init(
    _ timing: ScanTiming, ownAddressType: OwnAddressType = .public, filterPolicy: ScanFilterPolicy = .all
  ) {
    self.timing = timing
    self.ownAddressType = ownAddressType
    self.filterPolicy = filterPolicy
  }
}

/// At least one PHY must be scanned. Source: Core Specification 5.4, Vol 4, Part E, 7.8.64.
package struct ExtendedScanParameters: Hashable, Sendable {
  package var ownAddressType: OwnAddressType
  package var filterPolicy: ScanFilterPolicy
  /// On LE 1M; nil leaves it out.
  package var on1M: ScanTiming?
  /// On LE Coded, the long-range PHY; nil leaves it out.
  package var onCoded: ScanTiming?

  package init(
    on1M: ScanTiming?, onCoded: ScanTiming? = nil, ownAddressType: OwnAddressType = .public,
    filterPolicy: ScanFilterPolicy = .all
  ) {
    self.on1M = on1M
    self.onCoded = onCoded
    self.ownAddressType = ownAddressType
    self.filterPolicy = filterPolicy
  }

  /// Bits of Scanning_PHYs.
  static let bit1M: UInt8 = 1 << 0
  static let bitCoded: UInt8 = 1 << 2
}

/// Source: Core Specification 5.4, Vol 4, Part E, 7.8.65.
package struct ExtendedScanEnable: Hashable, Sendable {
  package var isEnabled: Bool
  package var filterDuplicates: DuplicateFilter
  /// Units of 10 ms; 0 scans until it is disabled.
  package var duration: UInt16
  /// Units of 1.28 s; 0 scans once, for the duration.
  package var period: UInt16

  package init(_ isEnabled: Bool, filterDuplicates: DuplicateFilter = .off, duration: UInt16 = 0, period: UInt16 = 0) {
    self.isEnabled = isEnabled
    self.filterDuplicates = filterDuplicates
    self.duration = duration
    self.period = period
  }
}
