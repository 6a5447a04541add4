/// Octets that claim to be something and are not: what, where, and why.
package struct DecodingFailure: Error, Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// The field's length must be one of those allowed.
    case length(Int, expected: Int)
    /// Manufacturer data of less than two octets has no company identifier.
    case noCompany(octets: Int)
    /// An iBeacon's content under a company identifier that is not Apple's.
    case company(UInt16)
    /// The length octet inside an iBeacon must be 0x15.
    case innerLength(UInt8)
    /// A frame type that Eddystone does not define.
    case frameType(UInt8)
    /// A telemetry version that Eddystone does not define.
    case version(UInt8)
    /// An Eddystone-URL without a URL.
    case emptyURL
    case scheme(UInt8)
    case urlCode(UInt8)
  }

  /// What the octets claim to be.
  package enum Format: UInt8, Sendable {
    case manufacturerData, iBeacon, altBeacon
    case eddystone, eddystoneUID, eddystoneURL, eddystoneTLM, eddystoneETLM, eddystoneEID
  }

  package let format: Format
  /// Offset of the AD structure's data that the reason speaks of, in octets from its first.
  package let offset: Int
  package let reason: Reason
}

extension DecodingFailure.Format {
  /// The word that every output uses for it.
  package var name: StaticString {
    switch self {
    case .manufacturerData: "manufacturer data"
    case .iBeacon: "ibeacon"
    case .altBeacon: "altbeacon"
    case .eddystone: "eddystone"
    case .eddystoneUID: "eddystone-uid"
    case .eddystoneURL: "eddystone-url"
    case .eddystoneTLM: "eddystone-tlm"
    case .eddystoneETLM: "eddystone-etlm"
    case .eddystoneEID: "eddystone-eid"
    }
  }
}

extension DecodingFailure.Reason: DescribedInPieces {
  package func describe(_ put: (String) -> Void) {
    switch self {
    case .length(let length, let expected):
      put(String(length))
      put(" octets, must be ")
      put(String(expected))
    case .noCompany(let octets):
      put("no company identifier (")
      put(String(octets))
      put(octets == 1 ? " octet)" : " octets)")
    case .company(let company):
      put("company 0x")
      put(hex(company, digits: 4))
      put(" is not Apple (0x004c)")
    case .innerLength(let length):
      put("inner length octet 0x")
      put(hex(length, digits: 2))
      put(", must be 0x15")
    case .frameType(let type):
      put("frame type 0x")
      put(hex(type, digits: 2))
      put(" is not Eddystone's")
    case .version(let version):
      put("unknown telemetry version 0x")
      put(hex(version, digits: 2))
    case .emptyURL: put("no URL")
    case .scheme(let scheme):
      put("reserved URL scheme 0x")
      put(hex(scheme, digits: 2))
    case .urlCode(let code):
      put("reserved URL code 0x")
      put(hex(code, digits: 2))
    }
  }
}

/// Lower-case hex digits, filled with zeros.
package func hex(_ value: some BinaryInteger, digits: Int) -> String {
  let text = String(value, radix: 16)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}
