import BluetoothLE
import Foundation
import TestSupport
import Testing

/// A crowd of strangers costs the program no memory.
struct CrowdMemoryTests {
  /// The first ten thousand may, up to the bounds of the tables; thirty thousand more may not.
  @Test(arguments: [false, true]) func randomAddressesAndIdentitiesCostNoMemory(areBeacons: Bool) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Beacond.path)
    process.arguments = ["replay", "--format", "json", "-"]
    let input = Pipe()
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    signal(SIGPIPE, SIG_IGN)

    var random = SplitMix(seed: 32)
    var memory: [Int] = []
    for part in 0..<5 {
      var octets: [UInt8] = []
      if part == 0 { BTSnoopWriter(.h4).appendHeader(to: &octets) }
      for packet in 0..<10_000 {
        let number = part * 10_000 + packet
        // 500 a second, as if the minute were twenty seconds.
        let time = UnixTime(nanoseconds: 1_793_664_000_000_000_000 + Int64(number) * 2_000_000)
        let data =
          areBeacons
          ? Advertisement.iBeacon(major: UInt16(number >> 12), minor: UInt16(number & 0xfff))
          : [0x02, 0x01, 0x1a, 0x0a, 0xff, 0x4c, 0x00, 0x10, 0x05, 1, 2, 3, 4, 5]
        let event = Advertisement.legacyEvent(data, address: random.next() & 0x3fff_ffff_ffff, rssi: -85)
        event.withUnsafeBytes { BTSnoopWriter(.h4).appendEvent(Octets($0), adapter: 0, at: time, to: &octets) }
      }
      // All but what the pipe holds has been read when this returns.
      try input.fileHandleForWriting.write(contentsOf: Data(octets))
      memory.append(try peak(of: process.processIdentifier))
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(memory[4] - memory[1] <= 256, "KB: \(memory)")
  }

  /// The most memory that a process has held so far, in KB.
  private func peak(of process: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
  }
}
