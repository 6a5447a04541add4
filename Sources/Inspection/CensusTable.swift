import BluetoothLE
import EventLog
import Linux
import Proximity

extension OutputBuffer {
  /// A table for a person: who, how often, how loud, from which address.
  package mutating func put(text census: BeaconCensus) {
    let beacons = census.beacons
    guard !beacons.isEmpty else {
      put("No beacon in ")
      put(decimal: census.reports)
      put(" advertising reports.")
      endLine()
      return
    }
    put("packets   every s   dBm weakest mean strongest   at 1 m   beacon")
    endLine()
    for beacon in beacons { put(text: beacon) }
    put(decimal: beacons.count)
    put(beacons.count == 1 ? " beacon in " : " beacons in ")
    put(decimal: census.reports)
    put(" advertising reports.")
    endLine()
    if census.uncounted > 0 {
      put("Not counted apart: ")
      put(decimal: census.uncounted)
      put(" reports of further beacons.")
      endLine()
    }
  }

  private mutating func put(text beacon: BeaconCensus.Entry) {
    let start = count
    put(right: 7, from: start) { $0.put(decimal: beacon.packets) }
    put(right: 19, from: start) { output in
      if let interval = beacon.meanInterval { output.put(fixed: interval, places: 3) } else { output.put("-") }
    }
    if let mean = beacon.meanLevel {
      put(right: 34, from: start) { $0.put(decimal: beacon.weakest) }
      put(right: 39, from: start) { $0.put(fixed: mean, places: 0) }
      put(right: 49, from: start) { $0.put(decimal: beacon.strongest) }
    }
    put(right: 58, from: start) { output in
      if let power = beacon.advertisedPower { output.put(decimal: power) } else { output.put("-") }
    }
    put("   ")
    put(text: beacon.identity)
    if let address = beacon.address {
      put("  ")
      put(address)
      if beacon.hasOtherAddresses { put(" and others") }
    }
    if let telemetry = beacon.telemetry {
      put("  ")
      put(text: .eddystoneTLM(telemetry))
    }
    endLine()
  }

  /// What `body` puts, moved right so that it ends at `column`.
  private mutating func put(right column: Int, from start: Int, _ body: (inout OutputBuffer) -> Void) {
    let first = count
    body(&self)
    let length = count - first
    let text = takeBack(length)
    while count - start < column - length { put(UInt8(ascii: " ")) }
    for octet in text { put(octet) }
  }

  /// The same as one JSON object a beacon.
  package mutating func put(json census: BeaconCensus) {
    for beacon in census.beacons {
      put("{")
      put(jsonMembers: beacon.identity)
      put(",\"address\":")
      if let address = beacon.address {
        put("\"")
        put(address)
        put("\"")
      } else {
        put("null")
      }
      put(",\"packets\":")
      put(decimal: beacon.packets)
      put(",\"interval\":")
      if let interval = beacon.meanInterval { put(fixed: interval, places: 3) } else { put("null") }
      put(",\"rssi\":")
      if let mean = beacon.meanLevel {
        put("{\"low\":")
        put(decimal: beacon.weakest)
        put(",\"mean\":")
        put(fixed: mean, places: 1)
        put(",\"high\":")
        put(decimal: beacon.strongest)
        put("}")
      } else {
        put("null")
      }
      put(",\"powerAtOneMeter\":")
      if let power = beacon.advertisedPower { put(decimal: power) } else { put("null") }
      put(",\"first\":")
      put(jsonTime: beacon.first)
      put(",\"last\":")
      put(jsonTime: beacon.last)
      if let telemetry = beacon.telemetry {
        put(",\"telemetry\":{")
        put(jsonTelemetry: telemetry)
        put("}")
      }
      put("}")
      endLine()
    }
  }

  private mutating func put(jsonTime time: UnixTime?) {
    guard let time else {
      put("null")
      return
    }
    put("\"")
    put(iso8601: time)
    put("\"")
  }
}
