import BluetoothLE
import Proximity

/// What captures say beside packets: the notes of our own recordings, and what btmon saw of adapters.
package struct CaptureNotices {
  /// A recording of ours says itself what its adapters do.
  private var hasNotes = false
  /// Adapters that others' captures saw go down, and not come back.
  private var closed: Set<UInt16> = []

  package init() {}

  /// What a packet tells the engine, if it is no report; nil where that is nothing.
  package mutating func note(_ packet: CapturedPacket) -> RecordingNote? {
    guard case .notice(let opcode) = packet.content else { return nil }
    if let note = RecordingNote(packet) {
      if case .start = note { hasNotes = true }
      return note
    }
    if hasNotes { return nil }
    switch opcode {
    case .closeIndex: return close(packet.adapter, "powered off in the capture")
    case .deleteIndex: return close(packet.adapter, "unplugged in the capture")
    case .openIndex: return isBack(packet.adapter)
    default: return nil
    }
  }

  /// What it tells the engine that an adapter has heard something.
  @inline(__always)
  package mutating func note(heardBy adapter: UInt16) -> RecordingNote? {
    closed.isEmpty ? nil : isBack(adapter)
  }

  private mutating func close(_ adapter: UInt16, _ reason: String) -> RecordingNote? {
    guard closed.insert(adapter).inserted else { return nil }
    return .scanner(ScannerReport(.stopped, name: "hci\(adapter)", reason: reason))
  }

  private mutating func isBack(_ adapter: UInt16) -> RecordingNote? {
    guard closed.remove(adapter) != nil else { return nil }
    return .scanner(ScannerReport(.scanning, name: "hci\(adapter)", reason: "back in the capture"))
  }
}
