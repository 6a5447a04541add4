import BluetoothLE

/// An object of bluetoothd's that a message describes, as far as it concerns us.
struct BlueZObject {
  enum Kind {
    case adapter(AdapterProperties)
    case device(BlueZDevice.Change)
  }

  let path: String
  let kind: Kind

  /// What is said of an adapter; nil is what nothing is said of. Source: BlueZ, doc/org.bluez.Adapter.rst.
  struct AdapterProperties: Hashable {
    var address: DeviceAddress?
    var isPowered: Bool?
    var isDiscovering: Bool?
    /// It takes monitors; nil where the message tells of the adapter's own properties alone.
    var takesMonitors: Bool?

    init(_ properties: DBusArguments) {
      for property in properties.elements {
        guard let (key, value) = property.entry, let value = value.variant() else { continue }
        switch key.text() {
        case "Address": address = value.text().flatMap { DeviceAddress($0) } ?? address
        case "Powered": isPowered = value.boolean() ?? isPowered
        case "Discovering": isDiscovering = value.boolean() ?? isDiscovering
        default: break
        }
      }
    }
  }

  /// The answer to `GetManagedObjects`: each path with its interfaces. Adapters come first, then their devices.
  static func all(_ arguments: DBusArguments) -> [BlueZObject] {
    var adapters: [BlueZObject] = []
    var devices: [BlueZObject] = []
    for element in arguments.elements {
      guard let (path, interfaces) = element.entry, let path = path.objectPath(),
        let object = BlueZObject(path, interfaces)
      else { continue }
      if case .adapter = object.kind { adapters.append(object) } else { devices.append(object) }
    }
    return adapters + devices
  }

  /// A signal `InterfacesAdded`.
  init?(added arguments: DBusArguments) {
    guard let path = arguments.objectPath() else { return nil }
    self.init(path, arguments.next)
  }

  /// A signal `PropertiesChanged` of the object at `path`: interface, values, and the names of those that are gone.
  init?(changed path: String, _ arguments: DBusArguments) {
    let values = arguments.next
    switch arguments.text() {
    case BlueZBus.adapter: kind = .adapter(AdapterProperties(values))
    case BlueZBus.device: kind = .device(BlueZDevice.Change(values, gone: values.next))
    default: return nil
    }
    self.path = path
  }

  /// Interfaces, each with its properties.
  private init?(_ path: String, _ interfaces: DBusArguments) {
    var kind: Kind?
    var takesMonitors = false
    for element in interfaces.elements {
      guard let (interface, properties) = element.entry else { continue }
      switch interface.text() {
      case BlueZBus.adapter: kind = .adapter(AdapterProperties(properties))
      case BlueZBus.device: kind = .device(BlueZDevice.Change(properties))
      case BlueZMonitor.manager: takesMonitors = true
      default: break
      }
    }
    if case .adapter(var adapter) = kind {
      adapter.takesMonitors = takesMonitors
      kind = .adapter(adapter)
    }
    guard let kind else { return nil }
    self.path = path
    self.kind = kind
  }
}
