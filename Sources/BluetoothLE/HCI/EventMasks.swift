/// Events that a controller may send. Source: Core Specification 5.4, Vol 4, Part E, 7.3.1.
package struct EventMask: OptionSet, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  package static let hardwareError = EventMask(rawValue: 1 << 15)
  package static let leMeta = EventMask(rawValue: 1 << 61)
  /// What holds after a reset: no LE Meta event.
  package static let standard = EventMask(rawValue: 0x1fff_ffff_ffff)
}

/// Subevents of the LE Meta event that a controller may send: bit n is subevent n + 1.
/// Source: Core Specification 5.4, Vol 4, Part E, 7.8.1.
package struct LEEventMask: OptionSet, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  package static let advertisingReport = LEEventMask(rawValue: 1 << 1)
  package static let directedAdvertisingReport = LEEventMask(rawValue: 1 << 10)
  package static let extendedAdvertisingReport = LEEventMask(rawValue: 1 << 12)
  package static let scanTimeout = LEEventMask(rawValue: 1 << 16)
  /// What holds after a reset: the first five subevents.
  package static let standard = LEEventMask(rawValue: 0x1f)
}
