/// What the kernel allows this process beyond what it allows everybody. Source: capabilities(7).
package struct Capabilities: OptionSet, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  package static let netAdmin = Capabilities(rawValue: 1 << 12)
  package static let netRaw = Capabilities(rawValue: 1 << 13)

  /// Those in effect; none where the kernel does not say. Source: proc_pid_status(5), CapEff.
  package static var effective: Capabilities {
    guard let file = try? FileDescriptor(reading: "/proc/self/status"), let octets = try? file.octets(atMost: 16 << 10)
    else { return [] }
    let line = String(decoding: octets, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    let digits = line?.split(separator: "\t").last
    return Capabilities(rawValue: digits.flatMap { UInt64($0, radix: 16) } ?? 0)
  }
}
