import BluetoothLE

/// A packet that a capture gave, with octets of its own.
package struct ReadPacket: Hashable, Sendable {
  package var record: UInt64
  package var time: UnixTime?
  package var adapter: UInt16
  package var content: CapturedPacket.Content
  package var octets: [UInt8]
  package var isCut: Bool

  init(_ packet: CapturedPacket) {
    record = packet.record
    time = packet.time
    adapter = packet.adapter
    content = packet.content
    octets = packet.octets.array
    isCut = packet.isCut
  }
}

/// All that a capture gave, and how it ended.
package struct ReadCapture: Hashable, Sendable {
  package var packets: [ReadPacket] = []
  package var failure: CaptureFailure?

  /// Reads a capture that arrives `size` octets at a time.
  package init(_ capture: some Collection<UInt8>, inPiecesOf size: Int = .max) {
    withMemory(capture) { memory in
      var parser = CaptureParser()
      var arrived = 0
      while !parser.hasEnded, failure == nil {
        // As with a descriptor, the end shows only when reading on gives nothing.
        let isAtEnd = arrived == memory.count
        arrived = memory.count - arrived > size ? arrived + size : memory.count
        let consumed = Int(parser.cursor.position)
        parser.cursor.refill(memory[consumed, upTo: arrived], isAtEnd: isAtEnd)
        do throws(CaptureFailure) {
          try parser.read { packets.append(ReadPacket($0)) }
        } catch {
          failure = error
        }
      }
    }
  }
}
