import BluetoothLE
import Foundation
import Linux
import Proximity
import TestSupport
import Testing

@testable import Scanning

/// A process whose lines a test reads and writes.
final class Companion {
  struct TookTooLong: Error, CustomStringConvertible {
    let description: String
  }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var waiting = Data()
  private var hasEnded = false

  init(_ program: String, _ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    // Or the end of the output would never come.
    try output.fileHandleForWriting.close()
  }

  deinit {
    end()
  }

  func end() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  var descriptor: Int32 { output.fileHandleForReading.fileDescriptor }

  func write(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// The lines that are there.
  func lines() -> [String] {
    var lines: [String] = []
    if !hasEnded, Wakeup.poll([descriptor], until: 0) {
      let more = output.fileHandleForReading.availableData
      hasEnded = more.isEmpty
      waiting += more
    }
    while let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(String(decoding: waiting[..<end], as: UTF8.self))
      waiting = waiting[(end + 1)...]
    }
    return lines
  }

  /// The next lines, up to one that is as wanted.
  @discardableResult
  func line(_ isWanted: (String) -> Bool) throws -> String {
    let deadline = BootClock.now + 60_000_000_000
    while BootClock.now < deadline, !hasEnded {
      if let line = lines().first(where: isWanted) { return line }
      _ = Wakeup.poll([descriptor], until: deadline)
    }
    throw TookTooLong(description: hasEnded ? "it has ended" : "no such line")
  }
}

/// A bus of its own, a bluetoothd on it that does as it is told, and a source that hears it, on a clock that the test
/// advances.
final class BlueZScene {
  /// Nil where the programs are that it takes, else what is wanting.
  static let wanting: String? = {
    guard FileManager.default.isExecutableFile(atPath: daemon) else { return "dbus-daemon is not installed" }
    let python = Process()
    python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    python.arguments = ["-c", "import dbus.lowlevel, gi.repository.GLib"]
    python.standardError = FileHandle.nullDevice
    guard (try? python.run()) != nil else { return "python3 is not installed" }
    python.waitUntilExit()
    return python.terminationStatus == 0 ? nil : "python3-dbus or python3-gi is not installed"
  }()

  /// A class, as an optional of what cannot be copied is not to be had everywhere.
  private final class Live {
    var source: BlueZSource

    init(_ source: consuming BlueZSource) {
      self.source = source
    }
  }

  private static let daemon = "/usr/bin/dbus-daemon"

  private let folder: TemporaryFolder
  private(set) var dbus: Companion
  let address: String
  let bluetoothd: Companion
  private var live: Live?

  var now = BootClock.now
  private var heard = HeardPackets()
  private var decoder = ReportDecoder(joiningFragments: true)
  /// What was told and heard since it was asked for.
  private(set) var events: [RadioEvent] = []
  private(set) var reports: [(report: DecodedReport, adapter: Int, instant: Instant)] = []
  /// What bluetoothd was asked since then.
  private(set) var asked: [String] = []

  /// bluetoothd is told to do `lines` before it has its name.
  init(_ lines: [String] = ["adapter('hci0', 'C0:FF:EE:00:00:01')"], policy: String = "") throws {
    folder = try TemporaryFolder()
    address = "unix:path=\(folder.path)/bus"
    let configuration = """
      <busconfig><type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth><policy context='default'>
      <allow send_destination='*'/><allow receive_sender='*'/><allow own='*'/>\(policy)</policy></busconfig>
      """
    try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder.path + "/bus.conf"))
    dbus = try Self.bus(folder)
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../BlueZ/bluetoothd.py").path
    bluetoothd = try Companion("/usr/bin/python3", [script, address])
    try bluetoothd.line { $0 == "ready" }
    for line in lines { try bluetoothd.write(line) }
  }

  deinit {
    dbus.end()
    bluetoothd.end()
  }

  private static func bus(_ folder: TemporaryFolder) throws -> Companion {
    let bus = try Companion(
      daemon, ["--nofork", "--nopidfile", "--nosyslog", "--print-address=1", "--config-file=\(folder.path)/bus.conf"])
    try bus.line { $0.hasPrefix("unix:") }
    return bus
  }

  /// The bus ends, and another begins in its place.
  func endBus() { dbus.end() }
  func beginBus() throws { dbus = try Self.bus(folder) }

  func come() throws {
    try bluetoothd.write("come()")
    try bluetoothd.line { $0 == "there" }
  }

  func connect(_ settings: ScanSettings = ScanSettings()) throws {
    live = Live(try BlueZSource(settings, bus: address))
  }

  var nextDeadline: Int64? { live?.source.dueTime }
  var descriptor: Int32 { live?.source.descriptor ?? -1 }
  var deviceCount: Int? { live?.source.devices.count }
  func holdDevices(atMost most: Int) { live?.source.devices = BlueZDeviceTable(most: most) }
  func askForProof() { live?.source.askForProof(0, at: now) }
  func stop() { live?.source.stop() }

  /// A bluetoothd that is there, and a source that discovers by all its adapters.
  static func discovering(_ settings: ScanSettings = ScanSettings(), adapters: Int = 1) throws -> BlueZScene {
    let scene = try BlueZScene((0..<adapters).map { "adapter('hci\($0)', 'C0:FF:EE:00:00:0\($0 + 1)')" })
    try scene.come()
    try scene.connect(settings)
    try scene.wait(for: "discovery") { scene.states.filter { $0 == .degraded }.count == adapters }
    return scene
  }

  func tell(_ line: String) throws { try bluetoothd.write(line) }

  func advance(_ seconds: Double) { now += Int64(seconds * 1e9) }

  /// Forgets what was told, heard and asked.
  func forget() {
    events = []
    reports = []
    asked = []
  }

  /// Reads once what there is.
  func read() {
    live?.source.read(at: now, into: &heard) { events.append($0) }
    let asked = bluetoothd.lines()
    self.asked += asked
    heard.takeAll { octets, adapter, instant in
      for report in decoder.reports(octets.array, adapter: UInt16(adapter)) {
        reports.append((report, adapter, instant))
      }
    }
  }

  /// Reads until something is so, while the clock stands, or goes by some seconds with each look.
  func wait(for what: String, advancing seconds: Double = 0, _ isSo: () throws -> Bool) throws {
    let deadline = BootClock.now + 60_000_000_000
    while true {
      read()
      if try isSo() { return }
      guard BootClock.now < deadline else {
        throw Companion.TookTooLong(description: "\(what) did not come; told: \(events), asked: \(asked)")
      }
      advance(seconds)
      if let next = nextDeadline, next <= now { continue }
      let look = seconds > 0 ? BootClock.now + 20_000_000 : deadline
      _ = Wakeup.poll([descriptor, bluetoothd.descriptor], until: look)
    }
  }

  // MARK: What was told

  /// The adapters' reports, in order.
  var scannerReports: [ScannerReport] {
    events.compactMap { if case .scanner(_, let report) = $0 { report } else { nil } }
  }

  var states: [ScannerState] { scannerReports.map(\.state) }

  var proofs: [Int] { events.compactMap { if case .proof(let adapter) = $0 { adapter } else { nil } } }

  var sayings: [String] { events.compactMap { if case .say(let text) = $0 { text } else { nil } } }

  /// Which methods were called, without the paths.
  var methods: [String] { asked.map { String($0.prefix { $0 != " " }) } }
}
