import Glibc
import Linux
import Scanning

extension Radio {
  /// The adapters of this machine, to a user who may hear them.
  static func open(_ settings: ScanSettings) throws(CommandFailure) -> Radio {
    let capabilities = Capabilities.effective
    // Without it a socket may be bound, hears nothing, and no error says so.
    guard capabilities.contains(.netRaw) || settings.isExclusive && capabilities.contains(.netAdmin) else {
      throw CommandFailure(
        .notPermitted,
        "hearing over HCI needs CAP_NET_RAW; run it as a service with AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN, or "
          + "'sudo setcap cap_net_raw,cap_net_admin+ep' the program.")
    }
    do throws(SystemError) {
      return try Radio.opening(settings)
    } catch {
      guard error.number == EAFNOSUPPORT else { throw CommandFailure(.unavailable, "\(error)") }
      throw CommandFailure(
        .unavailable,
        "this kernel has no Bluetooth, or this is a container with a network of its own; run it in the host's network, "
          + "with the module 'bluetooth' loaded.")
    }
  }

  /// Waits for the list of adapters, which takes a moment, and refuses an empty one.
  mutating func requireAdapter() throws(CommandFailure) {
    guard settle(within: 2_000_000_000) > 0 else {
      throw CommandFailure(.unavailable, "no Bluetooth adapter is there; plug one in, or see 'rfkill' and 'dmesg'.")
    }
  }
}
