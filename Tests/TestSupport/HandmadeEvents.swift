/// HCI events written by hand from the specification's tables, without the H4 octet.
package enum HandmadeEvents {
  /// One report of an LE Advertising Report event; the address as it is read, most significant octet first.
  package struct Legacy: Sendable {
    package var type: UInt8
    package var addressType: UInt8
    package var address: [UInt8]
    package var data: [UInt8]
    package var rssi: Int8

    package init(
      _ data: [UInt8], type: UInt8 = 0, addressType: UInt8 = 1, address: [UInt8] = [0xc0, 0, 0, 0, 0, 1],
      rssi: Int8 = -60
    ) {
      self.type = type
      self.addressType = addressType
      self.address = address
      self.data = data
      self.rssi = rssi
    }
  }

  /// One report of an LE Extended Advertising Report event.
  package struct Extended: Sendable {
    package var type: UInt16
    package var address: [UInt8]
    package var sid: UInt8
    package var data: [UInt8]
    package var rssi: Int8

    package init(
      _ data: [UInt8], type: UInt16 = 0, address: [UInt8] = [0xc0, 0, 0, 0, 0, 1], sid: UInt8 = 0, rssi: Int8 = -60
    ) {
      self.type = type
      self.address = address
      self.sid = sid
      self.data = data
      self.rssi = rssi
    }
  }

  package static func legacy(_ reports: Legacy...) -> [UInt8] {
    var octets: [UInt8] = [0x02, UInt8(reports.count)]
    for report in reports {
      octets += [report.type, report.addressType] + report.address.reversed()
      octets += [UInt8(report.data.count)] + report.data + [UInt8(bitPattern: report.rssi)]
    }
    return meta(octets)
  }

  package static func extended(_ reports: Extended...) -> [UInt8] {
    var octets: [UInt8] = [0x0d, UInt8(reports.count)]
    for report in reports {
      octets += [UInt8(report.type & 0xff), UInt8(report.type >> 8), 1] + report.address.reversed()
      // Primary PHY 1M, secondary 2M, set, transmit power not available, RSSI, no periodic advertising, nobody addressed.
      octets += [1, 2, report.sid, 127, UInt8(bitPattern: report.rssi), 0, 0] + [UInt8](repeating: 0, count: 7)
      octets += [UInt8(report.data.count)] + report.data
    }
    return meta(octets)
  }

  private static func meta(_ parameters: [UInt8]) -> [UInt8] { [0x3e, UInt8(parameters.count)] + parameters }

  /// Flags and the iBeacon of the table in Apple's Proximity Beacon Specification, with major 1 and minor 2.
  package static let iBeacon: [UInt8] =
    [0x02, 0x01, 0x06, 0x1a, 0xff, 0x4c, 0x00, 0x02, 0x15] + [UInt8](0x10...0x1f) + [0, 1, 0, 2, 0xc5]
}
