/// Our advertisement monitors, as bluetoothd asks about them: one for each adapter, by its number.
///
/// While there is a monitor, the kernel has the controller filter no duplicates for a discovery either, so that bluetoothd
/// tells of each report. bluetoothd has this where it was started with -E.
/// Source: BlueZ 5.66, doc/advertisement-monitor-api.txt.
enum BlueZMonitor {
  static let manager = "org.bluez.AdvertisementMonitorManager1"
  private static let interface = "org.bluez.AdvertisementMonitor1"
  private static let prefix = "/org/beacond/adapter"
  private static let name = "/monitor"

  /// Where the monitor of an adapter is found: the object that lists it.
  static func root(_ adapter: Int) -> String { "\(prefix)\(adapter)" }

  /// What bluetoothd has called.
  enum Call: Hashable {
    /// What is there, with which properties?
    case list(adapter: Int)
    /// It monitors for us, or no more.
    case active(Bool, adapter: Int)
    /// A device was found or lost, which its properties tell as well.
    case device
  }

  /// Nil for a call that we have no method for.
  static func call(_ message: DBusMessage) -> Call? {
    guard let path = message.path, path.hasPrefix(prefix) else { return nil }
    var rest = path.dropFirst(prefix.count)
    let isMonitor = rest.hasSuffix(name)
    if isMonitor { rest = rest.dropLast(name.count) }
    guard let adapter = Int(rest) else { return nil }
    if !isMonitor {
      return message.isCall("GetManagedObjects", of: BlueZBus.objects) ? .list(adapter: adapter) : nil
    }
    if message.isCall("Activate", of: interface) { return .active(true, adapter: adapter) }
    if message.isCall("Release", of: interface) { return .active(false, adapter: adapter) }
    let isDevice = message.isCall("DeviceFound", of: interface) || message.isCall("DeviceLost", of: interface)
    return isDevice ? .device : nil
  }

  /// The answer to a call; nil where none is wanted, or memory is short.
  static func answer(_ call: Call, _ message: DBusMessage) -> DBusMessage? {
    guard message.wantsReply, let reply = message.reply() else { return nil }
    guard case .list(let adapter) = call else { return reply }
    return reply.append { message in
      message.array(of: "{oa{sa{sv}}}") { objects in
        objects.entry { object in
          object.put(path: root(adapter) + name)
          object.array(of: "{sa{sv}}") { interfaces in
            interfaces.entry { entry in
              entry.put(interface)
              entry.array(of: "{sv}") { put($0) }
            }
          }
        }
      }
    }
  }

  // MARK: The monitor

  private struct Pattern {
    let start: UInt8
    let type: UInt8
    let content: [UInt8]
  }

  /// iBeacon, Eddystone, and AltBeacon of any manufacturer: AD type, and octets of its data from `start` on.
  private static let patterns = [
    Pattern(start: 0, type: 0xff, content: [0x4c, 0x00, 0x02, 0x15]),
    Pattern(start: 0, type: 0x16, content: [0xaa, 0xfe]),
    Pattern(start: 2, type: 0xff, content: [0xbe, 0xac]),
  ]

  private static func put(_ properties: DBusBuilder) {
    properties.entry("Type", variant: "s") { $0.put("or_patterns") }
    // Every report.
    properties.entry("RSSISamplingPeriod", variant: "q") { $0.put(0 as UInt16) }
    properties.entry("Patterns", variant: "a(yyay)") { value in
      value.array(of: "(yyay)") { array in
        for pattern in patterns {
          array.structure { structure in
            structure.put(pattern.start)
            structure.put(pattern.type)
            structure.array(of: "y") { octets in
              for octet in pattern.content { octets.put(octet) }
            }
          }
        }
      }
    }
  }
}
