import BluetoothLE
import EventLog
import Linux

extension OutputBuffer {
  /// A report for a person: time, level, address, kind, what it says; each frame on a line of its own below.
  mutating func put(text report: AdvertisingReport, _ packet: CapturedPacket, beaconsOnly: Bool) {
    putLead(packet)
    put(text: report, beaconsOnly: beaconsOnly)
  }

  mutating func put(text event: MalformedEvent, _ packet: CapturedPacket) {
    putLead(packet)
    put("broken event: ")
    put(pieces: event.malformation)
    if event.missing > 1 {
      put(" (")
      put(decimal: event.missing)
      put(" missing)")
    }
    endLine()
  }

  private mutating func putLead(_ packet: CapturedPacket) {
    let start = count
    guard let time = packet.time else {
      put("#")
      put(decimal: packet.record)
      pad(to: 10, from: start)
      return
    }
    let civil = CivilTime(time)
    put(date: civil)
    put(UInt8(ascii: " "))
    put(clock: civil)
    put(UInt8(ascii: "."))
    put(decimal: UInt64(civil.nanosecond / 1000), digits: 6)
    pad(to: 28, from: start)
  }

  private mutating func put(text report: AdvertisingReport, beaconsOnly: Bool) {
    var start = count
    if let rssi = report.receivedPower {
      put(decimal: rssi)
      put(" dBm")
    } else {
      put("no RSSI")
    }
    pad(to: 9, from: start)
    start = count
    if let address = report.address {
      put(address)
      put(UInt8(ascii: " "))
      put(text: report.addressType)
    } else {
      put("no address")
    }
    pad(to: 26, from: start)
    put(word: report.pduName)
    if report.checksum == .bad { put(", wrong CRC") }
    if report.checksum == .cut { put(", cut short") }
    if report.extended.fragments > 1 {
      put(", joined of ")
      put(decimal: report.extended.fragments)
    }
    if !beaconsOnly { put(summary: report.data) }
    endLine()
    guard report.isSound else { return }
    for structure in ADStructures(report.data) {
      do throws(DecodingFailure) {
        guard let frame = try Frame(structure) else { continue }
        put("    ")
        put(text: frame)
        endLine()
      } catch {
        guard !beaconsOnly else { continue }
        put("    no ")
        put(error.format.name)
        put(": ")
        put(pieces: error.reason)
        endLine()
      }
    }
  }

  private mutating func put(text type: AddressType) {
    switch type {
    case .public, .publicIdentity: put("public")
    case .random, .randomIdentity: put("random")
    default:
      put("type ")
      put(decimal: type.rawValue)
    }
  }

  /// Name, company, services and the rest by type, as one reads them.
  private mutating func put(summary advertisement: Octets) {
    var structures = ADStructures(advertisement)
    while let structure = structures.next() {
      let data = structure.data
      switch structure.type {
      case .flags: continue
      case .completeLocalName, .shortenedLocalName:
        put(", name ")
        put(quoted: data)
      case .manufacturerData where data.count >= 2:
        put(", company 0x")
        put(hex: UInt64(data.littleEndian(at: 0, as: UInt16.self)), digits: 4)
      case .serviceData16 where data.count >= 2:
        put(", service data 0x")
        put(hex: UInt64(data.littleEndian(at: 0, as: UInt16.self)), digits: 4)
      case .completeUUIDs16, .incompleteUUIDs16:
        for index in 0..<data.count / 2 {
          put(index == 0 ? ", services 0x" : " 0x")
          put(hex: UInt64(data.littleEndian(at: index * 2, as: UInt16.self)), digits: 4)
        }
      case .txPowerLevel where data.count == 1:
        put(", tx power ")
        put(decimal: Int8(bitPattern: data[0]))
        put(" dBm")
      default:
        put(", type 0x")
        put(hex: UInt64(structure.type.rawValue), digits: 2)
      }
    }
    switch structures.end {
    case .complete, .earlyTermination(nonZeroAfter: false): break
    case let end:
      put(", ")
      put(pieces: end)
    }
  }

  /// A name from the air: what is no UTF-8 shows as U+FFFD, and what would act on a terminal as its number.
  private mutating func put(quoted octets: Octets) {
    let name = octets.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    put(UInt8(ascii: "\""))
    for scalar in name.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        put("\\u{")
        put(string: String(scalar.value, radix: 16))
        put("}")
      default: put(string: String(scalar))
      }
    }
    put(UInt8(ascii: "\""))
  }

  /// A frame for a person.
  package mutating func put(text frame: Frame) {
    switch frame {
    case .iBeacon(let frame):
      put("iBeacon ")
      put(frame.uuid)
      put(" major ")
      put(decimal: frame.major)
      put(" minor ")
      put(decimal: frame.minor)
      put(", ")
      put(decimal: frame.measuredPower)
      put(" dBm at 1 m")
    case .altBeacon(let frame):
      put("AltBeacon ")
      put(hexHigh: frame.organization.high, low: frame.organization.low)
      put(hex: UInt64(frame.unit), digits: 8)
      put(" company 0x")
      put(hex: UInt64(frame.manufacturer), digits: 4)
      put(", ")
      put(decimal: frame.referenceRSSI)
      put(" dBm at 1 m")
    case .eddystoneUID(let frame):
      put("Eddystone-UID ")
      put(namespace: frame.id)
      put(UInt8(ascii: "-"))
      put(instance: frame.id)
      put(powerAtZero: frame.power)
    case .eddystoneURL(let frame):
      put("Eddystone-URL ")
      put(jsonURL: frame.encoded)
      put(powerAtZero: frame.power)
    case .eddystoneEID(let frame):
      put("Eddystone-EID ")
      put(hex: frame.eid, digits: 16)
      put(powerAtZero: frame.power)
    case .eddystoneTLM(let frame):
      put("Eddystone-TLM")
      if frame.batteryMillivolts > 0 {
        put(UInt8(ascii: " "))
        put(fixed: frame.battery, places: 3)
        put(" V,")
      }
      if let temperature = frame.temperature {
        put(UInt8(ascii: " "))
        put(fixed: temperature, places: 2)
        put(" °C,")
      }
      put(UInt8(ascii: " "))
      put(decimal: frame.advertisingCount)
      put(" advertisements, up ")
      put(fixed: frame.uptime, places: 1)
      put(" s")
    case .eddystoneETLM:
      put("Eddystone-TLM, encrypted")
    }
  }

  private mutating func put(powerAtZero power: Int8) {
    put(", ")
    put(decimal: power)
    put(" dBm at 0 m")
  }
}
