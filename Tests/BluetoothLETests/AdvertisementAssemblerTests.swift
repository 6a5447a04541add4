import BluetoothLE
import TestSupport
import Testing

private let more: UInt16 = 0b01 << 5
private let truncated: UInt16 = 0b10 << 5

struct AdvertisementAssemblerTests {
  private typealias Make = HandmadeEvents

  private func event(
    _ data: [UInt8], _ type: UInt16, sid: UInt8 = 1, address: [UInt8] = [0xc0, 0, 0, 0, 0, 1], rssi: Int8 = -60
  ) -> [UInt8] {
    Make.extended(.init(data, type: type, address: address, sid: sid, rssi: rssi))
  }

  @Test func fragmentsAreOneAdvertisement() throws {
    var decoder = ReportDecoder(joiningFragments: true)
    #expect(decoder.reports(event([1, 2], more)).isEmpty)
    #expect(decoder.reports(event([3], more)).isEmpty)
    let whole = decoder.reports(event([4, 5], 0, rssi: -70))
    #expect(whole.map { $0.data } == [[1, 2, 3, 4, 5]])
    #expect(whole.map { $0.fragments } == [3])
    #expect(whole.map { $0.dataStatus } == [.complete])
    #expect(whole.map { $0.rssi } == [-70])
    #expect(decoder.rest().isEmpty)
  }

  @Test func withoutJoiningEveryFragmentIsAReport() {
    var decoder = ReportDecoder(joiningFragments: false)
    #expect(decoder.reports(event([1, 2], more)).map { $0.data } == [[1, 2]])
    #expect(decoder.reports(event([3], 0)).map { $0.data } == [[3]])
  }

  @Test func fragmentsInOneEventAreJoinedToo() {
    var decoder = ReportDecoder(joiningFragments: true)
    let reports = decoder.reports(
      Make.extended(.init([1], type: more), .init([2], type: 0), .init([9], type: 0, sid: 7)))
    #expect(reports.map { $0.data } == [[1, 2], [9]])
  }

  @Test func truncatedKeepsWhatCame() {
    var decoder = ReportDecoder(joiningFragments: true)
    #expect(decoder.reports(event([1, 2], more)).isEmpty)
    let cut = decoder.reports(event([3], truncated))
    #expect(cut.map { $0.data } == [[1, 2, 3]])
    #expect(cut.map { $0.dataStatus } == [.truncated])
    // A truncated report that nothing came before passes as it is.
    #expect(decoder.reports(event([7], truncated)).map { $0.data } == [[7]])
  }

  @Test func chainsOfSeveralAdvertisersSetsAdaptersAndTypesInterleave() {
    var decoder = ReportDecoder(joiningFragments: true)
    let other: [UInt8] = [0xc0, 0, 0, 0, 0, 2]
    #expect(decoder.reports(event([1], more)).isEmpty)
    #expect(decoder.reports(event([2], more, address: other)).isEmpty)
    #expect(decoder.reports(event([3], more, sid: 2)).isEmpty)
    #expect(decoder.reports(event([4], more), adapter: 1).isEmpty)
    #expect(decoder.reports(event([5], more | 0b1)).isEmpty)
    // Another set's whole advertisement passes between.
    #expect(decoder.reports(event([9], 0, sid: 3)).map { $0.data } == [[9]])
    #expect(decoder.reports(event([40], 0), adapter: 1).map { $0.data } == [[4, 40]])
    #expect(decoder.reports(event([10], 0)).map { $0.data } == [[1, 10]])
    #expect(decoder.reports(event([20], 0, address: other)).map { $0.data } == [[2, 20]])
    #expect(decoder.reports(event([30], 0, sid: 2)).map { $0.data } == [[3, 30]])
    #expect(decoder.reports(event([50], 0b1)).map { $0.data } == [[5, 50]])
    #expect(decoder.rest().isEmpty)
  }

  @Test func reservedBitsDoNotTellChainsApart() {
    var decoder = ReportDecoder(joiningFragments: true)
    #expect(decoder.reports(event([1], more | 0x2600)).isEmpty)
    #expect(decoder.reports(event([2], 0xa700)).map { $0.data } == [[1, 2]])
  }

  @Test func advertisementAndScanResponseAreNeverJoined() {
    var decoder = ReportDecoder(joiningFragments: true)
    let scanResponse: UInt16 = 0b1000
    #expect(decoder.reports(event([1], more)).isEmpty)
    #expect(decoder.reports(event([2], scanResponse)).map { $0.data } == [[2]])
    #expect(decoder.reports(event([3], more | scanResponse)).isEmpty)
    #expect(decoder.reports(event([4], 0)).map { $0.data } == [[1, 4]])
    #expect(decoder.reports(event([5], scanResponse)).map { $0.data } == [[3, 5]])
  }

  @Test func legacyReportsPassBetweenFragments() {
    var decoder = ReportDecoder(joiningFragments: true)
    #expect(decoder.reports(event([1], more)).isEmpty)
    // Its type, 0x20 under a mask, is no data status.
    #expect(decoder.reports(Make.legacy(.init([7], type: 0x20))).map { $0.data } == [[7]])
    #expect(decoder.reports(event([2], 0)).map { $0.data } == [[1, 2]])
  }

  @Test func dataEndsAt1650Octets() throws {
    func join(_ lengths: [Int]) -> [DecodedReport] {
      var decoder = ReportDecoder(joiningFragments: true)
      for length in lengths.dropLast() {
        #expect(decoder.reports(event([UInt8](repeating: 1, count: length), more)).isEmpty)
      }
      return decoder.reports(event([UInt8](repeating: 1, count: lengths[lengths.count - 1]), 0))
    }
    let longest = try #require(join([229, 229, 229, 229, 229, 229, 229, 47]).first)
    #expect(longest.data.count == 1650)
    #expect(longest.dataStatus == .complete)
    let tooLong = try #require(join([229, 229, 229, 229, 229, 229, 229, 48]).first)
    #expect(tooLong.data.count == 1650)
    #expect(tooLong.dataStatus == .truncated)
    let endless = try #require(join([Int](repeating: 229, count: 400)).first)
    #expect(endless.data.count == 1650)
    #expect(endless.fragments == 400)
    #expect(endless.dataStatus == .truncated)
  }

  @Test func atMost32ChainsAreOpenAndTheOldestGivesWay() throws {
    var decoder = ReportDecoder(joiningFragments: true)
    func address(_ number: UInt8) -> [UInt8] { [0xc0, 0, 0, 0, 0, number] }
    for number: UInt8 in 0..<32 {
      #expect(decoder.reports(event([number], more, address: address(number))).isEmpty)
    }
    let evicted = decoder.reports(event([32], more, address: address(32)))
    #expect(evicted.map { $0.data } == [[0]])
    #expect(evicted.map { $0.dataStatus } == [.truncated])
    #expect(evicted.map { $0.address?.description } == ["c0:00:00:00:00:00"])
    // The others are whole still.
    #expect(decoder.reports(event([99], 0, address: address(1))).map { $0.data } == [[1, 99]])
    #expect(decoder.rest().map { $0.data } == (2...32).map { [$0] })
    #expect(decoder.rest().isEmpty)
  }

  @Test func whatStaysOpenSaysWhichAdapterHeardIt() {
    var decoder = ReportDecoder(joiningFragments: true)
    #expect(decoder.reports(event([1], more), adapter: 3).isEmpty)
    #expect(decoder.reports(event([2], more), adapter: 1).isEmpty)
    #expect(decoder.reports(event([9], 0, sid: 4), adapter: 7).count == 1)
    var adapters: [UInt16] = []
    decoder.finish { adapters.append($1.adapter) }
    #expect(adapters == [3, 1])
  }

  @Test func aThousandChainsReuseTheSameBuffers() {
    var decoder = ReportDecoder(joiningFragments: true)
    for number in 0..<1000 {
      let data = [UInt8](repeating: UInt8(number & 0xff), count: 200)
      #expect(decoder.reports(event(data, more)).isEmpty)
      #expect(decoder.reports(event([UInt8(number >> 8)], 0)).map { $0.data } == [data + [UInt8(number >> 8)]])
    }
  }
}
