import BluetoothLE
import TestSupport
import Testing

struct OctetsTests {
  @Test func slicesShareTheirOctets() {
    let octets = kept([1, 2, 3, 4, 5])
    #expect(octets[1, upTo: 3].array == [2, 3])
    #expect(octets.dropping(2).array == [3, 4, 5])
    #expect(octets.dropping(5).isEmpty)
    #expect(octets.prefix(2).array == [1, 2])
    #expect(octets.prefix(99).count == 5)
    #expect(octets[4] == 5)
  }

  @Test func noOctetsAreNothing() {
    #expect(Octets().isEmpty)
    #expect(Octets().array == [])
    #expect(Octets(UnsafeRawBufferPointer(start: nil, count: 0)).isEmpty)
    #expect(Octets() == kept([]))
  }

  @Test func integersAreReadInEitherOrderAtAnyOffset() {
    let octets = kept([0xff, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08])
    #expect(octets.littleEndian(at: 1, as: UInt16.self) == 0x0201)
    #expect(octets.bigEndian(at: 1, as: UInt16.self) == 0x0102)
    #expect(octets.littleEndian(at: 1, as: UInt64.self) == 0x0807_0605_0403_0201)
    #expect(octets.bigEndian(at: 1, as: UInt32.self) == 0x0102_0304)
    #expect(octets.bigEndian(at: 0, as: Int16.self) == -255)
  }

  @Test func equalOctetsAreEqualWhereverTheyAre() {
    #expect(kept([1, 2]) == kept([1, 2]))
    #expect(!(kept([1, 2]) == kept([1, 3])))
    #expect(!(kept([1, 2]) == kept([1, 2, 3])))
    #expect(kept([0x68, 0x63, 0x69]).starts(with: "hc"))
    #expect(!kept([0x68]).starts(with: "hc"))
    #expect(!kept([0x68, 0x64]).starts(with: "hc"))
  }
}

struct ByteReaderTests {
  @Test func aReadPastTheEndIsNilAndMovesNothing() throws {
    var reader = ByteReader(kept([1, 2, 3]))
    #expect(reader.readLittleEndian(UInt32.self) == nil)
    #expect(reader.readBigEndian(UInt64.self) == nil)
    #expect(reader.read(4) == nil)
    #expect(reader.read(-1) == nil)
    #expect(reader.offset == 0)
    #expect(reader.readLittleEndian(UInt16.self) == 0x0201)
    #expect(reader.readBigEndian(UInt16.self) == nil)
    #expect(reader.remaining == 1)
    #expect(reader.rest.array == [3])
    #expect(reader.readOctet() == 3)
    #expect(reader.readOctet() == nil)
    let nothing = reader.read(0)
    #expect(nothing?.isEmpty == true)
    #expect(reader.offset == 3)
  }

  @Test func numbersAreReadInEitherOrder() {
    var reader = ByteReader(kept([1, 2, 3, 4]))
    #expect(reader.readBigEndian(UInt16.self) == 0x0102)
    #expect(reader.readLittleEndian(UInt16.self) == 0x0403)
    #expect(reader.remaining == 0)
  }
}

struct DeviceAddressTests {
  @Test(arguments: ["c0:00:00:00:00:01", "00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "01:23:45:67:89:ab"])
  func textIsReadAndWrittenAlike(_ text: String) throws {
    #expect(try #require(DeviceAddress(text)).description == text)
    #expect(DeviceAddress(text.uppercased()) == DeviceAddress(text))
  }

  @Test(arguments: [
    "", "c0:00:00:00:00", "c0:00:00:00:00:01:", "c0:00:00:00:00:01:02", "c0-00-00-00-00-01", "c00000000001",
    "c0:00:00:00:00:0", "c0:00:00:00:00:0g", " c0:00:00:00:00:01", "c0:00:00:00:00:01 ", "c:00:00:00:00:001",
    "c0:00:00:00:00:0é", "c0::0:00:00:00:01",
  ])
  func whatIsNoAddressIsRefused(_ text: String) {
    #expect(DeviceAddress(text) == nil)
  }

  @Test func theFirstOctetOnTheWireIsTheLastInText() {
    #expect(DeviceAddress(kept([0xee, 1, 2, 3, 4, 5, 0xc6]), at: 1).description == "c6:05:04:03:02:01")
  }

  @Test func onlyTheLow48BitsCount() {
    #expect(DeviceAddress(0xffff_0000_0000_0001) == DeviceAddress(1))
    #expect(DeviceAddress(1) < DeviceAddress(2))
  }
}

struct UnixTimeTests {
  @Test func timesSaturate() {
    #expect(UnixTime(microseconds: .max).nanoseconds == .max)
    #expect(UnixTime(microseconds: .min).nanoseconds == .min)
    #expect(UnixTime(seconds: .max, fraction: 0).nanoseconds == .max)
    #expect(UnixTime(seconds: .min, fraction: 0).nanoseconds == .min)
    #expect(UnixTime(seconds: 9_223_372_036, fraction: 999_999_999).nanoseconds == .max)
    #expect(UnixTime(seconds: -1, fraction: 5).nanoseconds == -999_999_995)
  }

  @Test func microsecondsOfTheMagnitudeAreShown() {
    #expect(UnixTime(nanoseconds: 1_000_001_000).secondsAndMicroseconds == (1, 1))
    #expect(UnixTime(nanoseconds: -1_500_000_000).secondsAndMicroseconds == (1, 500_000))
    #expect(UnixTime(nanoseconds: 1_999_999_900).secondsAndMicroseconds == (2, 0))
    #expect(UnixTime(nanoseconds: .min).secondsAndMicroseconds.seconds == 9_223_372_036)
    #expect(UnixTime(nanoseconds: .max).secondsAndMicroseconds.seconds == 9_223_372_036)
  }
}
