import BluetoothLE
import Proximity

/// What is asked of bluetoothd for an adapter.
enum BlueZRequest: Hashable {
  case powerOn
  /// With the adapter's number, by which its monitor is found.
  case registerMonitor(Int)
  case setFilter
  case startDiscovery
  case stopDiscovery
  case isDiscovering
}

/// What bluetoothd answers.
enum BlueZAnswer: Hashable {
  case done
  /// The value asked for.
  case value(Bool)
  case refused(DBusRefusal)
}

/// Keeps one adapter discovering: what to ask next, and when. One request at a time is on its way.
struct BlueZAdapter {
  private enum Phase {
    case idle
    case hasFilter
    case discovering
    /// Its discovery was ended, for another to begin.
    case ended
  }

  let number: Int
  let address: DeviceAddress
  private let mayPowerOn: Bool
  /// Its object on the bus; nil while bluetoothd has none.
  private(set) var path: String?
  /// What its scanner does; nil while that is not known.
  private(set) var report: ScannerReport?

  private(set) var counters = AdapterCounters()
  private var isPowered = false
  /// It takes monitors, and has not been asked to take ours.
  private var wantsMonitor = false
  /// bluetoothd monitors for us.
  private var isMonitored = false
  private var phase = Phase.idle
  private var pending: BlueZRequest?
  /// How many requests there were; names the one that is on its way.
  private(set) var asked: UInt64 = 0

  /// A discovery of ours may run that we know nothing of, as the answer to a request came too late.
  private var isUnsure = false
  private var wantsRestart = false
  private var isProofWanted = false
  private var hasProof = false
  /// Another program discovers as well, so that the scan does not end with our discovery.
  private var isShared = false

  /// Since the last discovery that held.
  private var failures = 0
  private var retryAt = Int64.min
  /// When discovery began after a failure; nil while there is none.
  private var discoversSince: Int64?
  /// When it was heard last, or its discovery began.
  private var signOfLife = Int64.min

  /// Nanoseconds from a failure to the next try; each is twice the one before.
  private static let waits: ClosedRange<Int64> = 2_000_000_000...60_000_000_000
  /// Nanoseconds after which a discovery has held.
  private static let steady: Int64 = 60_000_000_000
  /// Nanoseconds in which nobody is heard, and the discovery begins anew: a raw scanner can take the scan away, and
  /// bluetoothd does not notice.
  static let longestSilence: Int64 = 60_000_000_000

  init(_ number: Int, _ address: DeviceAddress, mayPowerOn: Bool) {
    self.number = number
    self.address = address
    self.mayPowerOn = mayPowerOn
  }

  var asLiveAdapter: LiveAdapter { LiveAdapter(address, index: index, isPowered: path != nil && isPowered) }

  /// The kernel's, which ends the path of its object, as /org/bluez/hci0. Nil while it has none.
  private var index: UInt16? { path?.split(separator: "/").last.flatMap { UInt16($0.dropFirst("hci".count)) } }

  /// What is heard counts.
  var isHearing: Bool { report?.state == .degraded }

  // MARK: What bluetoothd tells

  /// bluetoothd has an object for it. A second one of the same address is none of ours.
  mutating func appear(_ path: String) {
    guard self.path == nil else { return }
    self.path = path
    isPowered = false
    wantsMonitor = false
    isMonitored = false
  }

  /// Told once of each object.
  mutating func change(takesMonitors: Bool) { wantsMonitor = takesMonitors }

  mutating func change(isMonitored: Bool) {
    guard isMonitored != self.isMonitored else { return }
    self.isMonitored = isMonitored
    if phase == .discovering { tellDiscovering() }
  }

  /// bluetoothd has told of all that it has. Just after its start that may be nothing yet.
  mutating func isMissing() {
    if path == nil, report == nil { stop("bluetoothd has no such adapter: is it plugged in?") }
  }

  /// Its object is gone, or bluetoothd as a whole; where it ends in order, first the one and then the other.
  mutating func disappear(_ reason: String, at now: Int64) {
    guard path != nil else { return stop(reason) }
    path = nil
    fail(reason, at: now)
    // There is nothing left of it.
    isUnsure = false
  }

  mutating func change(isPowered: Bool, at now: Int64) {
    let wasPowered = self.isPowered
    self.isPowered = isPowered
    if wasPowered, !isPowered { fail("the adapter was powered off; it is tried again", at: now) }
  }

  /// While others discover it is told of them.
  mutating func change(isDiscovering: Bool, at now: Int64) {
    // Its end is no news while we bring it about.
    guard !isDiscovering, phase == .discovering, pending == nil else { return }
    fail("bluetoothd ended the discovery; it is tried again", at: now)
  }

  mutating func hears(_ packets: Int, at now: Int64) {
    signOfLife = now
    counters.reports += UInt64(packets)
    counters.lastReport = Instant(nanoseconds: now)
  }

  /// Wants the scan to be enabled anew.
  mutating func askForProof() {
    guard isHearing else { return }
    isProofWanted = true
    wantsRestart = phase == .discovering
  }

  /// The scan has been enabled anew, as asked for; said once.
  mutating func takeProof() -> Bool {
    defer { hasProof = false }
    return hasProof
  }

  // MARK: What is asked

  /// When `next` has something to ask though nothing came.
  var deadline: Int64? {
    guard path != nil, pending == nil else { return nil }
    switch phase {
    case .idle: return isPowered || mayPowerOn ? retryAt : nil
    case .discovering: return wantsRestart ? .min : signOfLife + Self.longestSilence
    case .hasFilter, .ended: return .min
    }
  }

  /// What to ask now; it counts as on its way.
  mutating func next(at now: Int64) -> BlueZRequest? {
    if path != nil, pending == nil, phase == .idle, !isPowered, !mayPowerOn {
      stop("the adapter is off: 'bluetoothctl power on', or 'power-on: true' in the configuration")
    }
    guard let deadline, deadline <= now else { return nil }
    pending =
      switch phase {
      case .idle:
        isUnsure ? .stopDiscovery : !isPowered ? .powerOn : wantsMonitor ? .registerMonitor(number) : .setFilter
      case .hasFilter: .startDiscovery
      case .discovering: .stopDiscovery
      case .ended: .isDiscovering
      }
    wantsRestart = false
    asked += 1
    return pending
  }

  /// Takes the answer to a request; that to one which was given up says nothing any more.
  mutating func take(_ answer: BlueZAnswer, to number: UInt64, at now: Int64) {
    guard number == asked, let request = pending else { return }
    pending = nil
    switch (request, answer) {
    case (.stopDiscovery, _):
      // Where it is refused there was none.
      phase = .ended
      isUnsure = false
    case (.isDiscovering, _):
      isShared = answer == .value(true)
      phase = .idle
    case (.registerMonitor, _):
      // Without it, too, it hears.
      wantsMonitor = false
    case (_, .refused(let refusal)):
      isUnsure = request == .startDiscovery && refusal.mayHaveBegun
      fail(Self.reason(request, refusal), at: now)
    case (.powerOn, _):
      isPowered = true
    case (.setFilter, _):
      phase = .hasFilter
    case (.startDiscovery, _):
      discover(at: now)
    }
  }

  private mutating func discover(at now: Int64) {
    phase = .discovering
    signOfLife = now
    if discoversSince == nil { discoversSince = now }
    hasProof = isProofWanted && !isShared
    isProofWanted = false
    tellDiscovering()
  }

  private mutating func tellDiscovering() {
    let others = isShared ? "; another program discovers too, so that nobody's silence is certain" : ""
    let reason =
      isMonitored
      ? "through bluetoothd: each advertisement is reported, but not when it was heard; CAP_NET_RAW gives that as well"
      : "through bluetoothd: a device is reported about every 10 s; with CAP_NET_RAW each advertisement is"
    report = ScannerReport(.degraded, name: address.description, reason: reason + others)
  }

  private mutating func fail(_ reason: String, at now: Int64) {
    if let since = discoversSince, now - since >= Self.steady { failures = 0 }
    retryAt = now + min(Self.waits.lowerBound << Int64(failures), Self.waits.upperBound)
    // Doubled as often as makes the longest wait.
    failures = min(failures + 1, 5)
    discoversSince = nil
    if pending == .startDiscovery { isUnsure = true }
    phase = .idle
    pending = nil
    wantsRestart = false
    isProofWanted = false
    isShared = false
    stop(reason)
  }

  private mutating func stop(_ reason: String) {
    report = ScannerReport(.stopped, name: address.description, reason: reason)
  }

  private static func reason(_ request: BlueZRequest, _ refusal: DBusRefusal) -> String {
    let what =
      switch (refusal.name, request) {
      case ("org.bluez.Error.Blocked", _):
        "the adapter is blocked: 'rfkill unblock bluetooth'"
      case ("org.bluez.Error.NotReady", _):
        "the adapter is not ready: is it blocked by rfkill?"
      case ("org.bluez.Error.NotAuthorized", _), (DBusRefusal.accessDenied, _):
        "this user may not use bluetoothd: 'usermod -aG bluetooth USER', and start anew"
      case ("org.bluez.Error.InProgress", _), ("org.bluez.Error.Busy", _):
        "bluetoothd is busy with the adapter"
      case ("org.bluez.Error.NotSupported", _):
        "the adapter cannot discover Bluetooth LE"
      case (DBusRefusal.noReply.name, _):
        "bluetoothd does not answer: 'systemctl restart bluetooth'"
      case (_, .powerOn):
        "bluetoothd cannot power the adapter on"
      default:
        "bluetoothd refuses to discover"
      }
    return "\(what)\(quoted(refusal.text.isEmpty ? refusal.name : refusal.text)); it is tried again"
  }
}

extension DBusRefusal {
  /// A discovery may run all the same.
  fileprivate var mayHaveBegun: Bool { name == "org.bluez.Error.InProgress" || name == DBusRefusal.noReply.name }
}
