/// Why there is no scanning through bluetoothd: a line that says what to do.
package enum BlueZFailure: Error, Hashable, Sendable {
  /// There is no system bus, or it does not let us in; with what it said.
  case noBus(String)
  /// Nobody has the name org.bluez.
  case notThere
  /// The bus does not deliver to bluetoothd what this user sends; with what it said.
  case refused(String)
  /// It has the name and does not answer; with what was said, if anything.
  case mute(String)
}

extension BlueZFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noBus(let text):
      "no system bus to reach bluetoothd by: is dbus running, and DBUS_SYSTEM_BUS_ADDRESS unset or right?\(quoted(text))"
    case .notThere:
      "bluetoothd is not running: 'systemctl start bluetooth', or give beacond CAP_NET_RAW and it needs no bluetoothd"
    case .refused(let text):
      "the bus lets this user say nothing to bluetoothd: 'usermod -aG bluetooth USER', and start anew\(quoted(text))"
    case .mute(let text):
      "bluetoothd does not answer: 'systemctl restart bluetooth'\(quoted(text))"
    }
  }
}

/// What others said, behind a line of ours: shortened, on one line; nothing where they said nothing.
func quoted(_ text: String) -> String {
  let clean = text.unicodeScalars.prefix(200).map { $0.properties.generalCategory == .control ? " " : Character($0) }
  return clean.isEmpty ? "" : " (\(String(clean)))"
}
