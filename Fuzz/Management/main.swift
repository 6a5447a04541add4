import BluetoothLE
import FuzzSupport
import Glibc

// The input is a packet of the kernel's Bluetooth management.
exit(
  fuzz { input in
    guard let packet = ManagementPacket(Octets(input)) else { return }
    switch packet.event {
    case .commandComplete(_, let status, let parameters):
      precondition(parameters.count <= input.count - 9)
      precondition(!status.description.isEmpty)
      if let adapters = primaryAdapters(parameters) { precondition(4 * adapters.count <= parameters.count) }
      if let features = MonitorFeatures(parameters) { precondition(2 * features.handles.count <= parameters.count) }
      if let information = ControllerInformation(parameters) { precondition(!information.address.description.isEmpty) }
      if let found = systemParameters(parameters) { precondition(5 * found.count <= parameters.count) }
    case .commandStatus(_, let status): precondition(!status.description.isEmpty)
    default: break
    }
  })
