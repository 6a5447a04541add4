import BluetoothLE
import TestSupport
import Testing

@testable import Scanning

/// Properties of devices, read from messages as the bus carries them.
struct BlueZPropertiesTests {
  /// A message that was made of random arguments of every type, signals and answers of bluetoothd's among them.
  @Test func randomMessagesAreReadWithoutATrap() {
    var random = SplitMix(seed: 7)
    var read = 0
    for _ in 0..<2000 {
      guard let message = RandomMessage.message(&random) else { continue }
      let change = BlueZDevice.Change(message.arguments, gone: message.arguments.next)
      var device = BlueZDevice(DeviceAddress(1))
      device.apply(change)
      let packets = device.packets(for: change)
      var decoder = ReportDecoder(joiningFragments: true)
      for packet in packets {
        let (reports, fault) = decoder.reportsAndFault(packet)
        #expect(fault == nil)
        #expect(reports.count == 1)
      }
      read += packets.count
      for object in BlueZObject.all(message.arguments) { #expect(!object.path.isEmpty) }
      _ = BlueZObject(added: message.arguments)
      _ = BlueZObject(changed: "/org/bluez/hci0", message.arguments)
    }
    #expect(read > 100, "many are read: \(read)")
  }
}
