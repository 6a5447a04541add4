/// Source: Eddystone-URL, "Frame Specification".
package struct EddystoneURL {
  /// Transmitted power at 0 m in dBm.
  package let power: Int8
  /// The scheme octet and the encoded URL, borrowed from the advertisement. Longer than the 17 octets of the
  /// specification is readable and therefore read.
  package let encoded: Octets

  init(_ frame: Octets) throws(DecodingFailure) {
    guard frame.count >= 4 else {
      throw DecodingFailure(format: .eddystoneURL, offset: 2, reason: .emptyURL)
    }
    guard Self.scheme(frame[2]) != nil else {
      throw DecodingFailure(format: .eddystoneURL, offset: 4, reason: .scheme(frame[2]))
    }
    for index in 3..<frame.count where !Self.isAllowed(frame[index]) {
      throw DecodingFailure(format: .eddystoneURL, offset: index + 2, reason: .urlCode(frame[index]))
    }
    power = Int8(bitPattern: frame[1])
    encoded = frame.dropping(2)
  }

  /// Source: Eddystone-URL, "URL Scheme Prefix".
  package static func scheme(_ code: UInt8) -> StaticString? {
    switch code {
    case 0x00: "http://www."
    case 0x01: "https://www."
    case 0x02: "http://"
    case 0x03: "https://"
    default: nil
    }
  }

  /// The text that a code octet stands for; nil for a character that stands for itself.
  /// Source: Eddystone-URL, "Eddystone-URL HTTP URL encoding".
  package static func expansion(_ code: UInt8) -> StaticString? {
    switch code {
    case 0x00: ".com/"
    case 0x01: ".org/"
    case 0x02: ".edu/"
    case 0x03: ".net/"
    case 0x04: ".info/"
    case 0x05: ".biz/"
    case 0x06: ".gov/"
    case 0x07: ".com"
    case 0x08: ".org"
    case 0x09: ".edu"
    case 0x0a: ".net"
    case 0x0b: ".info"
    case 0x0c: ".biz"
    case 0x0d: ".gov"
    default: nil
    }
  }

  /// Codes 0x0e-0x20 and 0x7f-0xff are reserved.
  static func isAllowed(_ code: UInt8) -> Bool {
    code <= 0x0d || (code >= 0x21 && code <= 0x7e)
  }

  /// Whether octets are a scheme and an encoded URL as a frame may hold them.
  package static func isEncoded(_ octets: [UInt8]) -> Bool {
    guard let first = octets.first, scheme(first) != nil else { return false }
    return octets.count > 1 && octets.dropFirst().allSatisfy { isAllowed($0) }
  }

  /// The whole URL; `encoded` as it stands in a frame.
  package static func text(_ encoded: Octets) -> String {
    guard !encoded.isEmpty, let scheme = scheme(encoded[0]) else { return "" }
    var text = scheme.description
    for index in 1..<encoded.count {
      if let expansion = expansion(encoded[index]) {
        text += expansion.description
      } else {
        text.unicodeScalars.append(Unicode.Scalar(encoded[index]))
      }
    }
    return text
  }

  /// The fewest octets that a URL can be sent in, its scheme included; empty where it has none of the four schemes.
  package static func shortestEncoding(of url: String) -> [UInt8] {
    var rest = Array(url.utf8)[...]
    let schemes = longestFirst(0...3) { scheme($0) }
    let words = longestFirst(0...0x0d) { expansion($0) }
    var encoded: [UInt8] = []
    while !rest.isEmpty {
      // Something follows a scheme: of "http://www." only the first half is one.
      let candidates = encoded.isEmpty ? schemes.filter { $0.text.utf8.count < rest.count } : words
      if let word = candidates.first(where: { rest.starts(with: $0.text.utf8) }) {
        encoded.append(word.code)
        rest = rest.dropFirst(word.text.utf8.count)
      } else if encoded.isEmpty {
        return []
      } else {
        encoded.append(rest.removeFirst())
      }
    }
    return encoded
  }

  /// A longer word comes before the one that it starts with.
  private static func longestFirst(
    _ codes: ClosedRange<UInt8>, _ word: (UInt8) -> StaticString?
  ) -> [(code: UInt8, text: String)] {
    codes.compactMap { code in word(code).map { (code, $0.description) } }.sorted {
      $0.text.utf8.count > $1.text.utf8.count
    }
  }
}
