import Foundation
import TestSupport
import Testing

struct CheckCommandTests {
  /// Checks a file of this content; its path is FILE in what is said.
  private func check(_ content: String) throws -> Beacond.Outcome {
    try withTemporaryFolder { folder in
      let path = folder + "/beacond.yaml"
      try Data(content.utf8).write(to: URL(fileURLWithPath: path))
      let outcome = try Beacond.run(["check", "--config", path])
      return Beacond.Outcome(
        code: outcome.code, output: outcome.output.replacingOccurrences(of: path, with: "FILE"),
        error: outcome.error.replacingOccurrences(of: path, with: "FILE"))
    }
  }

  @Test func aGoodFileIsSummedUp() throws {
    let outcome = try check("regions: [{id: desk, match: [any], within: 2 m}]\n")
    #expect(outcome.code == 0)
    #expect(outcome.error == "")
    #expect(outcome.lines.first == "FILE: good")
    #expect(outcome.output.contains("regions    1\n  desk  any beacon, within 2 m\n\nBluetooth: "))
    #expect(outcome.lines.last?.hasPrefix("/var/lib/beacond/events: ") == true)
  }

  @Test func whatIsNotWatchedIsSaidWithTheKeyThatChangesIt() throws {
    let outcome = try check("regions: [{id: yard, circle: {latitude: 1, longitude: 2, radius: 50 m}}]\n")
    #expect(outcome.code == 0)
    #expect(outcome.lines.contains("  yard  50 m around 1, 2 -- not watched: location.authorization is not set"))
    #expect(outcome.output.contains("off; 'location.authorization' with a 'location.purpose' turns it on"))
  }

  @Test func whetherTheLogCanBeWrittenIsSaid() throws {
    try withTemporaryFolder { folder in
      func said(_ log: String) throws -> String {
        let outcome = try check("log: {folder: \"\(log)\"}\n")
        #expect(outcome.code == 0)
        return String(outcome.lines.last ?? "")
      }
      let missing = folder + "/a/b"
      #expect(try said(missing) == "\(missing): not there yet; this user can make it")
      #expect(try said(folder) == "\(folder): this user can write the log there")
      guard geteuid() == 0 else { return }
      let file = folder + "/beacond.yaml"
      try Data("log: {folder: \"\(missing)\"}\n".utf8).write(to: URL(fileURLWithPath: file))
      let program = try Beacond.copyForOthers(in: folder)
      let outcome = try Beacond.run(
        ["check", "--config", file], program: program,
        through: ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
      let refused = "\(missing): this user cannot write the log there, for want of the right to write in \(folder)"
      #expect(outcome.lines.last.map(String.init) == refused)
    }
  }

  @Test func everyFaultIsALineOnStandardError() throws {
    let outcome = try check("gatway: x\nranging:\n  interval: 1\n")
    #expect(outcome.code == 78)
    #expect(outcome.output == "")
    #expect(
      outcome.error == """
        FILE:1:1: gatway: unknown key; did you mean 'gateway'?
        FILE:3:13: ranging.interval: '1' has no unit; must be a duration, as in '1 s' (units: ms, s, min, h, d)
        beacond check: FILE: 2 faults

        """)
  }

  @Test(arguments: [
    ("/nonexistent/beacond.yaml", "cannot open: No such file or directory"), ("/", "cannot read: Is a directory"),
  ])
  func whatCannotBeReadIsNoInput(path: String, reason: String) throws {
    let outcome = try Beacond.run(["check", "--config", path])
    #expect(outcome.code == 66)
    #expect(outcome.error == "beacond check: \(path): \(reason)\n")
  }

  @Test func anEndlessFileIsRefused() throws {
    let outcome = try Beacond.run(["check", "--config", "/dev/zero"])
    #expect(outcome.code == 78)
    #expect(outcome.error.hasPrefix("/dev/zero:1:1: the file is larger than 1 MB"))
  }

  @Test(arguments: [["--confg", "x"], ["x"], ["--config"]])
  func wrongUseIsSaid(arguments: [String]) throws {
    #expect(try Beacond.run(["check"] + arguments).code == 64)
  }
}
