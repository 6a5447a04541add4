import BluetoothLE
import Daemon
import Glibc
import Linux
import Proximity
import Scanning

/// What `check` says of hearing: by which source this user would, with which adapters, and what stands against it.
enum BluetoothCheck {
  static func lines(_ bluetooth: Configuration.Bluetooth) -> [String] {
    let settings = ScanSettings(bluetooth)
    if bluetooth.authorization == .denied { return ["Bluetooth: denied, by bluetooth.authorization"] }
    do throws(SystemError) {
      let adapters = try AdapterFacts.all()
      return source(bluetooth, settings) + lines(adapters, settings)
    } catch {
      guard error.number == EAFNOSUPPORT else { return ["Bluetooth: restricted: \(error)"] }
      return ["Bluetooth: restricted: \(Radio.lackOfBluetooth)"]
    }
  }

  private static func source(_ bluetooth: Configuration.Bluetooth, _ settings: ScanSettings) -> [String] {
    let kind = bluetooth.source
    if kind != .bluez, Radio.isPermitted(settings) {
      let power = Capabilities.effective.contains(.netAdmin)
      return [
        "Bluetooth: over HCI, with CAP_NET_RAW"
          + (power
            ? " and CAP_NET_ADMIN" : "; without CAP_NET_ADMIN it cannot power adapters on or let the kernel scan")
      ]
    }
    if kind != .hci, BlueZSource.isBlueZThere {
      return ["Bluetooth: through bluetoothd, which tells of each device about every 10 s; \(Radio.grant)"]
    }
    return [
      "Bluetooth: denied to this user: \(Radio.grant)"
        + (kind == .hci ? "" : "; or start bluetoothd, which hears less of it for anybody")
    ]
  }

  private static func lines(_ adapters: [AdapterFacts], _ settings: ScanSettings) -> [String] {
    var lines = adapters.map { "  \(line($0, settings))" }
    for address in settings.adapters ?? [] where !adapters.contains(where: { $0.address == address }) {
      lines.append("  \(address): in bluetooth.adapters, and not there")
    }
    return lines.isEmpty ? ["  no Bluetooth adapter is there; plug one in"] : lines
  }

  private static func line(_ adapter: AdapterFacts, _ settings: ScanSettings) -> String {
    let share = Int((settings.duty.share(sharesAntenna: adapter.bus.sharesAntenna) * 100).rounded())
    var parts = ["hci\(adapter.index) \(adapter.address)"]
    if !adapter.doesLowEnergy { return "\(parts[0]): not used, it has no Bluetooth LE" }
    if let wanted = settings.adapters, !wanted.contains(adapter.address) {
      return "\(parts[0]): not used, it is not in bluetooth.adapters"
    }
    if adapter.isBlocked {
      parts.append(
        settings.unblocksRFKill
          ? "blocked by rfkill, which is lifted" : "blocked by rfkill: 'rfkill unblock bluetooth'")
    } else if !adapter.isPowered {
      parts.append(settings.powersOn ? "powered off, will be powered on" : "powered off: 'bluetoothctl power on'")
    }
    let why = adapter.bus.sharesAntenna ? ", since Wi-Fi may use the same antenna" : ""
    parts.append("listens \(share) % of the time\(settings.duty == .automatic ? why : "")")
    switch adapter.takesMonitors {
    case true? where !settings.isActive && !settings.scansCoded && !settings.isExclusive:
      parts.append("the kernel owns the scan")
    case false?: parts.append("scans by commands of our own, since the controller would filter")
    default: parts.append("scans by commands of our own")
    }
    return "\(parts[0]): \(parts.dropFirst().joined(separator: "; "))"
  }
}
