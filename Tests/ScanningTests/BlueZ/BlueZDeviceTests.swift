import BluetoothLE
import Simulation
import TestSupport
import Testing

@testable import Scanning

/// What becomes of what bluetoothd says of a device.
struct BlueZDeviceTests {
  private typealias Change = BlueZDevice.Change
  private typealias Structure = BlueZDevice.Structure

  private let address = DeviceAddress(0xc000_0000_0001)

  private func change(_ rssi: Int8?, manufacturer: [Structure]? = nil, service: [Structure]? = nil) -> Change {
    var change = Change()
    if let rssi { change.level = .heard(rssi) }
    change.manufacturerData = manufacturer
    change.serviceData = service
    return change
  }

  /// The structures of what a beacon sends that are data.
  private func data(_ frame: BeaconFrame) -> [Structure] {
    let octets = kept(frame.advertisement)
    let kinds: Set<ADType> = [.manufacturerData, .serviceData16]
    return ADStructures(octets).filter { kinds.contains($0.type) }.map { Structure(type: $0.type, data: $0.data.array) }
  }

  private var iBeacon: [Structure] { data(.iBeacon(uuid: UUID128(high: 1, low: 2), major: 3, minor: 4, power: -59)) }
  private var uid: [Structure] { data(.eddystoneUID(UUID128(high: 1, low: 2), power: -20)) }
  private var tlm: [Structure] {
    data(.eddystoneTLM(millivolts: 3000, temperature256: 5000, count: 1, deciseconds: 2))
  }

  private func reports(_ device: BlueZDevice, _ change: Change) -> [DecodedReport] {
    var decoder = ReportDecoder(joiningFragments: true)
    return device.packets(for: change).flatMap { packet in
      let (reports, fault) = decoder.reportsAndFault(packet)
      #expect(fault == nil)
      #expect(reports.count == 1)
      return reports
    }
  }

  private func heard(_ device: inout BlueZDevice, _ change: Change) -> [DecodedReport] {
    device.apply(change)
    return reports(device, change)
  }

  /// The last AD structure, which is what the report is for.
  private func content(_ report: DecodedReport) -> Structure? {
    let octets = kept(report.data)
    return ADStructures(octets).map { Structure(type: $0.type, data: $0.data.array) }.last
  }

  @Test func eachDataBecomesAnAdvertisementOfItsOwn() {
    var device = BlueZDevice(address)
    let other = Structure(type: .manufacturerData, data: [0x18, 0x01, 0xbe, 0xac])
    let heard = heard(&device, change(-60, manufacturer: iBeacon + [other], service: uid))
    #expect(heard.map(content) == iBeacon + [other] + uid)
    for report in heard {
      #expect(report.rssi == -60)
      #expect(report.address == address)
      #expect(report.source == .legacy)
      #expect(report.pduName == "ADV_NONCONN_IND")
    }
  }

  @Test func ofAChangeOnlyWhatChangedIsGiven() {
    var device = BlueZDevice(address)
    _ = heard(&device, change(-60, manufacturer: iBeacon, service: uid))
    let later = heard(&device, change(-70, service: uid))
    #expect(later.map(content) == uid)
    #expect(later.map(\.rssi) == [-70])
  }

  @Test func aLevelAloneIsThatOfWhatWasHeardLast() {
    var device = BlueZDevice(address)
    _ = heard(&device, change(-60, manufacturer: iBeacon, service: uid))
    let later = heard(&device, change(-70))
    #expect(later.map(content) == iBeacon + uid)
    #expect(later.map(\.rssi) == [-70, -70])
  }

  /// Repeated, its values would look new.
  @Test func telemetryIsGivenOnceAndTheIdentityBehindItGetsTheLevel() {
    var device = BlueZDevice(address)
    _ = heard(&device, change(-60, service: uid))
    let telemetry = heard(&device, change(-65, service: tlm))
    #expect(telemetry.map(content) == uid + tlm)
    #expect(telemetry.map(\.rssi) == [-65, -65])
    let later = heard(&device, change(-70))
    #expect(later.map(content) == uid)
    #expect(later.map(\.rssi) == [-70])
  }

  @Test func dataWithoutALevelHasTheLastUntilADiscoveryEnds() {
    var device = BlueZDevice(address)
    _ = heard(&device, change(-60, manufacturer: iBeacon))
    #expect(heard(&device, change(nil, manufacturer: iBeacon)).map(\.rssi) == [-60])
    var end = Change()
    end.level = .gone
    #expect(heard(&device, end).isEmpty)
    #expect(heard(&device, change(nil, manufacturer: iBeacon)).map(\.rssi) == [AdvertisingReport.rssiNotAvailable])
  }

  @Test func flagsAndTheListOfServicesGoInFront() {
    var device = BlueZDevice(address)
    var change = change(-60, service: uid)
    change.flags = [0x06]
    change.listsEddystone = true
    let report = heard(&device, change).first
    let data: [UInt8] = BeaconFrame.eddystoneUID(UUID128(high: 1, low: 2), power: -20).advertisement
    #expect(report?.data == data)
    #expect(report?.source == .legacy)
  }

  @Test(arguments: [24, 27, 28, 100, 227, 228])
  func whatALegacyAdvertisementCannotHoldIsExtended(size: Int) {
    var device = BlueZDevice(address)
    let structure = Structure(type: .manufacturerData, data: [UInt8](repeating: 7, count: size))
    var change = change(-60, manufacturer: [structure])
    change.flags = [0x06]
    change.addressType = .public
    let heard = heard(&device, change)
    guard size + 2 <= AdvertisingReport.longestExtendedFragment else {
      #expect(heard.isEmpty)
      return
    }
    #expect(heard.map(content) == [structure])
    #expect(heard.map(\.source) == [size + 2 + 3 <= 31 ? .legacy : .extended])
    #expect(heard.map(\.rssi) == [-60])
    #expect(heard.map(\.address) == [address])
    #expect(heard.map(\.addressType) == [.public])
    #expect(heard.map(\.dataStatus) == [.complete])
  }

  // MARK: Many devices

  @Test func ofTooManyDevicesTheQuietestGoes() {
    var table = BlueZDeviceTable(most: 3)
    for number in 1...3 {
      var change = change(-60, manufacturer: iBeacon)
      change.address = DeviceAddress(UInt64(number))
      _ = table.take(change, "/hci0/\(number)")
    }
    #expect(table.take(change(-61), "/hci0/1").count == 1)
    var new = change(-60, manufacturer: iBeacon)
    new.address = DeviceAddress(4)
    _ = table.take(new, "/hci0/4")
    #expect(table.count == 3)
    #expect(["/hci0/1", "/hci0/2", "/hci0/3", "/hci0/4"].map { table.contains($0) } == [true, false, true, true])
    // Of whose address nothing is known, nothing is heard.
    #expect(table.take(change(-61), "/hci0/2").isEmpty)
    #expect(!table.contains("/hci0/2"))
  }
}
