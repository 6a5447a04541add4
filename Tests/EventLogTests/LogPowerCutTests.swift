import EventLog
import Foundation
import TestSupport
import Testing

@testable import EventLog

/// What a file system may hold after a power cut: of what was not synced nothing, everything or any part.
///
/// Every prefix of the writer's system calls is cut; each time what the kernel may have kept is built in a folder, and the
/// log recovered from it.
struct LogPowerCutTests {
  /// A disk writes whole sectors; those of octets that were appended later hold the earlier ones too.
  private static let sector = 512

  /// What a folder was told so far, and which of it is certain.
  private struct Model {
    struct File {
      var octets: [UInt8] = []
      /// Octets that were synced, and those behind them as they were written.
      var synced = 0
      var isNamedForCertain = false
    }

    var files: [String: File] = [:]
    /// Files that were removed while the folder was not synced since: they may be there again.
    var removed: [String: File] = [:]

    mutating func apply(_ call: RecordingDisk.Call) {
      switch call {
      case .make(let name): files[name] = File()
      case .remove(let name): removed[name] = files.removeValue(forKey: name)
      case .synchronizeFolder:
        for name in files.keys { files[name]?.isNamedForCertain = true }
        removed = [:]
      case .write(let name, let offset, let octets):
        change(name) {
          let end = min($0.octets.count, offset + octets.count)
          $0.octets.replaceSubrange(offset..<end, with: octets)
        }
      case .synchronize(let name): change(name) { $0.synced = $0.octets.count }
      case .truncate(let name, let size):
        change(name) {
          $0.octets.removeSubrange(size...)
          $0.synced = min($0.synced, size)
        }
      }
    }

    private mutating func change(_ name: String, _ body: (inout File) -> Void) {
      guard var file = files[name] else { return }
      body(&file)
      files[name] = file
    }

    /// One of the folders that a power cut may leave.
    func afterPowerCut(_ random: inout SplitMix) -> [String: [UInt8]] {
      var left: [String: [UInt8]] = [:]
      for (name, file) in files where file.isNamedForCertain || random.chance(0.5) {
        left[name] = Model.kept(file, &random)
      }
      // Removals reach the disk in their order, the oldest segment's first.
      let back = Int(random.next() % UInt64(removed.count + 1))
      for (name, file) in removed.sorted(by: { $0.key < $1.key }).suffix(back) { left[name] = file.octets }
      return left
    }

    /// Sectors are kept or dropped one by one, or from one on; what is dropped before one that is kept reads as zeros.
    private static func kept(_ file: File, _ random: inout SplitMix) -> [UInt8] {
      let style = random.next() % 4
      var octets = file.octets
      var end = file.synced
      var start = file.synced
      let cut = start + Int(random.next() % UInt64(octets.count - start + 1))
      while start < octets.count {
        let next = min((start / sector + 1) * sector, octets.count)
        let isKept =
          switch style {
          case 0: false
          case 1: true
          case 2: next <= cut
          default: random.chance(0.5)
          }
        if isKept { end = next } else { for index in start..<next { octets[index] = 0 } }
        start = next
      }
      // The size may be ahead of the octets.
      if style == 3, random.chance(0.2) { end = octets.count }
      octets.removeSubrange(end...)
      return octets
    }
  }

  /// The calls of a writer with segments of 4 KB, and how many durable events were on the disk after each.
  private func recorded(seed: UInt64, events: UInt64) throws -> [(call: RecordingDisk.Call, synced: UInt64)] {
    var random = SplitMix(seed: seed)
    let folder = try TemporaryFolder()
    let disk = RecordingDisk()
    let store = try LogStore(folder.log, LogSettings(maxSize: 64 << 10), disk: disk)
    var result: [(RecordingDisk.Call, UInt64)] = []
    var sequence: UInt64 = 1
    var synced: UInt64 = 0
    while sequence <= events {
      let count = 1 + random.next() % 8
      let isDurable = random.chance(0.5)
      let lines = (sequence..<sequence + count).map {
        logLine($0, at: Int64($0), isDurable ? "didEnter" : "didRange", padding: Int(random.next() % 700))
      }
      if random.chance(0.1) { disk.takeAtMost(300) } else { disk.takeAtMost(.max) }
      var group = LogGroup(Array(lines.joined().utf8), isDurable: isDurable)
      // Now and then the file cannot be synced, and goes on in another.
      if isDurable, random.chance(0.1) {
        // Lists before it would be in doubt, which nobody was promised.
        try store.write(isDurable: true)
        disk.fail { $0.isSynchronize ? EIO : nil }
        #expect(throws: LogFailure.self) { try store.write(&group) }
        disk.fail(nil)
      }
      try store.write(&group)
      sequence += count
      for call in disk.calls.dropFirst(result.count) { result.append((call, synced)) }
      // From the call on that ended the group.
      synced = store.synced
    }
    return result
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>) func everyEventThatWasSyncedIsThereAndTheLogIsWhole(_ seed: UInt64)
    throws
  {
    let calls = try recorded(seed: seed, events: 200)
    var random = SplitMix(seed: seed ^ 0xffff)
    var model = Model()
    var cuts = 0
    var torn = 0
    for (call, synced) in calls {
      model.apply(call)
      for _ in 0..<3 {
        let folder = try TemporaryFolder()
        let left = model.afterPowerCut(&random)
        for (name, octets) in left { try folder.write(octets, name) }
        cuts += 1
        let next: UInt64
        do {
          let store = try LogStore(folder.log, LogSettings(maxSize: 64 << 10), disk: RecordingDisk())
          next = store.next
          torn += store.takeNotes().isEmpty ? 0 : 1
          #expect(next > synced, "after \(call.text) with \(left.mapValues(\.count))")
          try store.write(logLine(next, at: 1_000_000))
        }
        let sequences = folder.sequences
        #expect(sequences == Array((sequences.first ?? 0)...next), "after \(call.text) with \(left.mapValues(\.count))")
        // Recovered once, it is whole.
        #expect(try LogStore(folder.log, LogSettings(), disk: RecordingDisk()).takeNotes().isEmpty)
      }
    }
    #expect(cuts == calls.count * 3)
    #expect(torn > cuts / 20 && torn < cuts)
  }
}
