import Proximity

/// What an event is called in every output.
package enum EventName: Int, CaseIterable, Sendable {
  case didStartMonitoring, monitoringDidFail, didDetermineState, didEnter, didExit, didRange, didFailRanging
  case scannerDidChange, didUpdateLocations, didUpdateHeading, didChangeAuthorization

  package var word: StaticString {
    switch self {
    case .didStartMonitoring: "didStartMonitoring"
    case .monitoringDidFail: "monitoringDidFail"
    case .didDetermineState: "didDetermineState"
    case .didEnter: "didEnter"
    case .didExit: "didExit"
    case .didRange: "didRange"
    case .didFailRanging: "didFailRanging"
    case .scannerDidChange: "scannerDidChange"
    case .didUpdateLocations: "didUpdateLocations"
    case .didUpdateHeading: "didUpdateHeading"
    case .didChangeAuthorization: "didChangeAuthorization"
    }
  }
}

extension Event {
  package var name: EventName {
    switch content {
    case .didStartMonitoring: .didStartMonitoring
    case .monitoringDidFail: .monitoringDidFail
    case .didDetermineState: .didDetermineState
    case .didEnter: .didEnter
    case .didExit: .didExit
    case .didRange: .didRange
    case .didFailRanging: .didFailRanging
    case .scannerDidChange: .scannerDidChange
    case .didUpdateLocations: .didUpdateLocations
    case .didUpdateHeading: .didUpdateHeading
    case .didChangeAuthorization: .didChangeAuthorization
    }
  }
}
