/// Whether a service of the gateway may work, as far as people, rights and devices allow it.
package struct Authorization: Hashable, Sendable {
  package enum Service: String, CaseIterable, Hashable, Sendable {
    /// Beacon regions and ranging.
    case bluetooth
    /// Fixes, geofences, visits and heading.
    case location
  }

  package enum Status: String, CaseIterable, Hashable, Sendable {
    case notDetermined
    /// Allowed, but something other than a person's word stands against it.
    case restricted
    case denied
    /// While somebody uses it.
    case whenInUse = "authorizedWhenInUse"
    case always = "authorizedAlways"
  }

  package var service: Service
  package var status: Status
  /// Why, in words a person can act on.
  package var reason: String

  package init(_ service: Service, _ status: Status, reason: String) {
    self.service = service
    self.status = status
    self.reason = reason
  }
}
