import BluetoothLE
import Foundation
import Scanning
import TestSupport
import Testing

/// The decoding vectors of the corpus: published by others, or built from the specifications' tables.
@Suite(.enabled(if: Corpus.folder != nil, "the corpus is not here: set BEACOND_CORPUS to its folder"))
struct CorpusVectorTests {
  /// What a vector's octets are. Those that need keys wait for identity keys.
  private enum Kind {
    case advertisement, event, linkLayer, keys

    init?(_ what: String) {
      if what.hasPrefix("HCI packet") {
        self = .event
      } else if what.hasPrefix("LL packet") {
        self = .linkLayer
      } else if what.contains("key") || what.contains("IRK") || what.contains("AES-128-EAX") {
        self = .keys
      } else if what.hasPrefix("AD payload") || what.hasPrefix("AD/EIR payload") {
        self = .advertisement
      } else {
        return nil
      }
    }
  }

  private struct Vector {
    let id: String
    let what: String
    let octets: [UInt8]
    let expected: [String: Any]
  }

  private func vectors() throws -> [Vector] {
    let folder = try #require(Corpus.folder)
    let text = try String(contentsOfFile: folder + "/vectors.jsonl", encoding: .utf8)
    return try text.split(separator: "\n").map { line in
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let id = try #require(object["id"] as? String)
      return Vector(
        id: id, what: try #require(object["what"] as? String, "\(id)"),
        octets: try kept(hex: try #require(object["hex"] as? String, "\(id)")).array,
        expected: try #require(object["expect"] as? [String: Any], "\(id)"))
    }
  }

  @Test func everyVectorIsDecodedAsTheSpecificationsSay() throws {
    let vectors = try vectors()
    var checked = 0
    var keyed = 0
    for vector in vectors {
      let kind = try #require(Kind(vector.what), "\(vector.id): \(vector.what)")
      let actual: [String: Any]
      switch kind {
      case .advertisement: actual = withMemory(vector.octets) { decoded($0) }
      case .event: actual = try withMemory(vector.octets) { try event($0) }
      case .linkLayer: actual = try withMemory(vector.octets) { try packet($0) }
      case .keys:
        keyed += 1
        continue
      }
      #expect(Value(actual) == Value(comparable(vector.expected)), "\(vector.id)")
      checked += 1
    }
    print("vectors: \(checked) checked, \(keyed) about keys left for later")
    #expect(checked > 0)
    #expect(checked + keyed == vectors.count)
  }

  @Test func everyVectorsOctetsAreRecognisedForWhatTheyAre() throws {
    for vector in try vectors() {
      let expected: CapturedPacket.Content
      switch try #require(Kind(vector.what)) {
      case .advertisement: expected = .advertisement
      case .event: expected = .hci(.event)
      case .linkLayer: expected = .linkLayer(RadioHeader())
      case .keys: continue
      }
      withMemory(vector.octets) { #expect(HexPacket.packet($0).content == expected, "\(vector.id)") }
    }
  }

  // MARK: What was decoded, in the vectors' own words

  private func decoded(_ advertisement: Octets) -> [String: Any] {
    var structures = ADStructures(advertisement)
    var list: [[String: String]] = []
    var beacons: [[String: Any]] = []
    var rejected: [String] = []
    while let structure = structures.next() {
      list.append(["type": "0x" + hex(structure.type.rawValue, digits: 2), "data": hexText(structure.data)])
      do throws(DecodingFailure) {
        if let frame = try Frame(structure) { beacons.append(beacon(frame)) }
      } catch {
        rejected.append(error.format.name.description)
      }
    }
    return [
      "ad_structures": list, "status": structures.end.description, "beacons": beacons, "rejected": rejected,
    ]
  }

  private func beacon(_ frame: Frame) -> [String: Any] {
    switch frame {
    case .iBeacon(let frame):
      return [
        "format": "ibeacon", "uuid": frame.uuid.description, "major": frame.major, "minor": frame.minor,
        "measured_power_dbm": frame.measuredPower,
      ]
    case .altBeacon(let frame):
      let id = frame.organization.description.filter { $0 != "-" } + hex(frame.unit, digits: 8)
      return [
        "format": "altbeacon", "manufacturer_id": frame.manufacturer, "beacon_id": id,
        "id1_uuid": frame.organization.description, "id2": frame.unit >> 16, "id3": frame.unit & 0xffff,
        "reference_rssi_dbm": frame.referenceRSSI, "mfg_reserved": frame.reserved,
      ]
    case .eddystoneUID(let frame):
      let id = frame.id.description.filter { $0 != "-" }
      return [
        "format": "eddystone-uid", "tx_power_0m_dbm": frame.power, "namespace": String(id.prefix(20)),
        "instance": String(id.suffix(12)), "rfu": frame.reserved.map { hex($0, digits: 4) as Any } ?? NSNull(),
      ]
    case .eddystoneURL(let frame):
      var beacon: [String: Any] = [
        "format": "eddystone-url", "tx_power_0m_dbm": frame.power, "url": EddystoneURL.text(frame.encoded),
      ]
      let encoded = frame.encoded.count - 1
      if encoded > 17 { beacon["encoded_url_too_long"] = encoded }
      return beacon
    case .eddystoneTLM(let frame):
      return [
        "format": "eddystone-tlm", "version": 0, "battery_mv": frame.batteryMillivolts,
        "temperature_c": frame.temperature.map { $0 as Any } ?? NSNull(), "adv_count": frame.advertisingCount,
        "uptime_s": frame.uptime,
      ]
    case .eddystoneETLM(let frame):
      return [
        "format": "eddystone-etlm", "version": 1,
        "encrypted": hex(frame.encryptedHigh, digits: 16) + hex(frame.encryptedLow, digits: 8),
        "salt": hex(frame.salt, digits: 4), "mic": hex(frame.mic, digits: 4),
      ]
    case .eddystoneEID(let frame):
      return ["format": "eddystone-eid", "tx_power_0m_dbm": frame.power, "eid": hex(frame.eid, digits: 16)]
    }
  }

  private func event(_ packet: Octets) throws -> [String: Any] {
    #expect(packet[0] == HCIPacketType.event.rawValue)
    let event = try #require(HCIEvent(packet.dropping(1)))
    var reports = try #require(AdvertisingReports(event))
    var list: [[String: Any]] = []
    while let report = reports.next() { list.append(self.report(report)) }
    var result: [String: Any] = ["reports": list]
    if let malformation = reports.malformation { result["malformed"] = malformation.description }
    return result
  }

  private func report(_ report: AdvertisingReport) -> [String: Any] {
    var result: [String: Any] = [
      "event_type": report.eventType, "address_type": report.addressType.rawValue,
      "address": report.address.map { $0.description as Any } ?? NSNull(),
      "rssi_dbm": report.receivedPower.map { $0 as Any } ?? NSNull(),
    ]
    if let direct = report.directAddress {
      result["direct_address_type"] = direct.type.rawValue
      result["direct_address"] = direct.address.description
    }
    switch report.source {
    case .legacy:
      result["kind"] = "legacy"
      result["pdu"] = report.pduName.description
    case .directed:
      result["kind"] = "directed"
      return result
    case .extended:
      result["kind"] = "extended"
      result.merge(extended(report)) { $1 }
    case .linkLayer, .payload:
      result["kind"] = "not from a controller"
    }
    result["data"] = hexText(report.data)
    result["decoded"] = decoded(report.data)
    return result
  }

  private func extended(_ report: AdvertisingReport) -> [String: Any] {
    let type = report.extendedEventType
    let phys = ["none", "1M", "2M", "coded"]
    let statuses: [ExtendedEventType.DataStatus: String] = [
      .complete: "complete", .moreToCome: "incomplete, more to come", .truncated: "truncated, no more to come",
    ]
    return [
      "connectable": type.contains(.connectable), "scannable": type.contains(.scannable),
      "directed": type.contains(.directed), "scan_response": type.contains(.scanResponse),
      "legacy_pdu": type.contains(.legacyPDU), "data_status": statuses[type.dataStatus] ?? "reserved",
      "reserved_bits": type.intersection(ExtendedEventType(rawValue: ExtendedEventType.reserved)).rawValue,
      "primary_phy": phys[Int(report.extended.primaryPHY)], "secondary_phy": phys[Int(report.extended.secondaryPHY)],
      "sid": report.extended.sid == 0xff ? NSNull() : report.extended.sid as Any,
      "tx_power_dbm": report.extended.txPower == 127 ? NSNull() : report.extended.txPower as Any,
      "periodic_interval_ms": Double(report.extended.periodicInterval) * 1.25,
    ]
  }

  private func packet(_ packet: Octets) throws -> [String: Any] {
    let pdu = try #require(LinkLayerPDU(packet))
    let report = try #require(pdu.report(rssi: 127, checksum: .ok))
    var result: [String: Any] = [
      "access_address": "0x" + hex(packet.littleEndian(at: 0, as: UInt32.self), digits: 8), "pdu_type": pdu.type,
      "tx_add": pdu.txAdd ? 1 : 0, "length": pdu.length,
      "advertiser_address": report.address.map { $0.description as Any } ?? NSNull(),
      "crc": hexText(try #require(pdu.crc)), "crc_ok": pdu.crcHolds == true, "decoded": decoded(report.data),
    ]
    if !pdu.trailing.isEmpty { result["trailing"] = hexText(pdu.trailing) }
    return result
  }

  // MARK: Comparing

  /// The expectation without what is not ours to compare: the words of a rejection, the summary of texts.
  private func comparable(_ expected: [String: Any]) -> [String: Any] {
    var result = expected
    result["summary"] = nil
    if let rejected = expected["rejected"] as? [[String: Any]] { result["rejected"] = rejected.map { $0["format"] } }
    // The vectors hold to the specification's list of types. Vendors put more into the upper bits, which are masked.
    if expected["pdu"] as? String == "reserved", let type = expected["event_type"] as? Int {
      let names = ["ADV_IND", "ADV_DIRECT_IND", "ADV_SCAN_IND", "ADV_NONCONN_IND", "SCAN_RSP"]
      if type & 7 < names.count { result["pdu"] = names[type & 7] }
    }
    if let decoded = expected["decoded"] as? [String: Any] { result["decoded"] = comparable(decoded) }
    if let reports = expected["reports"] as? [[String: Any]] { result["reports"] = reports.map(comparable) }
    return result
  }
}

/// A JSON value whose numbers compare whatever they were made from.
private enum Value: Equatable {
  case null
  case number(Double)
  case string(String)
  case array([Value])
  case object([String: Value])

  init(_ value: Any) {
    switch value {
    case let text as String: self = .string(text)
    case let object as [String: Any]: self = .object(object.mapValues(Value.init))
    case let array as [Any]: self = .array(array.map(Value.init))
    case let number as NSNumber: self = .number(number.doubleValue)
    default: self = .null
    }
  }
}

func hexText(_ octets: Octets) -> String { octets.array.map { hex($0, digits: 2) }.joined() }
