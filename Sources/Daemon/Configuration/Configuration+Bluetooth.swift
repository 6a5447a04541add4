import BluetoothLE

extension Configuration {
  /// How advertisements are heard.
  package struct Bluetooth: Hashable, Sendable {
    package var authorization = Authorization.always
    package var source = Source.auto
    package var adapters = Adapters.all
    package var scan = Scan.passive
    package var duty = Duty.auto
    /// The physical layers that are listened on, at least one, each once.
    package var phys = [PHY.oneMegabit]
    /// The user channel: no other program uses the adapter, bluetoothd included.
    package var isExclusive = false
    /// An adapter that is down is powered up.
    package var powersOn = true
    /// A soft block by rfkill is lifted.
    package var unblocksRFKill = false
    /// How long advertisements are gathered before the daemon wakes.
    package var wakeInterval = Duration.milliseconds(50)
    /// dBm at which the receiver loses half of the packets.
    package var sensitivity = -94.0

    package init() {}
  }
}

extension Configuration.Bluetooth {
  package enum Source: String, CaseIterable, Sendable {
    /// HCI where the capabilities allow it, else BlueZ.
    case auto
    case hci, bluez
  }

  package enum Adapters: Hashable, Sendable {
    case all
    /// By their addresses, at least one, each once.
    case only([DeviceAddress])
  }

  package enum Scan: String, CaseIterable, Sendable {
    case passive, active
  }

  /// The share of time in which the radio listens.
  package enum Duty: Hashable, Sendable {
    case auto
    /// 10 to 100.
    case percent(Double)
  }

  package enum PHY: String, CaseIterable, Sendable {
    case oneMegabit = "1m"
    case coded
  }

  init(_ section: inout Section) {
    self.init()
    section.read("authorization", into: &authorization) { $0.choice() }
    section.read("source", into: &source) { $0.choice() }
    section.read("adapters", into: &adapters) { Self.adapters($0) }
    section.read("scan", into: &scan) { $0.choice() }
    section.read("duty", into: &duty) { Self.duty($0) }
    section.read("phys", into: &phys) { $0.distinct("1m and coded") { $0.choice() } }
    let exclusive = section.take("exclusive")
    isExclusive = exclusive?.boolean() ?? false
    section.read("power-on", into: &powersOn) { $0.boolean() }
    section.read("unblock-rfkill", into: &unblocksRFKill) { $0.boolean() }
    // Rarer than once a second, a region would notice.
    section.read("wake-interval", into: &wakeInterval) { $0.duration(in: .milliseconds(1) ... .seconds(1)) }
    // The sensitivities that controllers state are within -85 and -105 dBm.
    section.read("sensitivity", into: &sensitivity) { $0.quantity(.power, in: -120 ... -60) }
    if isExclusive, source == .bluez {
      exclusive?.fault("true with 'source: bluez', which the user channel shuts out; must be false, or the source hci")
    }
  }

  private static func adapters(_ setting: Setting) -> Adapters? {
    guard case .sequence = setting.node.content else {
      return setting.choice(["all"], or: "a list of adapter addresses").map { _ in .all }
    }
    return setting.distinct("adapter addresses") { $0.address() }.map { .only($0) }
  }

  private static func duty(_ setting: Setting) -> Duty? {
    // What starts with a digit is meant as a share.
    guard let first = setting.word?.utf8.first, isDigit(first) else {
      return setting.choice(["auto"], or: "a share from 10 % to 100 %").map { _ in .auto }
    }
    return setting.quantity(.share, in: 10...100).map { .percent($0) }
  }
}

extension Setting {
  /// A list of at least one element, none of them twice.
  func distinct<T: Hashable>(_ expected: String, _ body: (Setting) -> T?) -> [T]? {
    guard let elements = list(of: expected) else { return nil }
    guard !elements.isEmpty else {
      fault("an empty list; must be a list of \(expected)")
      return nil
    }
    var first: [T: YAMLMark] = [:]
    var values: [T] = []
    for element in elements {
      guard let value = body(element) else { continue }
      if let mark = first[value] {
        element.fault("given twice; the first is at \(mark)")
      } else {
        first[value] = element.node.mark
        values.append(value)
      }
    }
    return values
  }

  func address() -> DeviceAddress? {
    guard let word, let address = DeviceAddress(word) else {
      mismatch("an address, as in c0:00:00:00:00:01")
      return nil
    }
    return address
  }
}
