import BluetoothLE
import Proximity

/// What is known of a controller's scan from the commands that pass it, whoever sends them.
struct Air: Hashable, Sendable {
  /// Nil until a command has told.
  private(set) var isEnabled: Bool?
  private(set) var filtersDuplicates = false
  /// A discovery of another program is under way: it has told the controller to keep repeated advertisements back, as
  /// the kernel does for each, and has not ended since.
  private(set) var isShared = false
  /// The last command of another program that changes the scan, until it is answered.
  private var pending: HCICommand?

  /// When the scan was enabled last, by anybody.
  private(set) var enabled: Instant?
  /// The newest report, or when the scan began.
  var heard: Instant?
  /// The scan was stopped by another program; when it is enabled again.
  var repair: Instant?
  /// An answer to a request for proof is owed.
  var isAsked = false
  /// By when the kernel must have enabled the scan.
  var confirmDue: Instant?
  /// The next look at a silence.
  var silenceDue: Instant?
  /// The other family is tried until then.
  var trialEnd: Instant?

  /// When there is something to look at.
  var next: Instant? {
    [repair, confirmDue, silenceDue, trialEnd].compactMap { $0 }.min()
  }

  /// A command of ours was carried out.
  mutating func applied(_ command: HCICommand, at now: Instant) {
    apply(command, at: now)
  }

  /// Another program has sent a command.
  mutating func sent(_ command: HCICommand) {
    switch command {
    case .leSetScanEnable, .leSetExtendedScanEnable: pending = command
    default: break
    }
  }

  /// A command of another program was carried out; true where that was one that changes the scan.
  mutating func foreign(_ opcode: HCIOpcode, at now: Instant) -> Bool {
    guard opcode == .leSetScanEnable || opcode == .leSetExtendedScanEnable else { return false }
    guard let command = pending, command.opcode == opcode else {
      // Nobody saw what it was: the worst is assumed.
      isEnabled = false
      return true
    }
    pending = nil
    apply(command, at: now)
    isShared = filtersDuplicates
    return true
  }

  private mutating func apply(_ command: HCICommand, at now: Instant) {
    switch command {
    case .leSetScanEnable(let isEnabled, let filter): apply(isEnabled, filter, at: now)
    case .leSetExtendedScanEnable(let scan): apply(scan.isEnabled, scan.filterDuplicates, at: now)
    default: break
    }
  }

  private mutating func apply(_ isEnabled: Bool, _ filter: DuplicateFilter, at now: Instant) {
    self.isEnabled = isEnabled
    filtersDuplicates = isEnabled && filter != .off
    if isEnabled { enabled = now }
  }
}

/// Reports in a second, over the last whole ten seconds.
struct ReportRate: Hashable, Sendable {
  private static let span: Int64 = 10_000_000_000

  private var start: Instant?
  private var count: UInt64 = 0
  private(set) var perSecond: Double?

  mutating func count(at now: Instant) {
    roll(to: now)
    count += 1
  }

  mutating func roll(to now: Instant) {
    guard let start else {
      self.start = now
      return
    }
    let age = now.nanoseconds(since: start)
    guard age >= Self.span else { return }
    perSecond = (Double(count) / (Double(age) * 1e-9) * 10).rounded() / 10
    count = 0
    self.start = now
  }
}
