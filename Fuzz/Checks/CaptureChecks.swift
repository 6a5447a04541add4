import BluetoothLE
import TestSupport

/// Reads a capture whole and in pieces, and checks what every container promises.
package func check(capture octets: UnsafeRawBufferPointer) {
  var reports = ReportChecks()
  var last: UInt64 = 0
  var total = 0
  var parser = CaptureParser()
  parser.cursor.refill(Octets(octets), isAtEnd: true)
  var end = CapturedPacket(record: 0, time: nil, adapter: 0, content: .other, octets: Octets(), isCut: false)
  do throws(CaptureFailure) {
    try parser.read { packet in
      precondition(packet.record > last, "records count up")
      last = packet.record
      total += packet.octets.count
      reports.take(packet)
      end = CapturedPacket(
        record: packet.record, time: packet.time, adapter: packet.adapter, content: .other, octets: Octets(),
        isCut: false)
    }
    precondition(parser.hasEnded, "all is there, and more is wanted")
  } catch {
    precondition(!error.description.isEmpty)
  }
  reports.finish(end)
  precondition(last <= UInt64(octets.count), "more packets than octets")
  precondition(total <= octets.count, "more octets than the capture has")

  // The last octet, which few records care about, says how large the pieces are.
  let whole = ReadCapture(octets)
  let pieces = ReadCapture(octets, inPiecesOf: 1 + Int(octets.last ?? 0) % 96)
  precondition(pieces == whole, "\(pieces)\n is not \n\(whole)")
}
