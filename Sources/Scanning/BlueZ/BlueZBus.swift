import CDBus
import Linux

/// The names on the bus, and what can be said with them.
enum BlueZBus {
  static let service = "org.bluez"
  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let properties = DBUS_INTERFACE_PROPERTIES
  static let objects = "org.freedesktop.DBus.ObjectManager"
  static let bus = DBUS_SERVICE_DBUS

  /// Whom we want to hear.
  static let matches = [
    "type='signal',sender='\(bus)',interface='\(bus)',member='NameOwnerChanged',arg0='\(service)'",
    "type='signal',sender='\(service)',interface='\(objects)'",
    "type='signal',sender='\(service)',interface='\(properties)',member='PropertiesChanged'",
  ]

  /// Milliseconds that a start may wait for each of two answers.
  private static let patience: Int32 = 5000

  /// A connection to a bus that knows us and has a bluetoothd that answers.
  static func connect(_ address: String) throws(BlueZFailure) -> DBusConnection {
    let connection: DBusConnection
    do throws(DBusRefusal) {
      connection = try DBusConnection(address)
      _ = try connection.ask(hello, milliseconds: patience)
    } catch {
      throw .noBus(error.text)
    }
    do throws(DBusRefusal) {
      _ = try connection.ask(call("Ping", DBUS_INTERFACE_PEER, "/"), milliseconds: patience)
    } catch {
      if DBusRefusal.nobodyThere.contains(error.name) { throw .notThere }
      if error.name == DBusRefusal.accessDenied { throw .refused(error.text) }
      throw .mute(error.text)
    }
    return connection
  }

  static var hello: DBusMessage? { busCall("Hello") }

  static func busCall(_ method: String) -> DBusMessage? {
    DBusMessage(call: method, of: bus, at: DBUS_PATH_DBUS, destination: bus)
  }

  static func call(_ method: String, _ interface: String, _ path: String) -> DBusMessage? {
    DBusMessage(call: method, of: interface, at: path, destination: service)
  }

  /// What is asked for an adapter.
  static func call(_ request: BlueZRequest, _ path: String) -> DBusMessage? {
    switch request {
    case .registerMonitor(let number):
      call("RegisterMonitor", BlueZMonitor.manager, path)?.append(path: BlueZMonitor.root(number))
    case .powerOn:
      call("Set", properties, path)?.append(adapter).append("Powered").append { $0.variant("b") { $0.put(true) } }
    case .setFilter:
      // Without one, bluetoothd discovers 10.4 s of every 16 s and hides who sends no flags.
      call("SetDiscoveryFilter", adapter, path)?.append { message in
        message.array(of: "{sv}") { filter in
          filter.entry("Transport", variant: "s") { $0.put("le") }
          filter.entry("DuplicateData", variant: "b") { $0.put(true) }
        }
      }
    case .startDiscovery:
      call("StartDiscovery", adapter, path)
    case .stopDiscovery:
      call("StopDiscovery", adapter, path)
    case .isDiscovering:
      call("Get", properties, path)?.append(adapter).append("Discovering")
    }
  }
}
