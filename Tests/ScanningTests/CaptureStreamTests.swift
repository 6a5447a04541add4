import BluetoothLE
import Foundation
import Linux
import Scanning
import TestSupport
import Testing

struct CaptureStreamTests {
  private func packets(_ descriptor: consuming FileDescriptor) throws -> (octets: [[UInt8]], position: UInt64) {
    var stream = CaptureStream(descriptor)
    var packets: [[UInt8]] = []
    while try stream.refill() { try stream.read { packets.append($0.octets.array) } }
    let (hasEnded, isRefilled) = (stream.hasEnded, try stream.refill())
    #expect(hasEnded)
    #expect(!isRefilled)
    return (packets, stream.position)
  }

  private func temporary(_ octets: [UInt8]) throws -> String {
    let path = FileManager.default.temporaryDirectory.path + "/beacond-capture-\(UUID().uuidString)"
    try Data(octets).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// Packets of all sizes, some as large as may be: several times what the buffer holds.
  @Test func aFileLargerThanTheBufferIsReadWhole() throws {
    let sizes = [1, 100, 65_599, 7, 65_599, 65_599, 0, 65_599, 30_000, 65_599, 65_599, 3]
    let expected = sizes.enumerated().map { [UInt8](repeating: UInt8($0.offset), count: $0.element) }
    let capture = HandmadeCaptures.btsnoop(1002, expected.map { .init([4] + $0) })
    let path = try temporary(capture)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let descriptor = try FileDescriptor(reading: path)
    let size = descriptor.fileSize
    #expect(size == Int64(capture.count))
    let read = try packets(descriptor)
    #expect(read.octets == expected)
    #expect(read.position == UInt64(capture.count))
  }

  @Test func aPipeThatGivesALittleAtATimeIsReadWhole() throws {
    let event = HandmadeEvents.legacy(.init(HandmadeEvents.iBeacon))
    let capture = HandmadeCaptures.btsnoop(1002, (0..<50).map { _ in .init([4] + event) })
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let out = FileDescriptor(ends[0])
    let number = ends[1]
    let writer = Thread {
      let into = FileDescriptor(number)
      for start in stride(from: 0, to: capture.count, by: 13) {
        capture[start..<min(start + 13, capture.count)].withUnsafeBytes { try? into.write($0) }
      }
    }
    writer.start()
    let read = try packets(out)
    #expect(read.octets == [[UInt8]](repeating: event, count: 50))
  }

  @Test func whatWasGoodBeforeAFaultIsGiven() throws {
    let event = HandmadeEvents.legacy(.init(HandmadeEvents.iBeacon))
    let path = try temporary(HandmadeCaptures.btsnoop(1002, [.init([4] + event), .init([4] + event)]).dropLast(3))
    defer { try? FileManager.default.removeItem(atPath: path) }
    var stream = CaptureStream(try FileDescriptor(reading: path))
    let octets = stream.size
    let size = UInt64(try #require(octets))
    var count = 0
    do throws(CaptureStream.Failure) {
      while try stream.refill() { try stream.read { _ in count += 1 } }
      Issue.record("no failure")
    } catch {
      guard case .capture(let failure) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(failure == .cutShort(record: 2, offset: size))
    }
    #expect(count == 1)
  }

  @Test func aFolderIsASystemsError() throws {
    var stream = CaptureStream(try FileDescriptor(reading: "/"))
    do throws(CaptureStream.Failure) {
      _ = try stream.refill()
      Issue.record("no failure")
    } catch {
      guard case .system(let failure) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(failure.number == EISDIR)
    }
  }
}
