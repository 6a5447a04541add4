import BluetoothLE

/// A scene as a btsnoop capture: the adapters come up and start to scan, hear what they hear, and stop.
package struct Recording {
  private let scene: Scene
  private let writer: BTSnoopWriter
  private var hasStarted = false
  private var hasEnded = false
  package private(set) var simulator: Simulator

  /// A capture of a scene; the seed is the scene's unless given.
  package init(_ scene: Scene, seed: UInt64? = nil, as datalink: BTSnoopWriter.Datalink) {
    self.scene = scene
    writer = BTSnoopWriter(datalink)
    simulator = Simulator(scene, seed: seed)
  }

  /// Appends some more of the capture; false when that was all.
  package mutating func append(to octets: inout [UInt8]) -> Bool {
    if !hasStarted {
      hasStarted = true
      appendStart(to: &octets)
      return true
    }
    let writer = writer
    let goesOn = simulator.step { event in
      Self.withOctets(event.octets) {
        writer.appendEvent($0, adapter: UInt16(truncatingIfNeeded: event.adapter), at: event.time, to: &octets)
      }
    }
    if !goesOn, !hasEnded {
      hasEnded = true
      appendEnd(to: &octets)
    }
    return goesOn
  }

  private func appendStart(to octets: inout [UInt8]) {
    writer.appendHeader(to: &octets)
    for (index, adapter) in scene.adapters.enumerated() {
      let number = UInt16(truncatingIfNeeded: index)
      appendNotices(adapter, number, to: &octets)
      // Scanning without a pause: 16 units of 0.625 ms out of 16.
      let timing = ScanTiming(.active, interval: 16, window: 16)
      switch adapter.reporting {
      case .legacy: command(.leSetScanParameters(ScanParameters(timing)), number, scene.start, &octets)
      case .extended:
        command(.leSetExtendedScanParameters(ExtendedScanParameters(on1M: timing)), number, scene.start, &octets)
      }
      command(scan(adapter, true), number, scene.start, &octets)
    }
  }

  private func appendEnd(to octets: inout [UInt8]) {
    let time = UnixTime(nanoseconds: scene.start.nanoseconds + Simulator.microseconds(scene.duration) * 1000)
    for (index, adapter) in scene.adapters.enumerated() {
      command(scan(adapter, false), UInt16(truncatingIfNeeded: index), time, &octets)
    }
  }

  private func scan(_ adapter: Adapter, _ isEnabled: Bool) -> HCICommand {
    switch adapter.reporting {
    case .legacy: .leSetScanEnable(isEnabled, filterDuplicates: .off)
    case .extended: .leSetExtendedScanEnable(ExtendedScanEnable(isEnabled))
    }
  }

  /// What the Linux monitor says of an adapter that is there and opened.
  /// Source: Linux, `include/net/bluetooth/hci_mon.h`.
  private func appendNotices(_ adapter: Adapter, _ number: UInt16, to octets: inout [UInt8]) {
    var address: [UInt8] = []
    for shift in stride(from: UInt64(0), to: 48, by: 8) {
      address.append(UInt8(truncatingIfNeeded: adapter.address.value >> shift))
    }
    writer.appendNewIndex(
      adapter.address, name: "hci\(number)", bus: 1, adapter: number, at: scene.start, to: &octets)
    // The company identifier for tests. Source: Assigned Numbers, 7.1.
    let information = address + [0xff, 0xff]
    for (opcode, payload) in [(MonitorOpcode.openIndex, []), (.indexInfo, information)] {
      Self.withOctets(payload) {
        _ = writer.appendNotice(opcode, $0, adapter: number, at: scene.start, to: &octets)
      }
    }
  }

  /// A command, and the controller's word that it is done.
  private func command(_ command: HCICommand, _ adapter: UInt16, _ time: UnixTime, _ octets: inout [UInt8]) {
    Self.withOctets(command.octets) { writer.appendCommand($0, adapter: adapter, at: time, to: &octets) }
    var event: [UInt8] = [HCIEvent.Code.commandComplete.rawValue, 4, 1]
    event.append(littleEndian: command.opcode.rawValue)
    event.append(0)
    Self.withOctets(event) { writer.appendEvent($0, adapter: adapter, at: time, to: &octets) }
  }

  private static func withOctets(_ array: [UInt8], _ body: (Octets) -> Void) {
    array.withUnsafeBytes { body(Octets($0)) }
  }
}
