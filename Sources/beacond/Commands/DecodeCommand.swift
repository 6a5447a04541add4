import BluetoothLE
import Inspection
import Linux
import Scanning

enum DecodeCommand: Command {
  static let name = "decode"
  static let summary = "every advertising report and beacon frame of a capture or of hex octets"
  static let help = """
    Usage: beacond decode [--format text|json|tsv] [--beacons] CAPTURE|HEX|-...

    Lists every advertising report of a capture. CAPTURE is btsnoop, pcap, pcapng, PacketLogger or the text of
    hcidump --raw, known by its content; - is standard input. HEX is one advertisement (02 01 06 ...), one HCI packet
    (04 3e ...) or one link-layer packet (d6 be 89 8e ...), with or without spaces.

      --format text   for a person (default)
      --format json   one object a report; an extended advertisement of several fragments is one
      --format tsv    record, Unix time, kind, event or PDU type, address type, address, RSSI, CRC, data; fragments
                      as they came
      --beacons       only reports with iBeacon, Eddystone or AltBeacon frames, and of those the frames

    Exit codes: 0, 64 usage, 65 not a capture or cut short (what was good is written), 66 no input, 74 cannot write.

    """

  static func run(_ arguments: [String]) throws(CommandFailure) {
    let options = try Options(arguments, flags: ["--beacons"], values: ["--format"])
    let writer = ReportWriter(
      try options.choice("--format", default: ReportFormat.text), beaconsOnly: options.has("--beacons"))
    let decoder = ReportDecoder(joiningFragments: writer.format != .tsv)
    guard !options.positional.isEmpty else { throw CommandFailure(.usage, "no capture given.") }
    let standardOutput = FileDescriptor.standardOutput
    var output = OutputBuffer(standardOutput)
    if let octets = hexOctets(options.positional) {
      let isWritten = octets.withUnsafeBytes { buffer in
        let packet = HexPacket.packet(Octets(buffer))
        var decoder = decoder
        let malformed = decoder.decode(packet) { writer.put($0, of: packet, into: &output) }
        if let malformed { writer.put(malformed, of: packet, into: &output) }
        decoder.finish { writer.put($0, of: $1, into: &output) }
        return output.count > 0
      }
      guard isWritten else { throw CommandFailure(.badData, "the octets hold no advertising report") }
      return try output.check()
    }
    for argument in options.positional {
      var input = try CaptureInput(argument)
      var decoder = decoder
      var failure: CommandFailure?
      do throws(CommandFailure) {
        try input.forEachChunk(&output) { stream, output throws(CaptureStream.Failure) in
          try stream.decode(with: &decoder) {
            writer.put($0, of: $1, into: &output)
          } malformed: {
            writer.put($0, of: $1, into: &output)
          }
        }
      } catch {
        failure = error
      }
      decoder.finish { writer.put($0, of: $1, into: &output) }
      try output.check()
      if let failure { throw failure }
    }
  }

  /// The arguments as octets, when they are hex digits and the first names no file.
  private static func hexOctets(_ arguments: [String]) -> [UInt8]? {
    guard let octets = BluetoothLE.hexOctets(arguments.joined().filter { $0 != " " }), !octets.isEmpty,
      (try? FileDescriptor(reading: arguments[0])) == nil
    else { return nil }
    return octets
  }
}
