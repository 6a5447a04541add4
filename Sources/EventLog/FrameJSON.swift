import BluetoothLE
import Linux

extension OutputBuffer {
  /// A frame as a JSON object: kind, identity, what it states. Powers are dBm, at 1 m or, for Eddystone, at 0 m.
  package mutating func put(json frame: Frame) {
    switch frame {
    case .iBeacon(let frame):
      put("{\"kind\":\"ibeacon\",\"uuid\":\"")
      put(frame.uuid)
      put("\",\"major\":")
      put(decimal: frame.major)
      put(",\"minor\":")
      put(decimal: frame.minor)
      put(",\"measuredPower\":")
      put(decimal: frame.measuredPower)
    case .altBeacon(let frame):
      put("{\"kind\":\"altbeacon\",\"id\":\"")
      put(hexHigh: frame.organization.high, low: frame.organization.low)
      put(hex: UInt64(frame.unit), digits: 8)
      put("\",\"manufacturer\":")
      put(decimal: frame.manufacturer)
      put(",\"referenceRSSI\":")
      put(decimal: frame.referenceRSSI)
      put(",\"reserved\":")
      put(decimal: frame.reserved)
    case .eddystoneUID(let frame):
      put("{\"kind\":\"eddystone-uid\",\"namespace\":\"")
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
      put("{\"kind\":\"eddystone-url\",\"url\":\"")
      put(jsonURL: frame.encoded)
      put("\",\"txPower\":")
      put(decimal: frame.power)
    case .eddystoneEID(let frame):
      put("{\"kind\":\"eddystone-eid\",\"eid\":\"")
      put(hex: frame.eid, digits: 16)
      put("\",\"txPower\":")
      put(decimal: frame.power)
    case .eddystoneTLM(let frame):
      put("{\"kind\":\"eddystone-tlm\",\"version\":0,")
      put(jsonTelemetry: frame)
    case .eddystoneETLM(let frame):
      put("{\"kind\":\"eddystone-etlm\",\"version\":1,\"encrypted\":\"")
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
      put(units: UInt64(frame.batteryMillivolts), places: 3)
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
    put(units: UInt64(frame.deciseconds), places: 1)
  }
}
