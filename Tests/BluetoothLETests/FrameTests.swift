import BluetoothLE
import TestSupport
import Testing

private func structure(_ hex: String) throws -> ADStructure {
  let structures = Array(ADStructures(try kept(hex: hex)))
  #expect(structures.count == 1)
  return try #require(structures.first)
}

private func failure(_ hex: String) throws -> DecodingFailure? {
  let structure = try structure(hex)
  do throws(DecodingFailure) {
    _ = try Frame(structure)
    return nil
  } catch {
    return error
  }
}

/// Frames from the tables of their specifications, with every field of a value of its own.
struct FrameTests {
  @Test func anIBeaconHasItsNumbersMostSignificantOctetFirst() throws {
    let frame = try Frame(
      structure("1a ff 4c 00 02 15 74 27 8b da b6 44 45 20 8f 0c 72 0e af 05 99 35 a1 30 00 07 c5"))
    guard case .iBeacon(let beacon) = try #require(frame) else {
      Issue.record("not an iBeacon")
      return
    }
    #expect(beacon.uuid.description == "74278bda-b644-4520-8f0c-720eaf059935")
    #expect(beacon.major == 41264)
    #expect(beacon.minor == 7)
    #expect(beacon.measuredPower == -59)
    #expect(frame?.powerAtOneMeter == -59)
  }

  @Test func anAltBeaconIsAnyManufacturers() throws {
    let frame = try Frame(
      structure("1b ff 18 01 be ac 2f 23 44 54 cf 6d 4a 0f ad f2 f4 91 1b a9 ff a6 00 01 00 02 c5 09"))
    guard case .altBeacon(let beacon) = try #require(frame) else {
      Issue.record("not an AltBeacon")
      return
    }
    #expect(beacon.manufacturer == 0x0118)
    #expect(beacon.organization.description == "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6")
    #expect(beacon.unit == 0x0001_0002)
    #expect(beacon.referenceRSSI == -59)
    #expect(beacon.reserved == 9)
    #expect(frame?.powerAtOneMeter == -59)
  }

  @Test func anEddystoneUIDMayLackItsReservedOctets() throws {
    let id = "00 ee 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f"
    for (hex, reserved) in [("17 16 aa fe \(id) be ef", UInt16(0xbeef)), ("15 16 aa fe \(id)", nil)] {
      let frame = try Frame(structure(hex))
      guard case .eddystoneUID(let beacon) = try #require(frame) else {
        Issue.record("not an Eddystone-UID")
        return
      }
      #expect(beacon.id == UUID128(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0f))
      #expect(beacon.power == -18)
      #expect(beacon.reserved == reserved)
      // 41 dB are lost on the first metre.
      #expect(frame?.powerAtOneMeter == -59)
    }
  }

  @Test func anEddystoneURLIsExpanded() throws {
    guard case .eddystoneURL(let beacon) = try #require(try Frame(structure("09 16 aa fe 10 ee 01 61 07 62"))) else {
      Issue.record("not an Eddystone-URL")
      return
    }
    #expect(beacon.power == -18)
    #expect(EddystoneURL.text(beacon.encoded) == "https://www.a.comb")
  }

  @Test func everyCodeOfAnEddystoneURLHasItsText() {
    // Eddystone-URL, "Eddystone-URL HTTP URL encoding".
    let expansions = [
      ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/", ".com", ".org", ".edu", ".net", ".info", ".biz",
      ".gov",
    ]
    for (code, text) in expansions.enumerated() {
      #expect(EddystoneURL.text(kept([3, UInt8(code)])) == "https://" + text)
    }
    #expect(EddystoneURL.text(kept([2, 0x21, 0x7e])) == "http://!~")
    #expect(EddystoneURL.text(kept([0])) == "http://www.")
    #expect(EddystoneURL.text(kept([4])) == "")
    #expect(EddystoneURL.text(Octets()) == "")
  }

  @Test func anEddystoneEIDIsEightOctets() throws {
    guard
      case .eddystoneEID(let beacon) = try #require(try Frame(structure("0d 16 aa fe 30 e7 01 02 03 04 05 06 07 08")))
    else {
      Issue.record("not an Eddystone-EID")
      return
    }
    #expect(beacon.power == -25)
    #expect(beacon.eid == 0x0102_0304_0506_0708)
  }

  @Test func telemetryCountsMillivoltsAnd256thsOfADegree() throws {
    let frame = try Frame(structure("11 16 aa fe 20 00 0b b8 ee 80 00 00 04 00 00 00 27 10"))
    guard case .eddystoneTLM(let telemetry) = try #require(frame) else {
      Issue.record("not an Eddystone-TLM")
      return
    }
    #expect(telemetry.battery == 3)
    #expect(telemetry.temperature == -17.5)
    #expect(telemetry.advertisingCount == 1024)
    #expect(telemetry.uptime == 1000)
    #expect(frame?.powerAtOneMeter == nil)
  }

  @Test func telemetryWithoutAThermometerHasNoTemperature() throws {
    guard
      case .eddystoneTLM(let telemetry) = try #require(
        try Frame(structure("11 16 aa fe 20 00 00 00 80 00 00 00 00 00 00 00 00 00")))
    else {
      Issue.record("not an Eddystone-TLM")
      return
    }
    #expect(telemetry.temperature == nil)
    #expect(telemetry.batteryMillivolts == 0)
  }

  @Test func encryptedTelemetryIsKeptAsItIs() throws {
    guard
      case .eddystoneETLM(let telemetry) = try #require(
        try Frame(structure("15 16 aa fe 20 01 01 02 03 04 05 06 07 08 09 0a 0b 0c a1 a2 b1 b2")))
    else {
      Issue.record("not encrypted telemetry")
      return
    }
    #expect(telemetry.encryptedHigh == 0x0102_0304_0506_0708)
    #expect(telemetry.encryptedLow == 0x090a_0b0c)
    #expect(telemetry.salt == 0xa1a2)
    #expect(telemetry.mic == 0xb1b2)
  }

  // MARK: Not ours, and broken

  @Test(arguments: [
    "02 01 06", "03 03 aa fe", "06 ff 4c 00 10 01 00", "05 ff e0 00 be ad", "03 ff 4c 00",
    "05 16 ab fe 00 ee", "03 16 aa fe", "02 16 aa", "03 ff be ac",
    "13 21 aa fe 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
  ])
  func whatIsNoBeaconsIsNeitherFrameNorFailure(_ hex: String) throws {
    #expect(try Frame(structure(hex)) == nil)
  }

  @Test(
    arguments: [
      (
        hex: "01 ff", format: DecodingFailure.Format.manufacturerData, offset: 0,
        reason: DecodingFailure.Reason.noCompany(octets: 0)
      ),
      ("02 ff 03", .manufacturerData, 0, .noCompany(octets: 1)),
      ("05 ff 4c 00 02 15", .iBeacon, 0, .length(4, expected: 25)),
      ("06 ff 59 00 02 15 00", .iBeacon, 0, .company(0x0059)),
      ("06 ff 18 01 be ac 00", .altBeacon, 0, .length(5, expected: 26)),
      ("05 16 aa fe 00 ee", .eddystoneUID, 2, .length(2, expected: 20)),
      ("05 16 aa fe 10 ee", .eddystoneURL, 2, .emptyURL),
      ("06 16 aa fe 10 ee 03", .eddystoneURL, 2, .emptyURL),
      ("07 16 aa fe 10 ee 04 61", .eddystoneURL, 4, .scheme(4)),
      ("09 16 aa fe 10 ee 03 61 20 61", .eddystoneURL, 6, .urlCode(0x20)),
      ("08 16 aa fe 10 ee 03 61 7f", .eddystoneURL, 6, .urlCode(0x7f)),
      ("08 16 aa fe 10 ee 03 0e 61", .eddystoneURL, 5, .urlCode(0x0e)),
      ("04 16 aa fe 20", .eddystoneTLM, 2, .length(1, expected: 14)),
      ("05 16 aa fe 20 00", .eddystoneTLM, 2, .length(2, expected: 14)),
      ("05 16 aa fe 20 01", .eddystoneETLM, 2, .length(2, expected: 18)),
      ("05 16 aa fe 20 02", .eddystoneTLM, 3, .version(2)),
      ("05 16 aa fe 30 ee", .eddystoneEID, 2, .length(2, expected: 10)),
      ("05 16 aa fe 21 ee", .eddystone, 2, .frameType(0x21)),
      ("05 16 aa fe 40 ee", .eddystone, 2, .frameType(0x40)),
    ] as [(hex: String, format: DecodingFailure.Format, offset: Int, reason: DecodingFailure.Reason)])
  func aBrokenFrameSaysWhatAndWhere(
    hex: String, format: DecodingFailure.Format, offset: Int, reason: DecodingFailure.Reason
  ) throws {
    let failure = try #require(try failure(hex))
    #expect(failure.format == format)
    #expect(failure.offset == offset)
    #expect(failure.reason == reason)
  }

  @Test func anIBeaconsInnerLengthMustBe21() throws {
    let failure = try #require(
      try failure("1a ff 4c 00 02 14 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 00 02 c5"))
    #expect(failure.offset == 3)
    #expect(failure.reason == .innerLength(0x14))
  }

  /// Each frame with octets taken from its end, the length octet adjusted: a shorter one is none, save the UID without
  /// its reserved octets and URLs.
  @Test(arguments: [
    (hex: "ff 4c 00 02 15 74 27 8b da b6 44 45 20 8f 0c 72 0e af 05 99 35 a1 30 00 07 c5", valid: [26]),
    ("ff 18 01 be ac 2f 23 44 54 cf 6d 4a 0f ad f2 f4 91 1b a9 ff a6 00 01 00 02 c5 09", [27]),
    ("16 aa fe 00 ee 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 00 00", [21, 23]),
    ("16 aa fe 10 ee 01 61 62 63", [7, 8, 9]),
    ("16 aa fe 20 00 0b b8 ee 80 00 00 04 00 00 00 27 10", [17]),
    ("16 aa fe 20 01 01 02 03 04 05 06 07 08 09 0a 0b 0c a1 a2 b1 b2", [21]),
    ("16 aa fe 30 e7 01 02 03 04 05 06 07 08", [13]),
  ])
  func onlyTheLengthsOfTheSpecificationAreFrames(hex: String, valid: [Int]) throws {
    let octets = try kept(hex: hex).array + [0x21]
    for length in 1...octets.count {
      let isFrame = withMemory([UInt8(length)] + octets[..<length]) { !Array(Frames($0)).isEmpty }
      // One octet more than a URL has is a longer URL.
      let isURL = octets[3] == 0x10 && length > 9
      #expect(isFrame == (valid.contains(length) || isURL), "\(length) octets")
    }
  }

  @Test func framesPassOverWhatIsBroken() throws {
    let advertisement = try kept(
      hex: "02 ff 03 05 16 aa fe 21 ee 0d 16 aa fe 30 e7 01 02 03 04 05 06 07 08 07 16 aa fe 10 ee 02 61 ff 01")
    let frames = Array(Frames(advertisement))
    #expect(frames.count == 2)
    guard case .eddystoneEID = frames.first, case .eddystoneURL = frames.last else {
      Issue.record("\(frames)")
      return
    }
  }

  @Test func reasonsAreWords() {
    #expect(DecodingFailure.Reason.length(3, expected: 25).description == "3 octets, must be 25")
    #expect(DecodingFailure.Reason.noCompany(octets: 1).description == "no company identifier (1 octet)")
    #expect(DecodingFailure.Reason.company(0x59).description == "company 0x0059 is not Apple (0x004c)")
  }
}
