import BluetoothLE
import Proximity

extension Engine {
  /// Takes advertising data that an adapter heard of a random address at `instant` with `rssi` dBm.
  package mutating func hear(
    _ data: [UInt8], rssi: Int8, at instant: Instant, address: UInt64 = 0xc000_0000_0001, adapter: Int = 0,
    _ events: inout EventBatch
  ) {
    let event = Advertisement.legacyEvent(data, address: address, rssi: rssi)
    event.withUnsafeBytes { octets in
      guard let event = HCIEvent(Octets(octets)), var reports = AdvertisingReports(event) else { return }
      while let report = reports.next() { take(report, from: adapter, at: instant, &events) }
    }
  }
}
