import EventLog
import Linux
import Simulation

extension OutputBuffer {
  /// What was so in a scene, whatever was heard of it: JSON, times in seconds since its start, distances in metres to
  /// the first adapter, one a second. `reports` counts them by device, then by adapter.
  mutating func put(truthOf scene: Scene, _ reports: [[Int]]) {
    put("{\"scene\":")
    put(json: scene.name)
    put(",\"start\":\"")
    put(iso8601: scene.start)
    put("\",\"duration\":")
    put(fixed: scene.duration, places: 3)
    put(",\"devices\":[")
    for index in scene.devices.indices {
      put(index == 0 ? "\n" : ",\n")
      put(device: index, of: scene, reports[index])
    }
    put("\n]}")
    endLine()
  }

  private mutating func put(device index: Int, of scene: Scene, _ reports: [Int]) {
    let presence = scene.presence(device: index)
    put("{\"name\":")
    put(json: scene.devices[index].name)
    put(scene.devices[index].isBeacon ? ",\"beacon\":true" : ",\"beacon\":false")
    put(",\"enters\":")
    put(list: presence.map { $0.lowerBound }, places: 1)
    put(",\"exits\":")
    put(list: presence.map { $0.upperBound }.filter { $0 < scene.duration }, places: 1)
    put(",\"dies\":")
    if let death = scene.death(device: index) { put(fixed: death, places: 1) } else { put("null") }
    put(",\"reports\":")
    put(list: reports.map { Double($0) }, places: 0)
    put(",\"distances\":")
    let seconds = 0...Int(scene.duration)
    put(
      list: scene.adapters.isEmpty ? [] : seconds.map { scene.distance(device: index, adapter: 0, at: Double($0)) },
      places: 2)
    put(UInt8(ascii: "}"))
  }

  private mutating func put(list values: [Double], places: Int) {
    put(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { put(UInt8(ascii: ",")) }
      put(fixed: value, places: places)
    }
    put(UInt8(ascii: "]"))
  }
}
