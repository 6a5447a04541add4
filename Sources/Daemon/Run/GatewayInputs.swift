import BluetoothLE
import Proximity
import Scanning

/// Takes the engine's inputs.
package protocol GatewayInputs: ~Copyable {
  mutating func take(_ report: AdvertisingReport, from adapter: Int, at instant: Instant)
  mutating func scanner(_ adapter: Int, _ report: ScannerReport, at instant: Instant)
  mutating func authorization(_ new: Authorization, at instant: Instant)
  mutating func proof(_ adapter: Int, at instant: Instant)
}

extension GatewayInputs where Self: ~Copyable {
  /// Takes what a recording says beside packets. Its clock is its reader's business.
  package mutating func take(_ note: RecordingNote, of adapter: Int, at instant: Instant) {
    switch note {
    case .scanner(let report): scanner(adapter, report, at: instant)
    case .authorization(let authorization): self.authorization(authorization, at: instant)
    case .proof: proof(adapter, at: instant)
    // A report of nobody.
    case .heard: take(AdvertisingReport(payload: Octets()), from: adapter, at: instant)
    case .start, .clock, .end: break
    }
  }
}

extension Gateway: GatewayInputs {}
extension BeaconDaemon: GatewayInputs {}
