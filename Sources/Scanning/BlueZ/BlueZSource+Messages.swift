import BluetoothLE
import CDBus
import Proximity

// What comes from the bus. Anybody may send something there, so the sender counts.

extension BlueZSource {
  /// Devices that are asked about at one time.
  private static let mostAskedDevices = 32

  func take(_ message: DBusMessage, at now: Int64, _ heard: inout HeardPackets) {
    let sender = message.sender
    guard sender == BlueZBus.bus || sender == owner else { return }
    if message.isCall {
      if sender == owner { takeCall(message) }
    } else if !message.isSignal {
      guard let call = calls.removeValue(forKey: message.replySerial)?.call else { return }
      if let refusal = message.refusal {
        refused(call, refusal, at: now)
      } else {
        answered(call, message, at: now, &heard)
      }
    } else if sender == owner {
      takeSignal(message, at: now, &heard)
    } else if message.isSignal("NameOwnerChanged", of: BlueZBus.bus) {
      let name = message.arguments
      guard name.text() == BlueZBus.service, let new = name.next.next.text() else { return }
      setOwner(new.isEmpty ? nil : new, at: now)
    }
  }

  /// bluetoothd asks about our monitors, or tells of them.
  private func takeCall(_ message: DBusMessage) {
    guard let call = BlueZMonitor.call(message) else { return }
    if case .active(let isActive, let adapter) = call, adapters.indices.contains(adapter) {
      adapters[adapter].change(isMonitored: isActive)
    }
    connection?.send(BlueZMonitor.answer(call, message))
  }

  private func takeSignal(_ message: DBusMessage, at now: Int64, _ heard: inout HeardPackets) {
    if message.isSignal("PropertiesChanged", of: BlueZBus.properties) {
      guard let path = message.path, let object = BlueZObject(changed: path, message.arguments) else { return }
      switch object.kind {
      case .adapter(let properties): change(path, properties, at: now)
      case .device(let change): take(change, path, at: now, &heard)
      }
    } else if message.isSignal("InterfacesAdded", of: BlueZBus.objects) {
      guard let object = BlueZObject(added: message.arguments) else { return }
      add(object, isNew: true, at: now, &heard)
    } else if message.isSignal("InterfacesRemoved", of: BlueZBus.objects) {
      guard let path = message.arguments.objectPath() else { return }
      for interface in message.arguments.next.elements {
        switch interface.text() {
        case BlueZBus.adapter: remove(path, "bluetoothd has the adapter no more: is it plugged in?", at: now)
        case BlueZBus.device: devices.remove(path)
        default: break
        }
      }
    }
  }

  // MARK: Answers

  private func answered(_ call: Call, _ message: DBusMessage, at now: Int64, _ heard: inout HeardPackets) {
    switch call {
    case .hello:
      greet(at: now)
    case .match:
      break
    case .owner:
      setOwner(message.arguments.text(), at: now)
    case .objects:
      for object in BlueZObject.all(message.arguments) { add(object, isNew: false, at: now, &heard) }
      tellMissing()
    case .device(let path):
      take(BlueZDevice.Change(message.arguments), path, at: now, &heard)
    case .adapter(let number, let asked):
      let value = message.arguments.variant()?.boolean()
      adapters[number].take(value.map { .value($0) } ?? .done, to: asked, at: now)
    }
  }

  func refused(_ call: Call, _ refusal: DBusRefusal, at now: Int64) {
    switch call {
    case .hello:
      disconnect(at: now)
    case .match:
      say("the bus tells nothing of bluetoothd, so nothing is heard\(quoted(refusal.text))")
    case .owner:
      setOwner(nil, at: now)
    case .objects:
      // Just after its start, bluetoothd knows nothing of objects.
      objectsAt = now + Self.wait
      if refusal.name == DBusRefusal.accessDenied { say(BlueZFailure.refused(refusal.text).description) }
    case .device:
      break
    case .adapter(let number, let asked):
      adapters[number].take(.refused(refusal), to: asked, at: now)
    }
  }

  // MARK: bluetoothd

  private func setOwner(_ new: String?, at now: Int64) {
    guard new != owner || new == nil else { return }
    loseBlueZ("bluetoothd has ended: 'systemctl start bluetooth'", at: now)
    owner = new
    if new != nil { askForObjects(at: now) }
  }

  func loseBlueZ(_ reason: String, at now: Int64) {
    for index in adapters.indices { adapters[index].disappear(reason, at: now) }
    devices = BlueZDeviceTable()
    owner = nil
    objectsAt = nil
    // What was asked of who is gone is not answered any more.
    calls = calls.filter { $0.value.call.isForBus }
  }

  func askForObjects(at now: Int64) {
    let isAsked = call(.objects, BlueZBus.call("GetManagedObjects", BlueZBus.objects, "/"), at: now)
    objectsAt = isAsked ? nil : now + Self.wait
  }

  /// Says which of the adapters that are wanted are not there.
  private func tellMissing() {
    for address in settings.adapters ?? [] { _ = adapter(address) }
    for index in adapters.indices { adapters[index].isMissing() }
    if !adapters.contains(where: { $0.path != nil }) {
      say("bluetoothd has no adapter to scan with: is one plugged in, and does 'bluetoothctl list' show it?")
    }
  }

  // MARK: Adapters

  private func add(_ object: BlueZObject, isNew: Bool, at now: Int64, _ heard: inout HeardPackets) {
    switch object.kind {
    case .adapter(let properties):
      guard let address = properties.address, let index = adapter(address) else { return }
      adapters[index].appear(object.path)
      change(object.path, properties, at: now)
    case .device(let change):
      guard let index = adapter(of: object.path) else { return }
      let packets = devices.take(change, object.path)
      // What bluetoothd knew before, or knows from its files, was not heard now.
      guard isNew, case .heard = change.level else { return }
      hear(packets, index, at: now, &heard)
    }
  }

  /// The place of an adapter that is wanted; nil for another.
  private func adapter(_ address: DeviceAddress) -> Int? {
    if let known = adapters.firstIndex(where: { $0.address == address }) { return known }
    guard settings.adapters?.contains(address) ?? true, adapters.count < LiveAdapter.most else { return nil }
    adapters.append(BlueZAdapter(adapters.count, address, mayPowerOn: settings.powersOn))
    return adapters.count - 1
  }

  private func change(_ path: String, _ properties: BlueZObject.AdapterProperties, at now: Int64) {
    guard let index = adapters.firstIndex(where: { $0.path == path }) else { return }
    if let takesMonitors = properties.takesMonitors { adapters[index].change(takesMonitors: takesMonitors) }
    if let isPowered = properties.isPowered { adapters[index].change(isPowered: isPowered, at: now) }
    if let isDiscovering = properties.isDiscovering { adapters[index].change(isDiscovering: isDiscovering, at: now) }
  }

  private func remove(_ path: String, _ reason: String, at now: Int64) {
    guard let index = adapters.firstIndex(where: { $0.path == path }) else { return }
    adapters[index].disappear(reason, at: now)
    devices.removeAll(below: path)
  }

  /// Asks what is due for an adapter.
  func ask(_ index: Int, at now: Int64) {
    guard let path = adapters[index].path, let request = adapters[index].next(at: now) else { return }
    let asked = adapters[index].asked
    if !call(.adapter(index, asked: asked), BlueZBus.call(request, path), at: now) {
      adapters[index].take(.refused(.noReply), to: asked, at: now)
    }
  }

  // MARK: Devices

  /// The place of the adapter that a device belongs to.
  private func adapter(of device: String) -> Int? {
    adapters.firstIndex { adapter in adapter.path.map { device.hasPrefix($0 + "/") } ?? false }
  }

  private func take(
    _ change: BlueZDevice.Change, _ path: String, at now: Int64, _ heard: inout HeardPackets
  ) {
    guard let index = adapter(of: path) else { return }
    guard change.address != nil || devices.contains(path) else {
      // One that went when there were too many.
      if change.isSighting { askForDevice(path, at: now) }
      return
    }
    hear(devices.take(change, path), index, at: now, &heard)
  }

  private func askForDevice(_ path: String, at now: Int64) {
    var count = 0
    for case .device(let asked) in calls.values.map(\.call) {
      if asked == path { return }
      count += 1
    }
    guard count < Self.mostAskedDevices else { return }
    call(.device(path), BlueZBus.call("GetAll", BlueZBus.properties, path)?.append(BlueZBus.device), at: now)
  }

  private func hear(_ packets: [[UInt8]], _ index: Int, at now: Int64, _ heard: inout HeardPackets) {
    guard adapters[index].isHearing, !packets.isEmpty else { return }
    adapters[index].hears(packets.count, at: now)
    for packet in packets {
      // A time of its own it has none.
      packet.withUnsafeBytes { heard.append($0, from: index, at: Instant(nanoseconds: now)) }
    }
  }
}
