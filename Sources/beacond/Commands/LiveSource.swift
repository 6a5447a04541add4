import Daemon
import Glibc
import Linux
import Scanning

extension Configuration.Bluetooth.Source {
  /// Opens the source. `auto` is HCI where this user may hear over it, else bluetoothd where that runs.
  func open(_ settings: ScanSettings, memory: String?) throws(CommandFailure) -> any LiveSource {
    switch self {
    case .hci: return try Radio.open(settings, memory: memory)
    case .bluez: return try Self.openBlueZ(settings)
    case .auto:
      if !Radio.isPermitted(settings), !settings.isExclusive, BlueZSource.isBlueZThere {
        return try Self.openBlueZ(settings)
      }
      return try Radio.open(settings, memory: memory)
    }
  }

  private static func openBlueZ(_ settings: ScanSettings) throws(CommandFailure) -> any LiveSource {
    do throws(BlueZFailure) {
      return try BlueZSource(settings)
    } catch {
      throw CommandFailure(.unavailable, "\(error)")
    }
  }
}

extension Options {
  /// The source that --source names; nil where it names none.
  func source() throws(CommandFailure) -> Configuration.Bluetooth.Source? {
    guard let word = value("--source") else { return nil }
    guard let source = Configuration.Bluetooth.Source(rawValue: word) else {
      throw CommandFailure(.usage, "--source '\(word)': it is hci, bluez or auto; 'run' also takes replay:CAPTURE.")
    }
    return source
  }
}

extension Radio {
  static let grant =
    "hearing over HCI needs CAP_NET_RAW: run it as a service with AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN, or "
    + "'sudo setcap cap_net_raw,cap_net_admin+ep' the program"
  static let lackOfBluetooth =
    "this kernel has no Bluetooth, or this is a container with a network of its own; run it in the host's network, with "
    + "the module 'bluetooth' loaded"

  /// The adapters of this machine, to a user who may hear them.
  static func open(_ settings: ScanSettings, memory: String? = nil) throws(CommandFailure) -> Radio {
    guard isPermitted(settings) else {
      throw CommandFailure(
        .notPermitted, "\(grant); or start bluetoothd, which hears less of it for anybody.")
    }
    do throws(SystemError) {
      return try Radio.opening(settings, memory: memory)
    } catch {
      guard error.number == EAFNOSUPPORT else { throw CommandFailure(.unavailable, "\(error)") }
      throw CommandFailure(
        .unavailable, "\(lackOfBluetooth).")
    }
  }

  /// Without the capability a socket may be bound, hears nothing, and no error says so.
  static func isPermitted(_ settings: ScanSettings) -> Bool {
    let capabilities = Capabilities.effective
    return settings.isExclusive ? capabilities.contains(.netAdmin) : capabilities.contains(.netRaw)
  }
}

extension LiveSource {
  /// Waits for the list of adapters, which takes a moment, and refuses an empty one.
  func requireAdapter() throws(CommandFailure) {
    settle(within: 2_000_000_000)
    guard !liveAdapters.contains(where: { $0.index != nil }) else { return }
    throw CommandFailure(
      .unavailable, "\(restriction ?? "no Bluetooth adapter is there; plug one in"), or see 'rfkill' and 'dmesg'.")
  }
}

/// Says a line to whoever runs the program.
@Sendable func say(_ line: String) {
  try? FileDescriptor.standardError.write("beacond: \(line)\n")
}
