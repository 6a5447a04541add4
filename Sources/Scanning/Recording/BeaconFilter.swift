import BluetoothLE

/// Leaves strangers out: of what an adapter has heard, what is a beacon's.
struct BeaconFilter {
  private var decoder = ReportDecoder(joiningFragments: true)

  /// Calls `write` with events that hold the reports with a beacon's frame and no others; says whether any was left out.
  ///
  /// An event of one such report is handed on as it is. One of several, and an advertisement in fragments, whose first one
  /// may not tell what it is, is made anew.
  mutating func pass(_ packet: CapturedPacket, _ write: (Octets) -> Void) -> Bool {
    let announced = HCIEvent(packet.octets).flatMap { AdvertisingReports($0) }?.announced
    var hasLeftOut = false
    _ = decoder.decode(packet) { report in
      var frames = Frames(report.data)
      if frames.next() == nil {
        hasLeftOut = true
      } else if announced == 1, report.extended.fragments == 1 {
        write(packet.octets)
      } else {
        for event in report.events { event.withUnsafeBytes { write(Octets($0)) } }
      }
    }
    return hasLeftOut
  }
}
