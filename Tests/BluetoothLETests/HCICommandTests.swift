import BluetoothLE
import CBluetooth
import TestSupport
import Testing

private let commands: [HCICommand] = [
  .reset,
  .setEventMask([.standard, .leMeta]),
  .readLocalSupportedCommands,
  .readAddress,
  .leSetEventMask([.standard, .directedAdvertisingReport, .extendedAdvertisingReport, .scanTimeout]),
  .leReadLocalSupportedFeatures,
  .leSetScanParameters(ScanParameters(ScanTiming(.active, interval: 0x0010, window: 0x1234))),
  .leSetScanParameters(
    ScanParameters(
      ScanTiming(ScanType(rawValue: 0x7f), interval: 0, window: .max), ownAddressType: OwnAddressType(rawValue: 9),
      filterPolicy: ScanFilterPolicy(rawValue: 0xff))),
  .leSetScanEnable(true, filterDuplicates: .off),
  .leSetScanEnable(false, filterDuplicates: DuplicateFilter(rawValue: 0x42)),
  .leSetExtendedScanParameters(ExtendedScanParameters(on1M: ScanTiming(.passive, interval: 0x60, window: 0x30))),
  .leSetExtendedScanParameters(
    ExtendedScanParameters(
      on1M: ScanTiming(.active, interval: 0x0102, window: 0x0304),
      onCoded: ScanTiming(.passive, interval: 0x0506, window: 0x0708), ownAddressType: .resolvableOrRandom,
      filterPolicy: .acceptList)),
  .leSetExtendedScanParameters(
    ExtendedScanParameters(on1M: nil, onCoded: ScanTiming(.passive, interval: 0x60, window: 0x60))),
  .leSetExtendedScanEnable(ExtendedScanEnable(true, filterDuplicates: .eachPeriod, duration: 0x0102, period: 0x0304)),
  .other(HCIOpcode(rawValue: 0xfc01), parameters: [0xde, 0xad]),
]

struct HCICommandTests {
  @Test(arguments: commands)
  func aCommandIsReadBackAsItWasWritten(_ command: HCICommand) {
    let octets = command.octets
    #expect(octets.count == 3 + Int(octets[2]))
    #expect(HCICommand(kept(octets)) == command)
  }

  @Test(arguments: commands)
  func aCommandCutShortIsRefused(_ command: HCICommand) {
    for length in 0..<command.octets.count {
      withMemory(command.octets.prefix(length)) { #expect(HCICommand($0) == nil) }
    }
  }

  @Test(arguments: commands)
  func octetsBehindACommandAreNotItsOwn(_ command: HCICommand) {
    #expect(HCICommand(kept(command.octets + [0xff])) == command)
  }

  /// Constructed from the parameter tables of the specification, sections 7.8.64 and 7.8.65.
  @Test func extendedScanCommandsAreAsTheSpecificationLaysThemOut() {
    let parameters = HCICommand.leSetExtendedScanParameters(
      ExtendedScanParameters(
        on1M: ScanTiming(.active, interval: 0x0102, window: 0x0304),
        onCoded: ScanTiming(.passive, interval: 0x0506, window: 0x0708), ownAddressType: .random))
    #expect(
      parameters.octets == [0x41, 0x20, 13, 0x01, 0x00, 0b101, 1, 0x02, 0x01, 0x04, 0x03, 0, 0x06, 0x05, 0x08, 0x07])
    let enable = HCICommand.leSetExtendedScanEnable(
      ExtendedScanEnable(true, filterDuplicates: .on, duration: 500, period: 0x1234))
    #expect(enable.octets == [0x42, 0x20, 6, 1, 1, 0xf4, 0x01, 0x34, 0x12])
  }

  @Test(arguments: [
    "42 20 05 01 00 00 00 00",  // one octet short
    "42 20 07 01 00 00 00 00 00 00",  // one too many
    "42 20 06 02 00 00 00 00 00",  // enable is neither 0 nor 1
    "41 20 08 00 00 02 01 10 00 10 00",  // LE 2M, on which nothing scans
    "41 20 08 00 00 05 01 10 00 10 00",  // two PHYs, parameters of one
    "0c 20 00", "0b 20 06 01 10 00 10 00 00", "03 0c 01 00",
  ])
  func parametersThatACommandDoesNotHaveAreKeptAsTheyAre(_ hex: String) throws {
    let packet = try #require(octets(hex: hex))
    let command = try #require(HCICommand(kept(packet)))
    #expect(command == .other(command.opcode, parameters: Array(packet.dropFirst(3))))
    #expect(command.octets == packet)
  }

  @Test func whatFollowsTheFirst255ParametersIsNotSent() {
    let command = HCICommand.other(HCIOpcode(rawValue: 0xfc00), parameters: [UInt8](repeating: 7, count: 300))
    #expect(command.octets.count == 258)
    #expect(command.octets[2] == 255)
  }

  @Test func opcodesAreSplitIntoGroupAndCommand() {
    #expect(HCIOpcode.leSetExtendedScanEnable.rawValue == 0x2042)
    #expect(HCIOpcode.leSetExtendedScanEnable.group == 8)
    #expect(HCIOpcode.leSetExtendedScanEnable.command == 0x42)
    #expect(HCIOpcode(rawValue: 0xfc01).description == "command 0xfc01")
    #expect(HCIOpcode.reset.description == "Reset")
  }
}

/// The same packets from the structures of libbluetooth, which were written by others.
struct HCICommandsAgainstLibbluetoothTests {
  @Test func opcodesAreLibbluetooths() {
    let numbers: [(HCIOpcode, Int32, Int32)] = [
      (.setEventMask, OGF_HOST_CTL, OCF_SET_EVENT_MASK),
      (.reset, OGF_HOST_CTL, OCF_RESET),
      (.readLocalSupportedCommands, OGF_INFO_PARAM, OCF_READ_LOCAL_COMMANDS),
      (.readAddress, OGF_INFO_PARAM, OCF_READ_BD_ADDR),
      (.leSetEventMask, OGF_LE_CTL, OCF_LE_SET_EVENT_MASK),
      (.leReadLocalSupportedFeatures, OGF_LE_CTL, OCF_LE_READ_LOCAL_SUPPORTED_FEATURES),
      (.leSetScanParameters, OGF_LE_CTL, OCF_LE_SET_SCAN_PARAMETERS),
      (.leSetScanEnable, OGF_LE_CTL, OCF_LE_SET_SCAN_ENABLE),
    ]
    for (opcode, group, command) in numbers {
      #expect(Int32(opcode.group) == group)
      #expect(Int32(opcode.command) == command)
    }
  }

  @Test func scanParametersAreLibbluetooths() {
    let parameters = le_set_scan_parameters_cp(
      type: 1, interval: UInt16(0x0123).littleEndian, window: UInt16(0x0045).littleEndian, own_bdaddr_type: 2, filter: 1
    )
    let command = HCICommand.leSetScanParameters(
      ScanParameters(
        ScanTiming(.active, interval: 0x0123, window: 0x0045), ownAddressType: .resolvableOrPublic,
        filterPolicy: .acceptList))
    expect(command, hasParameters: parameters, size: LE_SET_SCAN_PARAMETERS_CP_SIZE)
  }

  @Test func scanEnableIsLibbluetooths() {
    let parameters = le_set_scan_enable_cp(enable: 1, filter_dup: 0)
    expect(
      .leSetScanEnable(true, filterDuplicates: .off), hasParameters: parameters, size: LE_SET_SCAN_ENABLE_CP_SIZE)
  }

  @Test func eventMasksAreLibbluetooths() {
    // Octet 1, bit 7: Hardware Error; octet 7, bit 5: LE Meta.
    expect(
      .setEventMask([.hardwareError, .leMeta]), hasParameters: set_event_mask_cp(mask: (0, 0x80, 0, 0, 0, 0, 0, 0x20)),
      size: SET_EVENT_MASK_CP_SIZE)
    // Octet 0, bit 1: advertising report; octet 1, bit 4: extended advertising report.
    expect(
      .leSetEventMask([.advertisingReport, .extendedAdvertisingReport]),
      hasParameters: le_set_event_mask_cp(mask: (0x02, 0x10, 0, 0, 0, 0, 0, 0)), size: LE_SET_EVENT_MASK_CP_SIZE)
  }

  @Test func commandCompleteIsLibbluetooths() throws {
    let header = evt_cmd_complete(ncmd: 3, opcode: HCIOpcode.readAddress.rawValue.littleEndian)
    let parameters = read_bd_addr_rp(status: 0, bdaddr: bdaddr_t(b: (6, 5, 4, 3, 2, 1)))
    let event = octets(of: header) + octets(of: parameters)
    let packet = [UInt8(EVT_CMD_COMPLETE), UInt8(event.count)] + event
    let complete = try #require(HCIEvent(kept(packet)).flatMap(CommandComplete.init))
    #expect(complete.packets == 3)
    #expect(complete.opcode == .readAddress)
    #expect(complete.status == .success)
    #expect(complete.address?.description == "01:02:03:04:05:06")
  }

  @Test func commandStatusIsLibbluetooths() throws {
    let status = evt_cmd_status(
      status: UInt8(HCI_COMMAND_DISALLOWED), ncmd: 1, opcode: HCIOpcode.leSetScanEnable.rawValue.littleEndian)
    let packet = [UInt8(EVT_CMD_STATUS), UInt8(EVT_CMD_STATUS_SIZE)] + octets(of: status)
    let read = try #require(HCIEvent(kept(packet)).flatMap(CommandStatus.init))
    #expect(read.status == .commandDisallowed)
    #expect(read.packets == 1)
    #expect(read.opcode == .leSetScanEnable)
  }

  @Test func statusNumbersAreLibbluetooths() {
    let numbers: [(HCIStatus, Int32)] = [
      (.unknownCommand, HCI_UNKNOWN_COMMAND), (.hardwareFailure, HCI_HARDWARE_FAILURE),
      (.memoryCapacityExceeded, HCI_MEMORY_FULL), (.commandDisallowed, HCI_COMMAND_DISALLOWED),
      (.limitedResources, HCI_REJECTED_LIMITED_RESOURCES), (.unsupportedFeature, HCI_UNSUPPORTED_FEATURE),
      (.invalidParameters, HCI_INVALID_PARAMETERS), (.unspecifiedError, HCI_UNSPECIFIED_ERROR),
    ]
    for (status, number) in numbers { #expect(Int32(status.rawValue) == number) }
  }

  private func expect(
    _ command: HCICommand, hasParameters parameters: some BitwiseCopyable, size: Int32,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let parameters = octets(of: parameters)
    #expect(parameters.count == Int(size), sourceLocation: sourceLocation)
    let header = hci_command_hdr(opcode: command.opcode.rawValue.littleEndian, plen: UInt8(size))
    #expect(command.octets == octets(of: header) + parameters, sourceLocation: sourceLocation)
  }

  /// The memory of a C structure, which is packed.
  private func octets(of value: some BitwiseCopyable) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
}

struct CommandEventTests {
  private func complete(_ hex: String) throws -> CommandComplete? {
    HCIEvent(try kept(hex: hex)).flatMap { CommandComplete($0) }
  }

  @Test func aRefusedCommandReturnsNothingButItsStatus() throws {
    let refused = try #require(try complete("0e 04 01 41 20 0c"))
    #expect(refused.opcode == .leSetExtendedScanParameters)
    #expect(refused.status == .commandDisallowed)
    #expect(refused.status?.description == "command disallowed (0x0c)")
    #expect(refused.returnParameters.isEmpty)
    #expect(try #require(try complete("0e 04 01 42 20 01")).status == .unknownCommand)
  }

  @Test func anEventWithoutACommandOnlySaysHowManyMayBeSent() throws {
    let event = try #require(try complete("0e 03 05 00 00"))
    #expect(event.packets == 5)
    #expect(event.opcode == .none)
    #expect(event.status == nil)
  }

  @Test func anUnnamedStatusIsKept() throws {
    let event = try #require(try complete("0e 04 01 03 0c ee"))
    #expect(event.status == HCIStatus(rawValue: 0xee))
    #expect(event.status?.description == "status 0xee")
  }

  @Test(arguments: ["0e 04 01 03 0c", "0e 02 01 03", "0e 00", "0f 04 00 01 03 0c", "3e 04 01 03 0c 00"])
  func aCutOrAnotherEventIsNoCommandComplete(_ hex: String) throws {
    #expect(try complete(hex) == nil)
  }

  @Test(arguments: ["0f 03 00 01 03", "0f 04 00 01 03", "0e 04 01 03 0c 00", "0f 00"])
  func aCutOrAnotherEventIsNoCommandStatus(_ hex: String) throws {
    let event = try #require(HCIEvent(try kept(hex: hex)))
    #expect(CommandStatus(event) == nil)
  }

  @Test func featuresTellExtendedAdvertisingAndLongRange() throws {
    let event = try #require(try complete("0e 0c 01 03 20 00 00 18 00 00 00 00 00 80"))
    let features = try #require(event.leFeatures)
    #expect(features.contains([.extendedAdvertising, .leCoded]))
    #expect(!features.contains(.le2M))
    #expect(features.rawValue == 0x8000_0000_0000_1800)
    #expect(event.supportedCommands == nil)
    #expect(event.address == nil)
  }

  @Test func answersThatFailedOrAreShortHoldNoAnswer() throws {
    #expect(try complete("0e 0a 01 09 10 0c 06 05 04 03 02 01")?.address == nil)
    #expect(try complete("0e 09 01 09 10 00 06 05 04 03 02")?.address == nil)
    #expect(try complete("0e 0b 01 03 20 00 ff ff ff ff ff ff ff")?.leFeatures == nil)
  }

  /// Bits from the table "Supported commands" of the specification.
  @Test(arguments: [
    (HCIOpcode.reset, 5, 7), (.setEventMask, 5, 6), (.leSetEventMask, 25, 0), (.leReadLocalSupportedFeatures, 25, 2),
    (.leSetScanParameters, 26, 2), (.leSetScanEnable, 26, 3), (.leSetExtendedScanParameters, 37, 5),
    (.leSetExtendedScanEnable, 37, 6), (.readAddress, 15, 1), (.readLocalSupportedCommands, 14, 4),
  ])
  func aControllerKnowsTheCommandsWhoseBitIsSet(_ opcode: HCIOpcode, octet: Int, bit: Int) throws {
    var mask = [UInt8](repeating: 0, count: 64)
    mask[octet] = 1 << UInt8(bit)
    let event = try #require(HCIEvent(kept([0x0e, 68, 1, 0x02, 0x10, 0] + mask)))
    let commands = try #require(CommandComplete(event)?.supportedCommands)
    #expect(commands.contains(opcode))
    let others: [HCIOpcode] = [
      .reset, .setEventMask, .leSetEventMask, .leReadLocalSupportedFeatures, .leSetScanParameters, .leSetScanEnable,
      .leSetExtendedScanParameters, .leSetExtendedScanEnable, .readAddress, .readLocalSupportedCommands,
      HCIOpcode(rawValue: 0xfc01),
    ]
    for other in others where other != opcode { #expect(!commands.contains(other)) }
  }
}
