import Foundation
import Linux
import Testing

struct FolderTests {
  private let path = FileManager.default.temporaryDirectory.path + "/beacond-folder-\(UUID().uuidString)"

  private func remove() { try? FileManager.default.removeItem(atPath: path) }

  @Test(
    arguments: [
      ("/a/b", "/a"), ("/a", "/"), ("/", nil), ("a", "."), ("a/b", "a"), ("/a/b/", "/a"), ("", nil), ("//", nil),
    ] as [(String, String?)])
  func aPathIsInTheFolderAboveIt(_ path: String, _ parent: String?) {
    #expect(Folder.parent(of: path) == parent)
  }

  @Test func aFolderIsMadeWithThoseAboveIt() throws {
    defer { remove() }
    let deep = path + "/a/b"
    do { _ = try Folder(making: deep, mode: 0o700) }
    let attributes = try FileManager.default.attributesOfItem(atPath: deep)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    // It may be there already.
    let folder = try Folder(making: deep, mode: 0o700)
    let (opened, named) = (folder.identity, FileIdentity(path: deep))
    #expect(opened != nil && opened == named)
    #expect(FileIdentity(path: path + "/nowhere") == nil)
  }

  @Test func filesComeAndGoByTheirNames() throws {
    defer { remove() }
    let folder = try Folder(making: path, mode: 0o700)
    do {
      let file = try folder.make("a", mode: 0o600)
      try file.write("text")
      try file.truncate(to: 2)
      let (size, isUnlinked) = (file.fileSize, file.isUnlinked)
      #expect(size == 2)
      #expect(!isUnlinked)
    }
    #expect(throws: SystemError("cannot make a", number: EEXIST)) { _ = try folder.make("a", mode: 0o600) }
    try folder.rename("a", to: "b")
    let names = try folder.names()
    #expect(names == ["b"])
    let file = try folder.open("b")
    try folder.remove("b")
    let (isUnlinked, left) = (file.isUnlinked, try folder.names())
    #expect(isUnlinked)
    #expect(left == [])
    #expect(throws: SystemError("cannot open b", number: ENOENT)) { _ = try folder.open("b") }
  }

  @Test func whatIsWrittenAtAPlaceIsReadThere() throws {
    defer { remove() }
    let folder = try Folder(making: path, mode: 0o700)
    let file = try folder.openOrMake("a", mode: 0o600)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 1)
    defer { buffer.deallocate() }
    buffer.copyBytes(from: "12345678".utf8)
    let written = try file.write(UnsafeRawBufferPointer(buffer), at: 4)
    try file.synchronize()
    let read = try file.read(into: buffer, at: 8)
    #expect(written == 8 && read == 4)
    #expect(Array(buffer) == Array("56785678".utf8))
  }

  @Test func aLockIsHeldByOneAndNamesIt() throws {
    defer { remove() }
    let folder = try Folder(making: path, mode: 0o700)
    let none = FileLock.holder("lock", in: folder)
    #expect(none == nil)
    do {
      let lock = try FileLock("lock", in: folder)
      let isHeld = lock != nil
      let isHeldTwice = try FileLock("lock", in: folder) != nil
      let holder = FileLock.holder("lock", in: folder)
      #expect(isHeld && !isHeldTwice)
      #expect(holder == getpid())
      // Held until here.
      _ = consume lock
    }
    let isHeldAgain = try FileLock("lock", in: folder) != nil
    #expect(isHeldAgain)
  }

  @Test func aWholeFileIsReplaced() throws {
    defer { remove() }
    do { _ = try Folder(making: path, mode: 0o700) }
    for text in ["first and longer", "second", ""] {
      try WholeFile.save(Array(text.utf8), to: path + "/state")
      #expect(FileManager.default.contents(atPath: path + "/state") == Data(text.utf8))
      #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["state"])
    }
    #expect(throws: SystemError.self) { try WholeFile.save([], to: path + "/nowhere/state") }
  }

  @Test func aWatchSeesWhatHappensInAFolder() throws {
    defer { remove() }
    let folder = try Folder(making: path, mode: 0o700)
    let watch = FolderWatch()
    let minute = BootClock.now + 60_000_000_000
    let (nowhere, here) = (watch.watch(path + "/nowhere"), watch.watch(path))
    #expect(!nowhere)
    try #require(here, "no more watches for this user")
    let before = Wakeup.poll([watch.number], until: 0)
    let file = try folder.make("a", mode: 0o600)
    let made = Wakeup.poll([watch.number], until: minute)
    watch.take()
    let between = Wakeup.poll([watch.number], until: 0)
    try file.write("text")
    let written = Wakeup.poll([watch.number], until: minute)
    #expect([before, made, between, written] == [false, true, false, true])
    let again = watch.watch(path)
    // The same folder is watched once.
    #expect(again)
  }
}
