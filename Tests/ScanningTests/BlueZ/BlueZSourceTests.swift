import BluetoothLE
import Linux
import Proximity
import TestSupport
import Testing

@testable import Scanning

/// Scanning through a bluetoothd on a real bus.
@Suite(.enabled(if: BlueZScene.wanting == nil, "no bus to test on: \(BlueZScene.wanting ?? "")"))
struct BlueZSourceTests {
  /// An iBeacon's data without the company's number.
  private let beacon = "0215112233445566778899aabbccddeeff0000010002c5"
  private let other = "0215112233445566778899aabbccddeeff0000010003c5"
  private let address = "C0:00:00:00:00:01"
  private let path = "/org/bluez/hci0/dev_C0_00_00_00_00_01"

  private func sighting(
    _ rssi: Int, _ data: String, _ adapter: String = "hci0", function: String = "device"
  ) -> String {
    "\(function)('\(adapter)', '\(address)', RSSI=Int16(\(rssi)), ManufacturerData=manufacturer(c004c='\(data)'))"
  }

  private func iBeacon(_ report: DecodedReport) -> IBeacon? {
    let octets = kept(report.data)
    for structure in ADStructures(octets) {
      if case .iBeacon(let beacon)? = try? Frame(structure) { return beacon }
    }
    return nil
  }

  // MARK: Hearing

  @Test func aSightingBecomesABeaconsReport() throws {
    let scene = try BlueZScene.discovering()
    #expect(scene.methods.suffix(3) == ["GetManagedObjects", "SetDiscoveryFilter", "StartDiscovery"])
    scene.forget()
    try scene.tell(sighting(-61, beacon))
    try scene.wait(for: "a report") { !scene.reports.isEmpty }
    try scene.tell(sighting(-64, beacon, function: "heard"))
    try scene.wait(for: "another") { scene.reports.count == 2 }
    #expect(scene.reports.map(\.report.rssi) == [-61, -64])
    for (report, adapter, instant) in scene.reports {
      #expect(adapter == 0)
      #expect(instant.nanoseconds == scene.now)
      #expect(report.address == DeviceAddress(0xc000_0000_0001))
      #expect(report.addressType == .random)
      #expect(iBeacon(report)?.minor == 2)
    }
  }

  @Test func aFilterIsSetForLEWithDuplicates() throws {
    let scene = try BlueZScene.discovering()
    let filter = try #require(scene.asked.first { $0.hasPrefix("SetDiscoveryFilter") })
    #expect(filter.contains("'Transport'): dbus.String('le'") || filter.contains("'Transport': 'le'"), "\(filter)")
  }

  @Test func aMonitorIsRegisteredBeforeTheDiscoveryWhereBluetoothdTakesIt() throws {
    let scene = try BlueZScene([
      "adapter('hci0', 'C0:FF:EE:00:00:01')",
      "objects['/org/bluez/hci0']['org.bluez.AdvertisementMonitorManager1'] = {}",
    ])
    try scene.come()
    try scene.connect()
    try scene.wait(for: "discovery") { scene.states.last == .degraded }
    #expect(scene.methods.suffix(3) == ["RegisterMonitor", "SetDiscoveryFilter", "StartDiscovery"])
    #expect(scene.asked.contains { $0.hasPrefix("RegisterMonitor /org/bluez/hci0 /org/beacond/adapter0") })
  }

  @Test func whatWasKnownBeforeIsHeardOnlyWhenItIsHeard() throws {
    let scene = try BlueZScene()
    try scene.tell(sighting(-61, beacon))
    try scene.come()
    try scene.connect()
    try scene.wait(for: "discovery") { scene.states.last == .degraded }
    #expect(scene.reports.isEmpty)
    // Only its level changes.
    try scene.tell("heard('hci0', '\(address)', RSSI=Int16(-70))")
    try scene.wait(for: "a report") { !scene.reports.isEmpty }
    #expect(scene.reports.map(\.report.rssi) == [-70])
    #expect(scene.reports.first.flatMap { iBeacon($0.report) }?.minor == 2)
  }

  /// Or a beacon that was there all the time would never be heard again.
  @Test func aDeviceThatHadToGoFromTheTableIsAskedAbout() throws {
    let scene = try BlueZScene.discovering()
    scene.holdDevices(atMost: 2)
    try scene.tell(sighting(-61, beacon))
    for number in 2...3 {
      let properties = "RSSI=Int16(-50), ManufacturerData=manufacturer(c0001='')"
      try scene.tell("device('hci0', 'C0:00:00:00:00:0\(number)', \(properties))")
    }
    try scene.wait(for: "three reports") { scene.reports.count == 3 }
    #expect(scene.deviceCount == 2)
    scene.forget()
    try scene.tell("heard('hci0', '\(address)', RSSI=Int16(-70))")
    try scene.wait(for: "a report") { !scene.reports.isEmpty }
    #expect(scene.methods == ["GetAll"])
    #expect(scene.reports.map(\.report.rssi) == [-70])
    #expect(scene.reports.first.flatMap { iBeacon($0.report) }?.minor == 2)
  }

  @Test func signalsOfAnybodyElseAreNotHeard() throws {
    let scene = try BlueZScene.discovering()
    try scene.tell(sighting(-61, beacon))
    try scene.wait(for: "a report") { !scene.reports.isEmpty }
    scene.forget()
    try scene.tell(
      "others_signal('\(path)', PROPERTIES, 'PropertiesChanged', 'sa{sv}as', DEVICE, "
        + "variants({'RSSI': Int16(-1)}), [])")
    try scene.tell(
      "others_signal('/org/bluez/hci0', PROPERTIES, 'PropertiesChanged', 'sa{sv}as', ADAPTER, "
        + "variants({'Powered': Boolean(False)}), [])")
    try scene.tell("heard('hci0', '\(address)', RSSI=Int16(-70))")
    try scene.wait(for: "a report") { !scene.reports.isEmpty }
    #expect(scene.reports.map(\.report.rssi) == [-70])
    #expect(scene.events.isEmpty)
  }

  @Test(arguments: [
    "{'RSSI': String('loud')}", "{'RSSI': Int32(-60)}", "{'ManufacturerData': Int16(4)}",
    "{'ManufacturerData': Dictionary({String('004c'): octets('0215')}, signature='sv')}",
    "{'ManufacturerData': Dictionary({UInt16(76): String('0215')}, signature='qv')}",
    "{'ManufacturerData': Dictionary({UInt16(76): octets('00' * 5000)}, signature='qv')}",
    "{'ServiceData': Dictionary({String('not a uuid'): octets('00')}, signature='sv')}",
    "{'ServiceData': Array([Byte(1)], signature='y')}", "{'Address': Byte(1)}", "{'Address': String('c0:ff')}",
    "{'AddressType': Boolean(True)}", "{'AddressType': String('')}", "{'UUIDs': Array([Int16(1)], signature='n')}",
    "{'AdvertisingFlags': octets('06' * 300)}",
  ])
  func propertiesOfAnotherTypeSayNothing(properties: String) throws {
    let scene = try BlueZScene.discovering()
    try scene.tell(sighting(-61, beacon))
    try scene.wait(for: "a report") { !scene.reports.isEmpty }
    scene.forget()
    try scene.tell("heard('hci0', '\(address)', **\(properties))")
    try scene.tell("heard('hci0', '\(address)', RSSI=Int16(-70))")
    try scene.wait(for: "a report") { !scene.reports.isEmpty }
    #expect(scene.reports.map(\.report.rssi) == [-70])
    #expect(scene.reports.first?.report.address == DeviceAddress(0xc000_0000_0001))
    #expect(scene.reports.first.flatMap { iBeacon($0.report) }?.minor == 2)
  }

  /// It could not say what it has when it was asked first; meanwhile its adapter came.
  @Test func whatIsListedLateWasNotHeardNow() throws {
    let scene = try BlueZScene([])
    try scene.tell("refuse('GetManagedObjects', 'org.freedesktop.DBus.Error.UnknownObject')")
    try scene.come()
    try scene.connect()
    try scene.wait(for: "a question") { scene.methods.contains("GetManagedObjects") }
    try scene.tell("objects['\(path)'] = {DEVICE: {'RSSI': Int16(-60), 'Address': String('\(address)')}}")
    try scene.tell("objects['\(path)'][DEVICE]['ManufacturerData'] = manufacturer(c004c='\(beacon)')")
    try scene.tell("adapter('hci0', 'C0:FF:EE:00:00:01')")
    try scene.wait(for: "discovery") { scene.states.last == .degraded }
    try scene.tell("refuse('GetManagedObjects')")
    try scene.wait(for: "the list", advancing: 0.5) { scene.deviceCount == 1 }
    #expect(scene.reports.isEmpty)
    try scene.tell("heard('hci0', '\(address)', RSSI=Int16(-70))")
    try scene.wait(for: "a report") { !scene.reports.isEmpty }
    #expect(scene.reports.map(\.report.rssi) == [-70])
  }

  @Test func signalsOfAnotherShapeSayNothing() throws {
    let scene = try BlueZScene.discovering()
    for line in [
      "signal('/org/bluez/hci0', PROPERTIES, 'PropertiesChanged', 's', ADAPTER)",
      "signal('/org/bluez/hci0', PROPERTIES, 'PropertiesChanged', 'sas', ADAPTER, ['Powered'])",
      "signal('/', OBJECTS, 'InterfacesAdded', 'sa{sv}', 'x', variants({'x': Byte(1)}))",
      "signal('/', OBJECTS, 'InterfacesAdded', 'oas', '/org/bluez/hci0', ['x'])",
      "signal('/', OBJECTS, 'InterfacesRemoved', 'o', '/org/bluez/hci0')",
      "signal('/', OBJECTS, 'InterfacesRemoved', 'sas', '/org/bluez/hci0', [ADAPTER])",
      "signal('/', OBJECTS, 'InterfacesRemoved', 'oan', '/org/bluez/hci0', [1, 2])",
      "changed('/org/bluez/hci0', ADAPTER, {'Discovering': Int16(0)})",
      "changed('/org/bluez/hci0', ADAPTER, {'Powered': String('no')})",
    ] {
      try scene.tell(line)
    }
    scene.forget()
    try scene.tell(sighting(-61, beacon))
    try scene.wait(for: "a report") { !scene.reports.isEmpty }
    #expect(scene.events.isEmpty)
  }

  @Test func adaptersAreChosenByTheirAddresses() throws {
    var settings = ScanSettings()
    settings.adapters = [DeviceAddress(0xc0ff_ee00_0002), DeviceAddress(0xc0ff_ee00_0009)]
    let scene = try BlueZScene(["adapter('hci0', 'C0:FF:EE:00:00:01')", "adapter('hci1', 'C0:FF:EE:00:00:02')"])
    try scene.come()
    try scene.connect(settings)
    try scene.wait(for: "discovery") { scene.states.contains(.degraded) }
    #expect(scene.asked.filter { $0.hasPrefix("StartDiscovery") } == ["StartDiscovery /org/bluez/hci1"])
    #expect(Set(scene.scannerReports.map(\.name)) == ["c0:ff:ee:00:00:02", "c0:ff:ee:00:00:09"])
    let missing = try #require(scene.scannerReports.last { $0.name == "c0:ff:ee:00:00:09" })
    #expect(missing.state == .stopped)
    #expect(missing.reason.contains("plugged in"))
    // Nor is what the other hears.
    try scene.tell(sighting(-61, other, "hci0"))
    try scene.tell(sighting(-62, beacon, "hci1"))
    try scene.wait(for: "a report") { !scene.reports.isEmpty }
    #expect(scene.reports.map(\.report.rssi) == [-62])
  }

  // MARK: Whatever happens to bluetoothd

  @Test(arguments: [false, true])
  func bluetoothdMayLeaveAndComeBack(inOrder: Bool) throws {
    let scene = try BlueZScene.discovering()
    scene.forget()
    try scene.tell("leave(in_order=\(inOrder ? "True" : "False"))")
    try scene.wait(for: "the end") { scene.scannerReports.last?.reason.contains("systemctl start bluetooth") == true }
    #expect(Set(scene.states) == [.stopped])
    // Just after its start it knows nothing of objects, and calls one so at most.
    try scene.tell("refuse('GetManagedObjects', 'org.freedesktop.DBus.Error.UnknownObject')")
    try scene.tell("come()")
    try scene.wait(for: "a question") { scene.methods.contains("GetManagedObjects") }
    try scene.tell("refuse('GetManagedObjects')")
    scene.forget()
    try scene.wait(for: "discovery", advancing: 0.5) { scene.states.last == .degraded }
    try scene.tell(sighting(-61, beacon))
    try scene.wait(for: "a report") { !scene.reports.isEmpty }
    #expect(scene.reports.map(\.adapter) == [0])
  }

  @Test func theBusMayEndAndAnotherBegin() throws {
    let scene = try BlueZScene.discovering()
    scene.forget()
    scene.endBus()
    try scene.wait(for: "the end") { scene.states == [.stopped] }
    #expect(scene.descriptor == -1)
    scene.advance(2)
    scene.read()
    try scene.beginBus()
    try scene.tell("discovering.clear(); come()")
    try scene.wait(for: "discovery", advancing: 0.5) { scene.states.last == .degraded }
  }

  @Test func anAdapterKeepsItsNumberOverUnplugging() throws {
    let scene = try BlueZScene.discovering(adapters: 2)
    scene.forget()
    try scene.tell("remove('/org/bluez/hci0')")
    try scene.wait(for: "the end") { scene.states == [.stopped] }
    #expect(scene.scannerReports.last?.name == "c0:ff:ee:00:00:01")
    #expect(scene.scannerReports.last?.reason.contains("plugged in") == true)
    // In another place.
    try scene.tell("adapter('hci2', 'C0:FF:EE:00:00:01')")
    scene.advance(2)
    try scene.wait(for: "discovery") { scene.states.last == .degraded }
    try scene.tell(sighting(-61, beacon, "hci2"))
    try scene.wait(for: "a report") { !scene.reports.isEmpty }
    #expect(scene.reports.map(\.adapter) == [0])
  }

  // MARK: Power

  @Test(arguments: [true, false])
  func anAdapterThatIsOffIsPoweredOnIfThatIsWanted(powersOn: Bool) throws {
    var settings = ScanSettings()
    settings.powersOn = powersOn
    let scene = try BlueZScene(["adapter('hci0', 'C0:FF:EE:00:00:01', powered=False)"])
    try scene.come()
    try scene.connect(settings)
    if powersOn {
      try scene.wait(for: "discovery") { scene.states.last == .degraded }
      #expect(scene.methods.contains("Set"))
    } else {
      try scene.wait(for: "a word") { scene.scannerReports.last?.reason.contains("power-on") == true }
      #expect(scene.states.last == .stopped)
      try scene.tell("changed('/org/bluez/hci0', ADAPTER, {'Powered': Boolean(True)})")
      try scene.wait(for: "discovery") { scene.states.last == .degraded }
      #expect(!scene.methods.contains("Set"))
    }
  }

  @Test func anAdapterThatWasPoweredOffIsTriedAgainLater() throws {
    let scene = try BlueZScene.discovering()
    scene.forget()
    try scene.tell("discovering.clear(); changed('/org/bluez/hci0', ADAPTER, {'Powered': Boolean(False)})")
    try scene.wait(for: "the end") { scene.states == [.stopped] }
    #expect(scene.scannerReports.last?.reason.contains("powered off") == true)
    scene.read()
    #expect(scene.asked.isEmpty)
    scene.advance(2)
    try scene.wait(for: "discovery") { scene.states.last == .degraded }
    #expect(scene.methods == ["Set", "SetDiscoveryFilter", "StartDiscovery"])
  }

  @Test func aBlockedAdapterIsToldWithWhatToDo() throws {
    let scene = try BlueZScene(["adapter('hci0', 'C0:FF:EE:00:00:01', powered=False)"])
    try scene.tell("refuse('Set', 'org.bluez.Error.Blocked', 'Blocked through rfkill')")
    try scene.come()
    try scene.connect()
    try scene.wait(for: "a word") { scene.scannerReports.last?.reason.contains("rfkill unblock") == true }
    #expect(scene.states.last == .stopped)
  }

  // MARK: Refusals

  @Test(arguments: [
    ("org.bluez.Error.NotReady", "not ready"), ("org.bluez.Error.NotAuthorized", "usermod -aG bluetooth"),
    ("org.freedesktop.DBus.Error.AccessDenied", "usermod -aG bluetooth"), ("org.bluez.Error.InProgress", "busy"),
    ("org.bluez.Error.Failed", "refuses"),
  ])
  func aRefusedDiscoveryIsToldAndTriedAgainWithPatience(error: String, words: String) throws {
    let scene = try BlueZScene()
    try scene.tell("refuse('StartDiscovery', '\(error)', 'No luck')")
    try scene.come()
    try scene.connect()
    try scene.wait(for: "a word") { !scene.states.isEmpty }
    #expect(scene.states == [.stopped])
    let reason = try #require(scene.scannerReports.last?.reason)
    #expect(reason.contains(words), "\(reason)")
    #expect(reason.contains("(No luck)"), "\(reason)")

    scene.forget()
    for seconds in [2, 4, 8, 16, 32, 60, 60] as [Int64] {
      // It has been refused when it waits for that long, and for no answer.
      try scene.wait(for: "a wait of \(seconds) s") {
        scene.nextDeadline == scene.now + seconds * 1_000_000_000
      }
      scene.now += seconds * 1_000_000_000
    }
    try scene.wait(for: "the next wait") { scene.nextDeadline == scene.now + 60_000_000_000 }
    #expect(scene.methods.filter { $0 == "StartDiscovery" }.count == 7)
    #expect(scene.states.isEmpty, "the same again is no news")

    try scene.tell("refuse('StartDiscovery')")
    scene.advance(60)
    try scene.wait(for: "discovery") { scene.states.last == .degraded }
  }

  @Test func aDiscoveryThatOthersEndBeginsAgain() throws {
    let scene = try BlueZScene.discovering()
    scene.forget()
    try scene.tell("discovering.clear(); changed('/org/bluez/hci0', ADAPTER, {'Discovering': Boolean(False)})")
    try scene.wait(for: "the end") { scene.states == [.stopped] }
    #expect(scene.asked.isEmpty)
    scene.advance(2)
    try scene.wait(for: "discovery") { scene.states.last == .degraded }
  }

  @Test func aStartWhoseAnswerNeverCameIsEndedBeforeTheNext() throws {
    let scene = try BlueZScene()
    try scene.tell("ignore('StartDiscovery')")
    try scene.come()
    try scene.connect()
    try scene.wait(for: "a start") { scene.methods.contains("StartDiscovery") }
    scene.advance(10)
    scene.read()
    #expect(scene.scannerReports.last?.reason.contains("does not answer") == true)
    try scene.tell("ignored.clear()")
    scene.forget()
    scene.advance(2)
    try scene.wait(for: "discovery") { scene.states.last == .degraded }
    #expect(scene.methods == ["StopDiscovery", "Get", "SetDiscoveryFilter", "StartDiscovery"])
  }

  // MARK: Proof

  @Test func proofIsAScanThatWasEnabledAnew() throws {
    let scene = try BlueZScene.discovering()
    scene.forget()
    scene.askForProof()
    try scene.wait(for: "proof") { !scene.proofs.isEmpty }
    #expect(scene.proofs == [0])
    #expect(scene.methods == ["StopDiscovery", "Get", "SetDiscoveryFilter", "StartDiscovery"])
    #expect(scene.states.isEmpty, "the scanner was not stopped")
  }

  @Test func whoCannotProveItHasStopped() throws {
    let scene = try BlueZScene.discovering()
    scene.forget()
    try scene.tell("refuse('StartDiscovery', 'org.bluez.Error.Failed')")
    scene.askForProof()
    try scene.wait(for: "the end") { scene.states == [.stopped] }
    #expect(scene.proofs.isEmpty)
  }

  /// The scan does not end with our discovery then.
  @Test func thereIsNoProofWhileAnotherProgramDiscovers() throws {
    let scene = try BlueZScene.discovering()
    scene.forget()
    try scene.tell("others('hci0', 1)")
    scene.askForProof()
    try scene.wait(for: "a start") { scene.scannerReports.last?.reason.contains("another program") == true }
    #expect(scene.methods.last == "StartDiscovery")
    #expect(scene.proofs.isEmpty)
    #expect(scene.states == [.degraded])
  }

  @Test func longSilenceBeginsTheDiscoveryAnew() throws {
    let scene = try BlueZScene.discovering()
    scene.forget()
    scene.advance(59)
    scene.read()
    #expect(scene.asked.isEmpty)
    scene.advance(1)
    try scene.wait(for: "a start") { scene.methods.last == "StartDiscovery" }
    #expect(scene.methods.first == "StopDiscovery")
  }

  // MARK: Begin and end

  private func failure(_ body: () throws -> Void) -> BlueZFailure? {
    do {
      try body()
    } catch {
      return error as? BlueZFailure
    }
    return nil
  }

  @Test func stopEndsTheDiscovery() throws {
    let scene = try BlueZScene.discovering()
    scene.forget()
    scene.stop()
    try scene.bluetoothd.line { $0 == "StopDiscovery /org/bluez/hci0" }
    scene.read()
    #expect(scene.descriptor == -1)
    #expect(scene.nextDeadline == nil)
  }

  @Test func aSourceWithoutABusSaysSo() throws {
    let failure = failure { _ = try BlueZSource(ScanSettings(), bus: "unix:path=/nowhere") }
    #expect(failure?.description.contains("no system bus") == true)
  }

  @Test func aSourceWithoutBlueZSaysSo() throws {
    let scene = try BlueZScene()
    let failure = failure { try scene.connect() }
    #expect(failure == .notThere)
    #expect(failure?.description.contains("systemctl start bluetooth") == true)
  }

  @Test func aSourceThatThePolicyRefusesSaysSo() throws {
    let scene = try BlueZScene(policy: "<deny send_destination='org.bluez'/>")
    try scene.come()
    let failure = failure { try scene.connect() }
    #expect(failure?.description.contains("usermod -aG bluetooth") == true)
  }

  @Test func noAdapterIsSaid() throws {
    let scene = try BlueZScene([])
    try scene.come()
    try scene.connect()
    try scene.wait(for: "a word") { scene.sayings.contains { $0.contains("no adapter") } }
    try scene.tell("adapter('hci0', 'C0:FF:EE:00:00:01')")
    try scene.wait(for: "discovery") { scene.states.last == .degraded }
  }
}
