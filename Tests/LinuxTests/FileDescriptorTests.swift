import Foundation
import Linux
import Testing

struct FileDescriptorTests {
  private func failure(_ body: () throws(SystemError) -> Void) -> SystemError? {
    do throws(SystemError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test func aFileThatIsNotThereIsAnError() throws {
    let error = try #require(failure { () throws(SystemError) in _ = try FileDescriptor(reading: "/nowhere/at/all") })
    #expect(error.number == ENOENT)
    #expect(error.description == "cannot open: No such file or directory")
    #expect(failure { () throws(SystemError) in _ = try FileDescriptor(writing: "/nowhere/at/all") }?.number == ENOENT)
  }

  @Test func aFolderCannotBeRead() throws {
    let folder = try FileDescriptor(reading: "/")
    let size = folder.fileSize
    #expect(size == nil)
    let error = failure { () throws(SystemError) in
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
      defer { buffer.deallocate() }
      _ = try folder.read(into: buffer)
    }
    #expect(error?.number == EISDIR)
  }

  @Test func whatIsWrittenIsRead() throws {
    let path = FileManager.default.temporaryDirectory.path + "/beacond-file-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    do {
      let file = try FileDescriptor(writing: path)
      try file.write("eight octets")
      try file.write("")
      let (size, isTerminal) = (file.fileSize, file.isTerminal)
      #expect(size == 12)
      #expect(!isTerminal)
    }
    let file = try FileDescriptor(reading: path)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 1)
    defer { buffer.deallocate() }
    let first = try file.read(into: buffer)
    #expect(first == 8)
    #expect(Array(buffer) == Array("eight oc".utf8))
    let (second, third) = (try file.read(into: buffer), try file.read(into: buffer))
    #expect(second == 4)
    #expect(third == 0)
  }

  @Test func anOwnerClosesItsDescriptorAndABorrowerDoesNot() throws {
    let number: Int32
    do {
      let file = try FileDescriptor(reading: "/dev/null")
      number = file.number
      do { _ = FileDescriptor(number, isOwned: false) }
      #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
    }
    // Another test may have been given the number since; then it is no longer this file's.
    var status = stat()
    #expect(fstat(number, &status) != 0 || fcntl(number, F_GETFD) >= 0)
  }

  @Test func aPipeHasNoSize() {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let out = FileDescriptor(ends[0])
    let into = FileDescriptor(ends[1])
    let (size, isTerminal) = (out.fileSize, into.isTerminal)
    #expect(size == nil)
    #expect(!isTerminal)
  }
}
