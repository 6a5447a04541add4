import BluetoothLE
import EventLog
import Linux

extension OutputBuffer {
  /// Everything that is known of a report, one object a line.
  mutating func put(json report: AdvertisingReport, _ packet: CapturedPacket) {
    putLead(packet)
    put(",\"adapter\":")
    put(decimal: packet.adapter)
    put(",\"kind\":\"")
    put(report.source.kind)
    put("\",")
    put(jsonFields: report)
    put(UInt8(ascii: "}"))
    endLine()
  }

  /// The reports that an event announces and does not hold.
  mutating func put(json event: MalformedEvent, _ packet: CapturedPacket) {
    putLead(packet)
    put(",\"adapter\":")
    put(decimal: packet.adapter)
    put(",\"kind\":\"cut\",\"eventType\":null,\"pdu\":null,\"addressType\":null,\"address\":null,\"rssi\":null")
    put(",\"crc\":null,\"data\":null,\"adStructures\":[],\"frames\":[],\"missing\":")
    put(decimal: event.missing)
    put(",\"malformed\":")
    put(json: event.malformation.description)
    put(UInt8(ascii: "}"))
    endLine()
  }

  /// A report's frames alone: when, who, how loud, what.
  mutating func put(
    beaconsJSON report: AdvertisingReport, _ first: Frame, _ rest: inout Frames, _ packet: CapturedPacket
  ) {
    putLead(packet)
    put(",\"address\":")
    put(jsonAddress: report.address)
    put(",\"rssi\":")
    put(jsonRSSI: report)
    put(",\"frames\":[")
    put(json: first)
    while let frame = rest.next() {
      put(UInt8(ascii: ","))
      put(json: frame)
    }
    put("]}")
    endLine()
  }

  private mutating func putLead(_ packet: CapturedPacket) {
    put("{\"record\":")
    put(decimal: packet.record)
    put(",\"time\":")
    put(jsonTime: packet.time)
  }

  private mutating func put(jsonTime time: UnixTime?) {
    if let time {
      put(unixSeconds: time)
    } else {
      put("null")
    }
  }

  private mutating func put(jsonAddress address: DeviceAddress?) {
    guard let address else {
      put("null")
      return
    }
    put(UInt8(ascii: "\""))
    put(address)
    put(UInt8(ascii: "\""))
  }

  private mutating func put(jsonRSSI report: AdvertisingReport) {
    if let rssi = report.receivedPower {
      put(decimal: rssi)
    } else {
      put("null")
    }
  }

  private mutating func put(jsonFields report: AdvertisingReport) {
    put("\"eventType\":")
    put(decimal: report.eventType)
    put(",\"pdu\":\"")
    put(report.pduName)
    put("\",\"addressType\":")
    put(decimal: report.addressType.rawValue)
    put(",\"address\":")
    put(jsonAddress: report.address)
    if let direct = report.directAddress, report.source != .extended || report.extendedEventType.contains(.directed) {
      put(",\"directAddressType\":")
      put(decimal: direct.type.rawValue)
      put(",\"directAddress\":")
      put(jsonAddress: direct.address)
    }
    put(",\"rssi\":")
    put(jsonRSSI: report)
    put(",\"crc\":")
    if let word = report.checksum.word {
      put(UInt8(ascii: "\""))
      put(word)
      put(UInt8(ascii: "\""))
    } else {
      put("null")
    }
    if report.source == .extended { put(json: report.extended, report.extendedEventType) }
    put(",\"data\":")
    put(jsonHex: report.data)
    put(jsonAdvertisement: report)
  }

  private mutating func put(json extended: AdvertisingReport.Extended, _ type: ExtendedEventType) {
    put(",\"primaryPHY\":")
    put(jsonPHY: extended.primaryPHY)
    put(",\"secondaryPHY\":")
    put(jsonPHY: extended.secondaryPHY)
    put(",\"sid\":")
    if extended.sid == 0xff {
      put("null")
    } else {
      put(decimal: extended.sid)
    }
    put(",\"txPower\":")
    if extended.txPower == AdvertisingReport.rssiNotAvailable {
      put("null")
    } else {
      put(decimal: extended.txPower)
    }
    put(",\"periodicInterval\":")
    // Units of 1.25 ms. Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.13.
    put(fixed: Double(extended.periodicInterval) * 0.00125, places: 5)
    put(",\"dataStatus\":\"")
    put(type.dataStatus.word)
    put("\",\"fragments\":")
    put(decimal: extended.fragments)
  }

  private mutating func put(jsonPHY phy: UInt8) {
    switch phy {
    case 0: put("null")
    case 1: put("\"1M\"")
    case 2: put("\"2M\"")
    case 3: put("\"coded\"")
    default: put(decimal: phy)
    }
  }

  /// The AD structures, how their walk ended, the frames, and what only looked like one.
  private mutating func put(jsonAdvertisement report: AdvertisingReport) {
    put(",\"adStructures\":[")
    var structures = ADStructures(report.data)
    var isFirst = true
    while let structure = structures.next() {
      put(isFirst ? "{\"type\":\"0x" : ",{\"type\":\"0x")
      isFirst = false
      put(hex: UInt64(structure.type.rawValue), digits: 2)
      put("\",\"data\":")
      put(jsonHex: structure.data)
      put(UInt8(ascii: "}"))
    }
    put("],\"adStatus\":\"")
    switch structures.end {
    case .complete: put("complete")
    case let end: put(string: end.description)
    }
    put("\",\"frames\":[")
    var rejected = 0
    if report.isSound {
      isFirst = true
      for structure in ADStructures(report.data) {
        do throws(DecodingFailure) {
          guard let frame = try Frame(structure) else { continue }
          if !isFirst { put(UInt8(ascii: ",")) }
          isFirst = false
          put(json: frame)
        } catch {
          rejected += 1
        }
      }
    }
    put(UInt8(ascii: "]"))
    if rejected > 0 { putRejected(report.data) }
  }

  private mutating func putRejected(_ advertisement: Octets) {
    put(",\"rejected\":")
    var separator: StaticString = "["
    for structure in ADStructures(advertisement) {
      do throws(DecodingFailure) {
        _ = try Frame(structure)
      } catch {
        put(separator)
        separator = ","
        put("{\"format\":\"")
        put(error.format.name)
        put("\",\"offset\":")
        put(decimal: structure.offset + 2 + error.offset)
        put(",\"reason\":")
        put(json: error.reason.description)
        put(UInt8(ascii: "}"))
      }
    }
    put(UInt8(ascii: "]"))
  }
}

extension ExtendedEventType.DataStatus {
  var word: StaticString {
    switch self {
    case .complete: "complete"
    case .moreToCome: "incomplete"
    case .truncated: "truncated"
    case .reserved: "reserved"
    }
  }
}
