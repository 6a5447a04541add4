import BluetoothLE
import Simulation
import TestSupport
import Testing

/// A scene as it is played.
struct SimulatorTests {
  private struct Heard: Equatable {
    let time: UnixTime
    let adapter: Int
    let address: DeviceAddress?
    let type: String
    let rssi: Int8
    let data: [UInt8]
  }

  private func play(_ scene: Scene, seed: UInt64? = nil) -> (events: [SimulatedEvent], heard: [Heard], counts: [[Int]])
  {
    var simulator = Simulator(scene, seed: seed)
    var events: [SimulatedEvent] = []
    while simulator.step({ events.append($0) }) {}
    var decoder = ReportDecoder(joiningFragments: false)
    let heard = events.flatMap { event in
      decoder.reports(event.octets).map {
        Heard(
          time: event.time, adapter: event.adapter, address: $0.address, type: $0.pduName, rssi: $0.rssi, data: $0.data)
      }
    }
    return (events, heard, simulator.reports)
  }

  /// The lobby without any loss or scatter.
  private var quiet: Scene {
    var scene = Scene.lobby
    scene.channel.placeDeviation = 0
    scene.channel.fadingDeviation = 0
    scene.channel.packetDeviation = 0
    scene.channel.channelOffsets = .zero
    for index in scene.adapters.indices {
      scene.adapters[index].share = 1
      scene.adapters[index].unmeasured = 0
    }
    return scene
  }

  @Test func theSameSeedPlaysTheSameAndAnotherSeedAnother() {
    let first = play(.lobby).events.map { $0.octets }
    #expect(first == play(.lobby, seed: Scene.lobby.seed).events.map { $0.octets })
    #expect(first != play(.lobby, seed: 1).events.map { $0.octets })
  }

  @Test func whatOneDeviceDoesChangesNothingForTheOthers() {
    var fewer = Scene.lobby
    let last = fewer.devices.removeLast()
    fewer.devices[4].interval = 0.1
    let changed = Set([fewer.devices[4], last].map { $0.name })
    let all = play(.lobby).counts
    let rest = play(fewer).counts
    for (index, device) in fewer.devices.enumerated() where !changed.contains(device.name) {
      #expect(all[index] == rest[index], "\(device.name)")
    }
  }

  @Test func eventsComeInTheOrderOfTimeAndHoldWhatAnEventCanHold() {
    var crowd = quiet
    // All at once, so that events fill up.
    for index in crowd.devices.indices { crowd.devices[index].interval = 0.02 }
    crowd.duration = 5
    let played = play(crowd)
    #expect(zip(played.events, played.events.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(played.events.allSatisfy { $0.octets.count <= 257 && Int($0.octets[1]) == $0.octets.count - 2 })
    #expect(played.events.contains { $0.octets[3] >= 3 })
    #expect(played.heard.count == played.counts.reduce(0) { $0 + $1.reduce(0, +) })
    for event in played.events { #expect(event.octets[2] == (event.adapter == 0 ? 0x02 : 0x0d)) }
  }

  @Test func bothAdaptersReportTheSamePacketsByTheirKind() {
    let heard = play(quiet).heard
    let addresses = Set(heard.map { $0.address })
    for address in addresses {
      let types = (0...1).map { adapter in
        Set(heard.filter { $0.address == address && $0.adapter == adapter }.map { $0.type })
      }
      #expect(types[0] == types[1])
    }
    #expect(Set(heard.map { $0.type }) == ["ADV_IND", "ADV_NONCONN_IND", "SCAN_RSP"])
  }

  @Test func withoutScatterTheLevelIsTheMeanLevel() throws {
    let scene = quiet
    let desk = try #require(scene.devices.firstIndex { $0.name == "information desk" })
    guard case .fixed(let address, _) = scene.devices[desk].address else { return }
    for adapter in 0...1 {
      let levels = Set(play(scene).heard.filter { $0.address == address && $0.adapter == adapter }.map { $0.rssi })
      let mean = scene.meanLevel(device: desk, adapter: adapter, at: 0)
      #expect(levels == [Int8(mean.rounded())])
    }
  }

  @Test func aDeviceIsHeardOnlyWhileItIsOnAirAndEveryIntervalThen() throws {
    var scene = quiet
    scene.adapters[0].holding = 0
    let dying = try #require(scene.devices.firstIndex { $0.name == "cloakroom" })
    scene.devices[dying].onAir = [10..<20, 60..<90]
    scene.devices = [scene.devices[dying]]
    let times = play(scene).heard.filter { $0.adapter == 0 }
      .map { Double($0.time.nanoseconds - scene.start.nanoseconds) / 1e9 }
    #expect(times.allSatisfy { (10..<20).contains($0) || (60..<90).contains($0) })
    #expect((38...40).contains(times.count))
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 < 5 }
    #expect(gaps.allSatisfy { $0 >= 0.999_999 && $0 <= 1.010_001 })
    #expect(scene.presence(device: 0).map { $0.lowerBound } == [10, 60])
    #expect(scene.presence(device: 0).map { $0.upperBound } == [20, 90])
    #expect(scene.death(device: 0) == 90)
  }

  @Test func aPhoneTakesANewPrivateAddressAndNewDataWithIt() {
    var scene = quiet
    scene.devices = [
      Device(
        "phone", isBeacon: false, address: .resolvable(every: 60),
        contents: [.drawn([0x07, 0xff, 0x4c, 0x00], count: 4)],
        interval: 1, power: -50, track: Track(at: Place(1, 0)))
    ]
    let heard = play(scene).heard.filter { $0.adapter == 0 }
    let pairs = heard.reduce(into: [DeviceAddress?: Set<[UInt8]>]()) { $0[$1.address, default: []].insert($1.data) }
    // 345 s: the first change comes within a minute.
    #expect((6...7).contains(pairs.count))
    #expect(pairs.values.allSatisfy { $0.count == 1 })
    #expect(Set(pairs.values.joined()).count == pairs.count)
    for address in pairs.keys { #expect(address.map { $0.value >> 46 } == 0b01) }
  }

  @Test func aRecordingHoldsTheEventsInEitherForm() {
    for datalink in [BTSnoopWriter.Datalink.h4, .monitor] {
      var recording = Recording(.lobby, as: datalink)
      var octets: [UInt8] = []
      while recording.append(to: &octets) {}
      let capture = ReadCapture(octets)
      #expect(capture.failure == nil)
      let events = capture.packets.filter { $0.content == .hci(.event) && $0.octets.first == 0x3e }
      let played = play(.lobby).events
      #expect(events.map { $0.octets } == played.map { $0.octets })
      #expect(events.map { $0.time } == played.map { $0.time })
      if datalink == .monitor { #expect(events.map { Int($0.adapter) } == played.map { $0.adapter }) }
      let times = capture.packets.compactMap { $0.time }
      #expect(times.first == Scene.lobby.start)
      #expect(times.last == UnixTime(nanoseconds: Scene.lobby.start.nanoseconds + 345_000_000_000))
    }
  }
}
