import EventLog
import Foundation
import Linux
import TestSupport
import Testing

@testable import EventLog

/// Disks that are full or read-only, of the kernel's own making.
@Suite(.enabled(if: SmallFileSystem.isPossible(.tmpfs), "needs root and the right to mount"), .serialized)
struct LogFileSystemTests {
  private static let kinds = SmallFileSystem.Kind.allCases.filter(SmallFileSystem.isPossible)

  private func failure(_ store: LogStore, _ group: inout LogGroup) -> Int32? {
    do throws(LogFailure) {
      try store.write(&group)
      return nil
    } catch {
      guard case .system(let error) = error else { return -1 }
      return error.number
    }
  }

  @Test(arguments: kinds) func aDiskThatFillsAndIsFreedLosesNothing(_ kind: SmallFileSystem.Kind) throws {
    let disk = try #require(SmallFileSystem(kind))
    let log = disk.path + "/events"
    let store = try LogStore(log, LogSettings(maxSize: 512 << 10))
    var sequence: UInt64 = 0
    for round in 1...3 {
      try store.write(logLine(sequence + 1))
      sequence += 1
      let filler = try disk.fill()
      // More than what is left of the last block, and of the segment.
      let lines = (sequence + 1...sequence + 300).map { logLine($0) }
      var group = LogGroup(Array(lines.joined().utf8), isDurable: true)
      #expect(failure(store, &group) == ENOSPC, "round \(round)")
      #expect(failure(store, &group) == ENOSPC)
      try FileManager.default.removeItem(atPath: filler)
      #expect(failure(store, &group) == nil)
      sequence += 300
      #expect(store.synced == sequence)
    }
    #expect(try readLog(LogReader(log)) == Array(1...sequence))
  }

  @Test(arguments: kinds) func aFileSystemThatTurnsReadOnlyAndBackLosesNothing(
    _ kind: SmallFileSystem.Kind
  ) throws {
    let disk = try #require(SmallFileSystem(kind))
    let log = disk.path + "/events"
    try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: true)
    do {
      let store = try LogStore(log, LogSettings())
      try store.write(logLine(1))
    }
    // Nobody who writes has it open, or it could not become so.
    try #require(disk.remount("ro"))
    #expect(throws: LogFailure.self) { try LogStore(log, LogSettings()) }
    // And who reads reads on.
    #expect(try readLog(LogReader(log)) == [1])
    try #require(disk.remount("rw"))
    let store = try LogStore(log, LogSettings())
    try store.write(logLine(2))
    #expect(try readLog(LogReader(log)) == [1, 2])
  }

  @Test func aLogOnAMountThatGoesIsMadeAnewBelowIt() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.log, withIntermediateDirectories: true)
    try #require(run("mount -t tmpfs -o size=1m tmpfs \(folder.log)"))
    let store = try LogStore(folder.log, LogSettings())
    try store.write(logLine(1))
    try #require(run("umount -l \(folder.log)"))
    var group = LogGroup(Array(logLine(2).utf8), isDurable: true)
    #expect(failure(store, &group) == -1)
    #expect(failure(store, &group) == nil)
    #expect(folder.sequences == [2])
  }
}
