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
    put(word: report.source.kind)
    put("\",\"eventType\":")
    put(decimal: report.eventType)
    put(",\"pdu\":\"")
    put(word: report.pduName)
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
    put(jsonLevel: report.rssi)
    switch report.checksum {
    case .unchecked: put(",\"crc\":null")
    case .ok: put(",\"crc\":\"ok\"")
    case .bad: put(",\"crc\":\"bad\"")
    case .cut: put(",\"crc\":\"cut\"")
    }
    if report.source == .extended { put(json: report.extended, report.extendedEventType) }
    put(jsonAdvertisement: report)
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
    put(json: event.malformation)
    put(UInt8(ascii: "}"))
    endLine()
  }

  /// A report's frames alone: when, who, how loud, what. Nothing for a report without.
  mutating func put(beaconsJSON report: AdvertisingReport, _ packet: CapturedPacket) {
    var isFirst = true
    report.readFrames { frame in
      if isFirst {
        putLead(packet)
        put(",\"address\":")
        put(jsonAddress: report.address)
        put(",\"rssi\":")
        put(jsonLevel: report.rssi)
        put(",\"frames\":[")
        isFirst = false
      } else {
        put(UInt8(ascii: ","))
      }
      put(json: frame)
    }
    if !isFirst {
      put("]}")
      endLine()
    }
  }

  @inline(__always)
  private mutating func putLead(_ packet: CapturedPacket) {
    put("{\"record\":")
    put(decimal: packet.record)
    put(",\"time\":")
    if let time = packet.time {
      put(unixSeconds: time)
    } else {
      put("null")
    }
  }

  @inline(__always)
  private mutating func put(jsonAddress address: DeviceAddress?) {
    guard let address else {
      put("null")
      return
    }
    put(UInt8(ascii: "\""))
    put(address)
    put(UInt8(ascii: "\""))
  }

  /// A power in dBm.
  @inline(__always)
  private mutating func put(jsonLevel level: Int8) {
    if level == AdvertisingReport.rssiNotAvailable {
      put("null")
    } else {
      put(decimal: level)
    }
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
    put(jsonLevel: extended.txPower)
    put(",\"periodicInterval\":")
    // 1.25 ms is 125 units of 10 us. Source: Core Specification 5.4, Vol 4, Part E, 7.7.65.13.
    put(units: UInt64(extended.periodicInterval) * 125, places: 5)
    put(",\"dataStatus\":\"")
    put(word: type.dataStatus.word)
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

  /// The data, its AD structures, how their walk ended, the frames, and what only looked like one.
  private mutating func put(jsonAdvertisement report: AdvertisingReport) {
    put(",\"data\":\"")
    let digits = count
    report.data.withUnsafeBytes { put(hex: $0) }
    put("\",\"adStructures\":[")
    var structures = ADStructures(report.data)
    while let structure = structures.next() {
      if structure.offset > 0 { put(UInt8(ascii: ",")) }
      put("{\"type\":\"0x")
      // Type and data as they stand in the digits of the whole.
      put(copyOf: digits + 2 * (structure.offset + 1), length: 2)
      put("\",\"data\":\"")
      put(copyOf: digits + 2 * (structure.offset + 2), length: 2 * structure.data.count)
      put("\"}")
    }
    if structures.end == .complete {
      put("],\"adStatus\":\"complete\"")
    } else {
      put("],\"adStatus\":")
      put(json: structures.end)
    }
    put(",\"frames\":[")
    let start = count
    let broken = report.readFrames { frame in
      if count > start { put(UInt8(ascii: ",")) }
      put(json: frame)
    }
    put(UInt8(ascii: "]"))
    if broken > 0 { putRejected(report.data) }
  }

  private mutating func putRejected(_ advertisement: Octets) {
    put(",\"rejected\":[")
    let start = count
    for structure in ADStructures(advertisement) {
      do throws(DecodingFailure) {
        _ = try Frame(structure)
      } catch {
        if count > start { put(UInt8(ascii: ",")) }
        put("{\"format\":\"")
        put(error.format.name)
        put("\",\"offset\":")
        put(decimal: structure.offset + 2 + error.offset)
        put(",\"reason\":")
        put(json: error.reason)
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
