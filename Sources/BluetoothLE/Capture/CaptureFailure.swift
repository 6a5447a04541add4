/// Why a capture cannot be read, or no further.
package enum CaptureFailure: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case text, gzip, unknown
  }

  case empty
  /// The content is no capture of a known container.
  case unrecognized(Kind)
  case version(container: String, UInt32)
  /// A container with something other than Bluetooth inside.
  case linkType(container: String, UInt32)
  /// The capture ends inside a record; what stood before was given.
  case cutShort(record: UInt64, offset: UInt64)
  /// A record that cannot be.
  case corrupt(record: UInt64, offset: UInt64, String)
}

extension CaptureFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .empty: "empty: no capture"
    case .unrecognized(.gzip): "compressed with gzip: unpack it first, as in 'zcat FILE | beacond decode -'"
    case .unrecognized(.text): "text, but not of hcidump --raw: not a capture"
    case .unrecognized(.unknown):
      "not a capture: neither btsnoop, pcap, pcapng, PacketLogger nor the text of hcidump --raw"
    case .version(let container, let version): "\(container) version \(version) is not supported"
    case .linkType(let container, let type): "\(container) link type \(type) is not Bluetooth HCI or LE"
    case .cutShort(let record, let offset): "cut short in record \(record), at octet \(offset)"
    case .corrupt(let record, let offset, let what): "record \(record) at octet \(offset): \(what)"
    }
  }
}
