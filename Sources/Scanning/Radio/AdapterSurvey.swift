import BluetoothLE
import Linux

/// An adapter as anybody may see it.
package struct AdapterFacts: Sendable {
  package let index: UInt16
  package let address: DeviceAddress
  package let bus: AdapterBus
  package let isPowered: Bool
  package let doesLowEnergy: Bool
  package let isBlocked: Bool
  /// The kernel can own its scan; nil where this user may not ask.
  package let takesMonitors: Bool?

  /// Asks the kernel for the adapters that are there, without touching them; takes a second at most.
  package static func all() throws(SystemError) -> [AdapterFacts] {
    let management = try ManagementSocket.open()
    try management.send(.readExtendedIndexList, to: ManagementPacket.noIndex)
    let deadline = BootClock.now + 1_000_000_000
    var listed: [PrimaryAdapter]?
    var information: [UInt16: ControllerInformation] = [:]
    var monitors: [UInt16: Bool] = [:]
    /// Answers that are not there yet.
    var missing = 1
    while missing > 0, Wakeup.poll([management.number], until: deadline) {
      var asked: [PrimaryAdapter] = []
      management.read { packet in
        guard case .commandComplete(let opcode, let status, let parameters) = packet.event else {
          if case .commandStatus = packet.event { missing -= 1 }
          return
        }
        missing -= 1
        switch opcode {
        case .readExtendedIndexList: asked = primaryAdapters(parameters) ?? []
        case .readControllerInformation: information[packet.index] = ControllerInformation(parameters)
        case .readAdvertisementMonitorFeatures where status == .success:
          monitors[packet.index] = MonitorFeatures(parameters).map { !$0.isOffloaded }
        default: break
        }
      }
      if listed == nil { listed = asked }
      for adapter in asked {
        try management.send(.readControllerInformation, to: adapter.index)
        try management.send(.readAdvertisementMonitorFeatures, to: adapter.index)
        missing += 2
      }
    }
    return (listed ?? []).compactMap { adapter in
      guard let known = information[adapter.index] else { return nil }
      return AdapterFacts(
        index: adapter.index, address: known.address, bus: adapter.bus, isPowered: known.current.contains(.powered),
        doesLowEnergy: known.supported.contains(.lowEnergy), isBlocked: AdapterPlace(index: adapter.index).block.holds,
        takesMonitors: monitors[adapter.index])
    }
  }
}
