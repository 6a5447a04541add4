import BluetoothLE
import TestSupport
import Testing

struct ADStructureTests {
  private func walk(_ hex: String) throws -> (
    structures: [(type: UInt8, data: [UInt8], offset: Int)], end: ADStructures.End
  ) {
    var walk = ADStructures(try kept(hex: hex))
    var structures: [(type: UInt8, data: [UInt8], offset: Int)] = []
    while let structure = walk.next() {
      structures.append((structure.type.rawValue, structure.data.array, structure.offset))
    }
    return (structures, walk.end)
  }

  @Test func structuresAreGivenInTheirOrder() throws {
    let (structures, end) = try walk("02 01 06 03 03 aa fe 01 ff")
    #expect(structures.map { $0.type } == [0x01, 0x03, 0xff])
    #expect(structures.map { $0.data } == [[0x06], [0xaa, 0xfe], []])
    #expect(structures.map { $0.offset } == [0, 3, 7])
    #expect(end == .complete)
  }

  @Test func anEmptyAdvertisementIsComplete() throws {
    let (structures, end) = try walk("")
    #expect(structures.isEmpty)
    #expect(end == .complete)
  }

  @Test func aZeroLengthEndsTheSignificantPart() throws {
    #expect(try walk("02 01 06 00 00 00").end == .earlyTermination(nonZeroAfter: false))
    #expect(try walk("02 01 06 00").end == .earlyTermination(nonZeroAfter: false))
    #expect(try walk("02 01 06 00 00 09").end == .earlyTermination(nonZeroAfter: true))
    #expect(try walk("02 01 06 00 02 0a 00").structures.count == 1)
    #expect(try walk("00").structures.isEmpty)
  }

  @Test(arguments: [
    (hex: "02 01 06 04 09 61 62", end: ADStructures.End.overrun(offset: 3, length: 4, left: 3), count: 1),
    ("02 01 06 ff 09 61 62", .overrun(offset: 3, length: 255, left: 3), 1),
    ("02 01 06 01", .overrun(offset: 3, length: 1, left: 0), 1),
    ("ff", .overrun(offset: 0, length: 255, left: 0), 0),
  ])
  func structuresBeforeABrokenOneStand(hex: String, end: ADStructures.End, count: Int) throws {
    let result = try walk(hex)
    #expect(result.end == end)
    #expect(result.structures.count == count)
  }

  @Test func anEndedWalkStaysEnded() throws {
    for hex in ["02 01 06", "00 01 02", "05 01"] {
      var walk = ADStructures(try kept(hex: hex))
      while walk.next() != nil {}
      let end = walk.end
      #expect(walk.next() == nil)
      #expect(walk.end == end)
    }
  }

  @Test func anEndIsPutIntoWords() {
    #expect(ADStructures.End.complete.description == "complete")
    #expect(ADStructures.End.earlyTermination(nonZeroAfter: false).description == "early termination")
    #expect(
      ADStructures.End.overrun(offset: 3, length: 4, left: 3).description
        == "structure at offset 3 overruns the payload (length 4, 3 bytes left)")
  }
}
