import BluetoothLE
import TestSupport
import Testing

/// Management packets, held against what Linux 6.1 and 6.12 have answered, and against doc/mgmt-api.txt of BlueZ 5.66.
struct ManagementTests {
  private func octets(_ hex: String) -> [UInt8] { hexOctets(hex.filter { $0 != " " }) ?? [] }

  private func packet(_ event: UInt16, _ index: UInt16, _ parameters: String) -> [UInt8] {
    let parameters = octets(parameters)
    return [event, index, UInt16(parameters.count)].flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] } + parameters
  }

  // MARK: Commands

  @Test func commandsAreAsTheirPageLaysThemOut() {
    #expect(ManagementCommand.readExtendedIndexList.octets(to: 0xffff) == octets("3c00 ffff 0000"))
    #expect(ManagementCommand.readControllerInformation.octets(to: 1) == octets("0400 0100 0000"))
    #expect(ManagementCommand.setPowered(true).octets(to: 0) == octets("0500 0000 0100 01"))
    #expect(ManagementCommand.readAdvertisementMonitorFeatures.octets(to: 0) == octets("5100 0000 0000"))
    #expect(ManagementCommand.removeAdvertisementMonitor(0x0102).octets(to: 0) == octets("5300 0000 0200 0201"))
    let window = SystemParameter(.monitorScanWindow, 0x0060)
    let interval = SystemParameter(.monitorScanInterval, 0x0160)
    #expect(
      ManagementCommand.setDefaultSystemConfiguration([interval, window]).octets(to: 2)
        == octets("4c00 0200 0a00 1300 02 6001 1400 02 6000"))
  }

  /// The kernel takes 31 octets of value whatever the length says.
  @Test func aPatternHasAllItsOctets() {
    let pattern = AdvertisementPattern(type: 0xff, offset: 2, value: [0x02, 0x15])
    let command = ManagementCommand.addAdvertisementPatternsMonitor([pattern]).octets(to: 0)
    #expect(command.prefix(12) == octets("5200 0000 2300 01 ff 02 02 0215")[...])
    #expect(command.count == 6 + 1 + 3 + 31 && command.dropFirst(12).allSatisfy { $0 == 0 })
    let many = (0..<20).map { AdvertisementPattern(type: UInt8($0), value: [UInt8](repeating: 1, count: 40)) }
    let most = ManagementCommand.addAdvertisementPatternsMonitor(many).octets(to: 0)
    #expect(most[6] == 16 && most.count == 6 + 1 + 16 * 34 && most[9] == 31)
  }

  // MARK: Events

  private func event(_ octets: [UInt8]) -> String {
    withMemory(octets) { octets in
      guard let packet = ManagementPacket(octets) else { return "cut" }
      return switch packet.event {
      case .commandComplete(let opcode, let status, let rest): "complete \(opcode.rawValue) \(status) \(rest.count)"
      case .commandStatus(let opcode, let status): "status \(opcode.rawValue) \(status)"
      case .controllerError(let code): "error \(code)"
      case .indexAdded: "added \(packet.index)"
      case .indexRemoved: "removed \(packet.index)"
      case .newSettings(let settings): "settings \(settings.contains(.powered)) \(settings.contains(.lowEnergy))"
      case .advertisementMonitorAdded(let handle): "monitor \(handle)"
      case .advertisementMonitorRemoved(let handle): "no monitor \(handle)"
      case .other(let code): "other \(code)"
      }
    }
  }

  @Test func eventsAreReadAsTheKernelSendsThem() {
    #expect(event(packet(0x0001, 0, "5200 00 0100")) == "complete 82 success (0x00) 2")
    #expect(event(packet(0x0002, 0, "5200 14")) == "status 82 permission denied (0x14)")
    #expect(event(packet(0x0002, 3, "0400 11")) == "status 4 no such adapter (0x11)")
    #expect(event(packet(0x0002, 3, "0400 77")) == "status 4 status 0x77")
    #expect(event(packet(0x0003, 0, "01")) == "error 1")
    #expect(event(packet(0x0004, 1, "")) == "added 1")
    #expect(event(packet(0x0005, 1, "")) == "removed 1")
    #expect(event(packet(0x0006, 0, "01020000")) == "settings true true")
    #expect(event(packet(0x0006, 0, "00020000")) == "settings false true")
    #expect(event(packet(0x0020, 1, "00 01")) == "added 1")
    #expect(event(packet(0x0020, 1, "01 01")) == "other 32")
    #expect(event(packet(0x0021, 1, "00 01")) == "removed 1")
    #expect(event(packet(0x002b, 0, "0100")) == "monitor 1")
    #expect(event(packet(0x002c, 0, "0000")) == "no monitor 0")
    #expect(event(packet(0x0012, 0, "0102")) == "other 18")
  }

  @Test(arguments: [0x0001, 0x0002, 0x0003, 0x0006, 0x0020, 0x002b, 0x002c] as [UInt16])
  func whatIsCutIsRefused(code: UInt16) {
    let whole = packet(code, 0, "5200 00 0100")
    for length in 0..<whole.count { #expect(event(Array(whole.prefix(length))) == "cut") }
    #expect(event(packet(code, 0, "")) == "cut")
  }

  // MARK: Answers

  @Test func anAdapterIsReadAsTheKernelTellsOfIt() throws {
    let answer = octets("0100fafa1efa 0b f105 1bbe0100 01020000") + [UInt8](repeating: 0, count: 263)
    let information = try #require(withMemory(answer) { ControllerInformation($0) })
    #expect(information.address.description == "fa:1e:fa:fa:00:01")
    #expect(information.current == [.powered, .lowEnergy])
    #expect(information.supported.contains([.powered, .lowEnergy]))
    for length in 0..<17 { #expect(withMemory(answer.prefix(length)) { ControllerInformation($0) } == nil) }
  }

  @Test func theIndexListHasThePrimaryAdapters() {
    #expect(withMemory(octets("0000")) { primaryAdapters($0) } == [])
    let usb = PrimaryAdapter(index: 0, bus: .usb)
    #expect(withMemory(octets("0100 0000 00 01")) { primaryAdapters($0) } == [usb])
    let uart = PrimaryAdapter(index: 2, bus: .uart)
    #expect(withMemory(octets("0300 0000 00 01 0500 01 01 0200 00 03")) { primaryAdapters($0) } == [usb, uart])
    #expect(withMemory(octets("0200 0000 00 00")) { primaryAdapters($0) } == nil)
    #expect(withMemory(octets("00")) { primaryAdapters($0) } == nil)
  }

  @Test func featuresOfMonitorsAreRead() throws {
    let none = try #require(withMemory(octets("00000000 00000000 2000 10 0000")) { MonitorFeatures($0) })
    #expect(!none.isOffloaded && none.most == 32 && none.handles.isEmpty)
    let one = try #require(withMemory(octets("01000000 00000000 2000 10 0100 0100")) { MonitorFeatures($0) })
    #expect(one.isOffloaded && one.handles == [1])
    #expect(withMemory(octets("01000000 00000000 2000 10 0200 0100")) { MonitorFeatures($0) } == nil)
  }

  @Test func theSystemConfigurationIsReadUpToItsEnd() throws {
    let answer = octets("0000 02 0000 0100 02 0008 1300 02 6000 1400 02 3000 1f00 01 01")
    let parameters = try #require(withMemory(answer) { systemParameters($0) })
    #expect(parameters.count == 4)
    #expect(parameters[2] == SystemParameter(.monitorScanInterval, 0x60))
    #expect(parameters[3] == SystemParameter(.monitorScanWindow, 0x30))
    #expect(withMemory(answer.dropLast()) { systemParameters($0) } == nil)
    #expect(withMemory([UInt8]()) { systemParameters($0) } == [])
  }
}
