import BluetoothLE
import Proximity

/// What the engine is told beside packets, as a recording holds it: a system note of the Linux monitor, so that btmon and
/// tshark show it as text. A note about an adapter stands under that adapter's index.
package enum RecordingNote: Hashable, Sendable {
  /// Hearing begins. From here on a silence counts where a report or a proof says that the adapter delivered.
  case start(isClockSynchronized: Bool)
  /// The wall clock was set and reads this now, or somebody began or ceased to keep it right. The times of the recording
  /// go on as if nothing had happened.
  case clock(UnixTime, isSynchronized: Bool)
  /// What the adapter's scanner does from here on.
  case scanner(ScannerReport)
  /// The adapter delivers: its scan was enabled anew, as asked for.
  case proof
  /// Somebody was heard whose packets are left out.
  case heard
  /// What a service may do from here on.
  case authorization(Authorization)
  /// Hearing ends.
  case end
}

extension RecordingNote {
  /// Every note of ours begins so; others' do not.
  private static let mark: StaticString = "beacond: "
  /// Octets of a note; what is longer is cut, and in a recording none of ours.
  package static let longest = 1024
  private static let synchronized = "synchronized"
  private static let unsynchronized = "unsynchronized"

  package var text: String { Self.line("\(Self.mark)\(words)".utf8.prefix(Self.longest - 4)) }

  /// One line, whatever it is made of. A character that is cut in two becomes a mark of that.
  private static func line(_ octets: some Sequence<UInt8>) -> String {
    String(decoding: octets.map { $0 < UInt8(ascii: " ") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
  }

  private var words: String {
    switch self {
    case .start(let isSynchronized): "start \(Self.word(isSynchronized))"
    case .clock(let time, let isSynchronized): "clock \(time.nanoseconds / 1000) \(Self.word(isSynchronized))"
    case .scanner(let report):
      "scanner \(report.state.rawValue) \(report.name) \(report.reportsPerSecond.map { "\($0)" } ?? "-") \(report.reason)"
    case .proof: "proof"
    case .heard: "heard"
    case .authorization(let authorization):
      "authorization \(authorization.service.rawValue) \(authorization.status.rawValue) \(authorization.reason)"
    case .end: "end"
    }
  }

  private static func word(_ isSynchronized: Bool) -> String { isSynchronized ? synchronized : unsynchronized }

  private static func isSynchronized(_ word: Substring) -> Bool? {
    word == synchronized ? true : word == unsynchronized ? false : nil
  }

  /// Reads a packet of a capture; nil where it is no note of ours.
  package init?(_ packet: CapturedPacket) {
    guard packet.content == .notice(.systemNote) else { return nil }
    self.init(packet.octets)
  }

  /// Reads the payload of a system note; nil where it is none of ours.
  package init?(_ payload: Octets) {
    guard payload.starts(with: Self.mark), payload.count <= Self.longest else { return nil }
    let octets = payload.dropping(Self.mark.utf8CodeUnitCount).array.prefix { $0 != 0 }
    self.init(words: Self.line(octets))
  }

  private init?(words text: String) {
    let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let rest = words.count > 1 ? words[1] : ""
    switch words[0] {
    case "start":
      guard let isSynchronized = Self.isSynchronized(rest) else { return nil }
      self = .start(isClockSynchronized: isSynchronized)
    case "clock":
      let fields = rest.split(separator: " ")
      guard fields.count == 2, let time = Int64(fields[0]), let isSynchronized = Self.isSynchronized(fields[1]) else {
        return nil
      }
      self = .clock(UnixTime(microseconds: time), isSynchronized: isSynchronized)
    case "scanner":
      let fields = rest.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
      guard fields.count == 4, let state = ScannerState(rawValue: String(fields[0])) else { return nil }
      let rate = Double(fields[2])
      guard fields[2] == "-" || rate.map({ $0.isFinite && $0 >= 0 }) == true else { return nil }
      let (name, reason) = (String(fields[1]), String(fields[3]))
      self = .scanner(ScannerReport(state, name: name, reason: reason, reportsPerSecond: rate))
    case "authorization":
      let fields = rest.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, let service = Authorization.Service(rawValue: String(fields[0])),
        let status = Authorization.Status(rawValue: String(fields[1]))
      else { return nil }
      self = .authorization(Authorization(service, status, reason: String(fields[2])))
    case "proof" where rest.isEmpty: self = .proof
    case "heard" where rest.isEmpty: self = .heard
    case "end" where rest.isEmpty: self = .end
    default: return nil
    }
  }
}
