/// Status of a command, or the error that it ended with; a code without a name here is kept.
/// Source: Core Specification 5.4, Vol 1, Part F, 1.3.
package struct HCIStatus: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let success = HCIStatus(rawValue: 0x00)
  package static let unknownCommand = HCIStatus(rawValue: 0x01)
  package static let hardwareFailure = HCIStatus(rawValue: 0x03)
  package static let memoryCapacityExceeded = HCIStatus(rawValue: 0x07)
  package static let commandDisallowed = HCIStatus(rawValue: 0x0c)
  package static let limitedResources = HCIStatus(rawValue: 0x0d)
  package static let unsupportedFeature = HCIStatus(rawValue: 0x11)
  package static let invalidParameters = HCIStatus(rawValue: 0x12)
  package static let unspecifiedError = HCIStatus(rawValue: 0x1f)
  package static let controllerBusy = HCIStatus(rawValue: 0x3a)
}

extension HCIStatus: CustomStringConvertible {
  /// `command disallowed (0x0c)`.
  package var description: String {
    let code = "0x" + hex(rawValue, digits: 2)
    return name.map { "\($0) (\(code))" } ?? "status \(code)"
  }

  private var name: StaticString? {
    switch self {
    case .success: "success"
    case .unknownCommand: "unknown command"
    case .hardwareFailure: "hardware failure"
    case .memoryCapacityExceeded: "memory capacity exceeded"
    case .commandDisallowed: "command disallowed"
    case .limitedResources: "rejected for limited resources"
    case .unsupportedFeature: "unsupported feature or parameter value"
    case .invalidParameters: "invalid command parameters"
    case .unspecifiedError: "unspecified error"
    case .controllerBusy: "controller busy"
    default: nil
    }
  }
}
