import EventLog
import Foundation
import Linux
import TestSupport
import Testing

struct LogCursorTests {
  private let folder: TemporaryFolder
  private let cursor: LogCursor

  init() throws {
    folder = try TemporaryFolder()
    cursor = LogCursor(folder.path + "/mqtt.cursor")
  }

  @Test func whatIsSavedIsLoaded() throws {
    #expect(try cursor.load() == nil)
    for sequence in [0, 1, 4711, UInt64.max] {
      try cursor.save(sequence)
      #expect(try cursor.load() == sequence)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["mqtt.cursor"])
  }

  @Test(arguments: ["", "4711", "{\"seq\":47", "{\"seq\":-1}", "{\"seq\":\"1\"}", "{}", "\0\0\0\0"])
  func whatIsDamagedIsAnErrorThatSaysSo(_ text: String) throws {
    let path = folder.path + "/mqtt.cursor"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: LogFailure.damaged(file: path)) { try cursor.load() }
  }

  @Test func aSaveThatFailsLeavesWhatWas() throws {
    try cursor.save(1)
    // Nothing can be made of this name.
    try FileManager.default.createDirectory(
      atPath: folder.path + "/mqtt.cursor.new", withIntermediateDirectories: false)
    #expect(throws: LogFailure.self) { try cursor.save(2) }
    #expect(try cursor.load() == 1)
  }
}
