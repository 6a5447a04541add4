import BluetoothLE
import Linux

extension Frame {
  /// The word that the configuration and every output use for the kind of frame.
  package var kind: StaticString {
    switch self {
    case .iBeacon: "ibeacon"
    case .altBeacon: "altbeacon"
    case .eddystoneUID: "eddystone-uid"
    case .eddystoneURL: "eddystone-url"
    case .eddystoneTLM: "eddystone-tlm"
    case .eddystoneETLM: "eddystone-etlm"
    case .eddystoneEID: "eddystone-eid"
    }
  }
}

extension OutputBuffer {
  /// A frame as a JSON object: kind, identity, what it states. Powers are dBm, at 1 m or, for Eddystone, at 0 m.
  package mutating func put(json frame: Frame) {
    put("{\"kind\":\"")
    put(frame.kind)
    switch frame {
    case .iBeacon(let frame):
      put("\",\"uuid\":\"")
      put(frame.uuid)
      put("\",\"major\":")
      put(decimal: frame.major)
      put(",\"minor\":")
      put(decimal: frame.minor)
      put(",\"measuredPower\":")
      put(decimal: frame.measuredPower)
    case .altBeacon(let frame):
      put("\",\"id\":\"")
      put(hex: frame.organization.high, digits: 16)
      put(hex: frame.organization.low, digits: 16)
      put(hex: UInt64(frame.unit), digits: 8)
      put("\",\"manufacturer\":")
      put(decimal: frame.manufacturer)
      put(",\"referenceRSSI\":")
      put(decimal: frame.referenceRSSI)
      put(",\"reserved\":")
      put(decimal: frame.reserved)
    case .eddystoneUID(let frame):
      put("\",\"namespace\":\"")
      put(namespace: frame.id)
      put("\",\"instance\":\"")
      put(instance: frame.id)
      put("\",\"txPower\":")
      put(decimal: frame.power)
      if let reserved = frame.reserved {
        put(",\"rfu\":\"")
        put(hex: UInt64(reserved), digits: 4)
        put("\"")
      }
    case .eddystoneURL(let frame):
      put("\",\"url\":\"")
      put(jsonURL: frame.encoded)
      put("\",\"txPower\":")
      put(decimal: frame.power)
    case .eddystoneEID(let frame):
      put("\",\"eid\":\"")
      put(hex: frame.eid, digits: 16)
      put("\",\"txPower\":")
      put(decimal: frame.power)
    case .eddystoneTLM(let frame):
      put("\",\"version\":0,")
      put(jsonTelemetry: frame)
    case .eddystoneETLM(let frame):
      put("\",\"version\":1,\"encrypted\":\"")
      put(hex: frame.encryptedHigh, digits: 16)
      put(hex: UInt64(frame.encryptedLow), digits: 8)
      put("\",\"salt\":\"")
      put(hex: UInt64(frame.salt), digits: 4)
      put("\",\"mic\":\"")
      put(hex: UInt64(frame.mic), digits: 4)
      put("\"")
    }
    put(UInt8(ascii: "}"))
  }

  /// Volt, °C, count and seconds; null where the beacon does not measure.
  package mutating func put(jsonTelemetry frame: EddystoneTLM) {
    put("\"battery\":")
    if frame.batteryMillivolts == 0 {
      put("null")
    } else {
      put(fixed: frame.battery, places: 3)
    }
    put(",\"temperature\":")
    if let temperature = frame.temperature {
      put(fixed: temperature, places: 2)
    } else {
      put("null")
    }
    put(",\"advertisements\":")
    put(decimal: frame.advertisingCount)
    put(",\"uptime\":")
    put(fixed: frame.uptime, places: 1)
  }
}
