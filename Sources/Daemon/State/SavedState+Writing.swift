import BluetoothLE
import EventLog
import Linux
import Proximity

extension SavedState {
  /// Grows when a program of an earlier version would misread what is written.
  static let version = 1

  /// The file's content: JSON lines, a head, then a line for each region and beacon and one for the fix, and a last one
  /// that counts them and has the check of all before it. Ages are nanoseconds; numbers are read back as they were.
  package var text: [UInt8] {
    var output = OutputBuffer()
    put(head: &output)
    for region in engine.regions { put(region, to: &output) }
    for beacon in engine.beacons { output.put(beacon) }
    if let fix = engine.fix { output.put(fix) }
    let check = output.withWaiting { Self.check($0) }
    output.put("{\"lines\":")
    output.put(decimal: engine.regions.count + engine.beacons.count + (engine.fix == nil ? 0 : 1))
    output.put(",\"check\":")
    output.put(decimal: Int(check))
    output.put("}\n")
    return output.withWaiting { Array($0) }
  }

  /// Tells damage that is still JSON, as of a digit of `seq`. Source: FNV-1a of 32 bits, draft-eastlake-fnv.
  package static func check(_ octets: some Sequence<UInt8>) -> UInt32 {
    octets.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }

  private func put(head output: inout OutputBuffer) {
    output.put("{\"beacond-state\":")
    output.put(decimal: Self.version)
    output.put(",\"time\":\"")
    output.put(iso8601: moment.utc)
    output.put("\",\"unixNanoseconds\":")
    output.put(decimal: moment.utc.nanoseconds)
    output.put(",\"synchronized\":")
    output.put(moment.isSynchronized)
    output.put(",\"boot\":")
    output.put(json: moment.boot)
    output.put(",\"sinceBoot\":")
    output.put(decimal: moment.sinceBoot)
    output.put(",\"seq\":")
    output.put(decimal: sequence)
    output.put(",\"final\":")
    output.put(isFinal)
    output.put("}\n")
  }

  private func put(_ region: SavedRegion, to output: inout OutputBuffer) {
    output.put("{\"region\":")
    output.put(json: region.id)
    if let definition = definitions[region.id] {
      output.put(",\"definition\":")
      output.put(json: definition.text)
      if definition.isAdded { output.put(",\"added\":true") }
    }
    output.put(",\"each\":")
    output.put(region.each)
    output.put(",\"state\":\"")
    output.put(word: region.state.word)
    output.put("\"")
    output.put(",\"inside\":", age: region.inside)
    output.put("}\n")
  }
}

extension OutputBuffer {
  fileprivate mutating func put(_ value: Bool) {
    if value { put("true") } else { put("false") }
  }

  /// A key with a number; nothing where there is none.
  fileprivate mutating func put(_ key: StaticString, age: Int64?) {
    guard let age else { return }
    put(key)
    put(decimal: age)
  }

  /// A key with a number, in the digits that give the same number again.
  fileprivate mutating func put(_ key: StaticString, exactly value: Double) {
    put(key)
    put(string: value.description)
  }

  fileprivate mutating func put(_ beacon: SavedBeacon) {
    put("{\"beacon\":{")
    put(jsonMembers: beacon.identity)
    if beacon.identity.kind == .eddystoneURL {
      // A URL can be sent in several ways, and each is another beacon.
      put(",\"encoded\":")
      beacon.identity.withEncodedURL { put(jsonHex: $0) }
    }
    if let device = beacon.identity.deviceAddress {
      put(",\"device\":\"")
      put(device)
      put("\"")
    }
    put("}")
    if let address = beacon.address {
      put(",\"address\":\"")
      put(address)
      put("\"")
    }
    if let power = beacon.advertisedPower {
      put(",\"power\":")
      put(decimal: power)
    }
    put(",\"age\":", age: beacon.age)
    put(",\"silence\":", age: beacon.silence)
    put(",\"gaps\":")
    put(decimal: beacon.rhythm.gaps)
    put(",\"meanGap\":", exactly: beacon.rhythm.meanGap)
    put(",\"level\":", exactly: beacon.rhythm.longTermLevel)
    put(",\"levelWeight\":", exactly: beacon.rhythm.levelWeight)
    put(",\"regions\":[")
    for (index, part) in beacon.memberships.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { put(",") }
      put("{\"id\":")
      put(json: part.key)
      put(",\"state\":\"")
      put(word: part.value.state.word)
      put("\",\"present\":")
      put(part.value.isPresent)
      put(",\"inside\":", age: part.value.inside)
      put(",\"left\":", age: part.value.left)
      put("}")
    }
    put("]}\n")
  }

  fileprivate mutating func put(_ saved: SavedFix) {
    let fix = saved.fix
    put("{\"fix\":{\"latitude\":", exactly: fix.coordinate.latitude)
    put(",\"longitude\":", exactly: fix.coordinate.longitude)
    put(",\"accuracy\":", exactly: fix.accuracy)
    if let altitude = fix.altitude { put(",\"altitude\":", exactly: altitude) }
    if let speed = fix.speed { put(",\"speed\":", exactly: speed) }
    if let course = fix.course { put(",\"course\":", exactly: course) }
    put(",\"source\":\"")
    put(word: fix.source.word)
    put("\"}")
    put(",\"age\":", age: saved.age)
    put("}\n")
  }
}
