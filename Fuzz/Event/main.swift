import BluetoothLE
import FuzzChecks
import FuzzSupport
import Glibc

// The input is a run of packets: an octet for the kind and the adapter, one for the length, the packet.
exit(
  fuzz { input in
    var checks = ReportChecks()
    var reader = ByteReader(Octets(input))
    var record: UInt64 = 0
    while let kind = reader.readOctet(), let length = reader.readOctet() {
      let octets = reader.read(min(Int(length), reader.remaining)) ?? Octets()
      record += 1
      var radio = RadioHeader()
      radio.isCoded = kind & 0x20 != 0
      radio.crcHolds = kind & 0x10 != 0 ? kind & 0x08 != 0 : nil
      let content: CapturedPacket.Content = kind & 0x80 == 0 ? .hci(.event) : .linkLayer(radio)
      checks.take(
        CapturedPacket(
          record: record, time: UnixTime(nanoseconds: Int64(record)), adapter: UInt16(kind & 0x07), content: content,
          octets: octets, isCut: false))
    }
    checks.finish(
      CapturedPacket(record: record, time: nil, adapter: 0, content: .other, octets: Octets(), isCut: false))
  })
