import BluetoothLE
import Linux
import Proximity

/// Hears through bluetoothd, which needs no capability: a discovery of Bluetooth LE on each adapter.
///
/// bluetoothd tells of devices when it likes and without a time, and of each about every 10 s, since it has the
/// controller filter duplicates. So this is for who may have no more.
package final class BlueZSource {
  /// What an answer is waited for to.
  enum Call {
    case hello
    case match
    case owner
    case objects
    case device(String)
    case adapter(Int, asked: UInt64)

    var isForBus: Bool {
      switch self {
      case .hello, .match, .owner: true
      case .objects, .device, .adapter: false
      }
    }

    /// What adapters there are is known when it is answered.
    var tellsOfAdapters: Bool {
      switch self {
      case .hello, .owner, .objects: true
      case .match, .device, .adapter: false
      }
    }
  }

  let settings: ScanSettings
  private let bus: String
  /// Nil while there is no bus.
  var connection: DBusConnection?
  /// The calls that are not answered, by serial, and until when that is waited for.
  var calls: [UInt32: (call: Call, deadline: Int64)] = [:]
  /// The name by which the bus knows who has the name org.bluez; nil while nobody has it.
  var owner: String?
  var adapters: [BlueZAdapter] = []
  var devices = BlueZDeviceTable()
  /// When to ask anew for what bluetoothd has.
  var objectsAt: Int64?

  /// When to look for a bus again.
  private var reconnectAt: Int64?
  /// What was told of each adapter last.
  private var told: [ScannerReport?] = []
  private var sayings: [String] = []
  private var lastSaying: String?
  /// `read` has something to do.
  private var isDue = true

  /// Nanoseconds in which bluetoothd answers or does not.
  private static let patience: Int64 = 10_000_000_000
  /// Nanoseconds between two tries to find a bus, or to have bluetoothd say what it has.
  static let wait: Int64 = 2_000_000_000
  /// Nanoseconds after which what found no room in the socket is written again. Rare: it holds hundreds of our messages.
  private static let writeWait: Int64 = 20_000_000
  /// Messages are read in portions of some 2 KB; so many portions at most before the caller has its turn.
  private static let mostPortions = 64

  /// Connects to the system bus, or the one at an address; waits some seconds at most.
  package convenience init(_ settings: ScanSettings, bus: String? = nil) throws(BlueZFailure) {
    let bus = bus ?? DBusConnection.systemAddress
    self.init(settings, bus, try BlueZBus.connect(bus))
  }

  private init(_ settings: ScanSettings, _ bus: String, _ connection: DBusConnection) {
    self.settings = settings
    self.bus = bus
    self.connection = connection
    say("bluetoothd scans as it likes: 'scan', 'duty', 'phys' and 'unblock-rfkill' have no effect")
    greet(at: BootClock.now)
  }

  /// Whether there is a bluetoothd that talks to us; waits some seconds at most.
  package static var isBlueZThere: Bool { (try? BlueZBus.connect(DBusConnection.systemAddress)) != nil }

  /// To poll for reading; -1, which poll ignores, while there is no bus. Not the same for ever.
  package var descriptor: Int32 { connection?.descriptor ?? -1 }

  /// Nanoseconds on the boot clock: when `read` must be called though nothing came; nil for never.
  package var dueTime: Int64? {
    if isDue { return 0 }
    var deadline = [reconnectAt, objectsAt].compactMap { $0 }.min()
    func atLatest(_ other: Int64) { deadline = min(deadline ?? other, other) }
    for call in calls.values { atLatest(call.deadline) }
    for adapter in adapters { if let other = adapter.deadline { atLatest(max(0, other)) } }
    if connection?.hasUnsent ?? false { atLatest(BootClock.now + Self.writeWait) }
    return deadline
  }

  /// None of its adapters hears: why.
  package var restriction: String? {
    if adapters.isEmpty { return "bluetoothd has no adapter that is wanted; plug one in" }
    let reports = told.compactMap { $0 }
    guard reports.count == adapters.count, reports.allSatisfy({ $0.state == .stopped }) else { return nil }
    return reports.first?.reason
  }

  /// bluetoothd, or that there is none, has told what adapters there are.
  var isReady: Bool {
    connection != nil && objectsAt == nil && !calls.values.contains { $0.call.tellsOfAdapters }
  }

  /// Takes what has come and asks for what is due; never waits.
  package func read(at now: Int64, into heard: inout HeardPackets, _ tell: (RadioEvent) -> Void) {
    exchange(at: now, into: &heard)
    tellNews(tell)
  }

  /// The same, with what there is to tell kept for later.
  func exchange(at now: Int64, into heard: inout HeardPackets) {
    isDue = false
    if let reconnectAt, reconnectAt <= now { reconnect(at: now) }
    takeMessages(at: now, &heard)
    giveUpLateAnswers(at: now)
    if let objectsAt, objectsAt <= now { askForObjects(at: now) }
    for index in adapters.indices { ask(index, at: now) }
  }

  /// Has the scan of an adapter enabled anew. `read` tells the proof when it was, and that the scanner stopped when it
  /// could not be; nothing while another program discovers too, since the scan does not end then.
  package func askForProof(_ adapter: Int, at now: Int64) {
    guard adapters.indices.contains(adapter) else { return }
    adapters[adapter].askForProof()
    isDue = true
  }

  /// Ends its discoveries and leaves the bus.
  package func stop() {
    for adapter in adapters {
      if let path = adapter.path { connection?.send(BlueZBus.call(.stopDiscovery, path)) }
    }
    // Where nobody reads, leaving ends them as well.
    for _ in 0..<20 where connection?.hasUnsent ?? false { connection?.exchange(milliseconds: 25) }
    connection = nil
    calls = [:]
    adapters = []
    (reconnectAt, objectsAt, isDue) = (nil, nil, false)
  }

  // MARK: The bus

  /// Tells the bus what to deliver; then asks who bluetoothd is.
  func greet(at now: Int64) {
    for rule in BlueZBus.matches { call(.match, BlueZBus.busCall("AddMatch")?.append(rule), at: now) }
    call(.owner, BlueZBus.busCall("GetNameOwner")?.append(BlueZBus.service), at: now)
  }

  /// Makes a call whose answer is waited for; false when memory is short.
  @discardableResult
  func call(_ call: Call, _ message: DBusMessage?, at now: Int64) -> Bool {
    guard let serial = connection?.send(message) else { return false }
    calls[serial] = (call, now + Self.patience)
    return true
  }

  private func reconnect(at now: Int64) {
    reconnectAt = now + Self.wait
    guard let connection = try? DBusConnection(bus) else { return }
    self.connection = connection
    if call(.hello, BlueZBus.hello, at: now) {
      reconnectAt = nil
    } else {
      self.connection = nil
    }
  }

  func disconnect(at now: Int64) {
    connection = nil
    loseBlueZ("the system bus is gone: is dbus running?", at: now)
    calls = [:]
    reconnectAt = now + Self.wait
  }

  private func takeMessages(at now: Int64, _ heard: inout HeardPackets) {
    for _ in 0..<Self.mostPortions {
      connection?.exchange()
      var isEmpty = true
      while let message = connection?.next() {
        isEmpty = false
        take(message, at: now, &heard)
      }
      if isEmpty { break }
    }
    if let connection, !connection.isConnected { disconnect(at: now) }
  }

  private func giveUpLateAnswers(at now: Int64) {
    let late = calls.filter { $0.value.deadline <= now }
    for (serial, call) in late {
      calls[serial] = nil
      refused(call.call, .noReply, at: now)
    }
  }

  // MARK: What is told

  func say(_ text: String) {
    // What is tried again and again is said once.
    guard text != lastSaying else { return }
    lastSaying = text
    sayings.append(text)
  }

  private func tellNews(_ tell: (RadioEvent) -> Void) {
    for saying in sayings { tell(.say(saying)) }
    sayings = []
    for index in adapters.indices {
      if index == told.count { told.append(nil) }
      if let report = adapters[index].report, told[index] != report {
        told[index] = report
        tell(.scanner(index, report))
      }
      if adapters[index].takeProof() { tell(.proof(index)) }
    }
  }
}
