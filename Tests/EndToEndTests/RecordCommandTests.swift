import Foundation
import Testing

/// `record` and `beacons live` where there is no adapter; what they hear is tested in the VM.
struct RecordCommandTests {
  @Test(
    arguments: [
      (["record"], "no file given."),
      (["record", "a", "b"], "one file is what it writes."),
      (["record", "a", "--max-size", "10"], "--max-size '10': it is a size from 1 KB on"),
      (["record", "a", "--max-size", "10B"], "--max-size '10B'"),
      (["record", "a", "--for", "soon"], "--for 'soon': it is a duration"),
      (["record", "a", "--format", "pcap"], "--format 'pcap': it is one of monitor, h4."),
      (["record", "a", "--source", "usb"], "--source 'usb': it is hci, bluez or auto"),
      (["record", "a", "--source", "replay:x"], "--source 'replay:x'"),
      (["beacons", "--for", "3s", "x.btsnoop"], "--for: it is for 'live'."),
      (["run", "--source", "replay:x", "--record", "a"], "--record: a capture is a recording already."),
    ])
  func misuseIsSaid(arguments: [String], message: String) throws {
    try withTemporaryFolder { folder in
      let outcome = try Beacond.run(arguments.map { $0 == "a" ? folder + "/a" : $0 })
      #expect(outcome.code == 64)
      #expect(outcome.error.contains(message))
      #expect(!FileManager.default.fileExists(atPath: folder + "/a"))
    }
  }

  @Test(arguments: ["record", "beacons"]) func withoutBluetoothItSaysWhy(command: String) throws {
    try withTemporaryFolder { folder in
      let configuration = folder + "/beacond.yaml"
      try "bluetooth: {source: bluez}\n".write(toFile: configuration, atomically: true, encoding: .utf8)
      // No bus is there.
      let outcome = try Beacond.run(
        [command, command == "record" ? folder + "/a" : "live", "--config", configuration],
        through: ["/usr/bin/env", "DBUS_SYSTEM_BUS_ADDRESS=unix:path=\(folder)/none"])
      #expect(outcome.code == 69)
      #expect(outcome.errorLines.count == 1 && outcome.error.contains("bus"))
      #expect(!FileManager.default.fileExists(atPath: folder + "/a"))
    }
  }

  @Test(arguments: ["record", "beacons"]) func bluetoothThatIsDeniedIsNotUsed(command: String) throws {
    try withTemporaryFolder { folder in
      let configuration = folder + "/beacond.yaml"
      try "bluetooth: {authorization: denied}\n".write(toFile: configuration, atomically: true, encoding: .utf8)
      let outcome = try Beacond.run(
        [command, command == "record" ? folder + "/a" : "live", "--config", configuration])
      #expect(outcome.code == 77)
      #expect(outcome.error.contains("bluetooth.authorization is denied"))
    }
  }
}
