import BluetoothLE
import FuzzSupport
import Glibc

exit(
  fuzz { input in
    let packet = Octets(input)
    if let command = HCICommand(packet) {
      let octets = command.octets
      precondition(octets == packet.prefix(octets.count).array, "a command is written as it was read")
      precondition(octets.count == 3 + Int(packet[2]))
      precondition(!command.opcode.description.isEmpty)
    }
    guard let event = HCIEvent(packet) else { return }
    if let complete = CommandComplete(event) {
      precondition(complete.returnParameters.count <= max(0, Int(packet[1]) - 4))
      _ = complete.address
      _ = complete.leFeatures
      precondition(complete.supportedCommands?.contains(.none) != true)
      precondition(complete.status?.description.isEmpty != true)
    }
    if let status = CommandStatus(event) { precondition(!status.status.description.isEmpty) }
  })
