import Glibc
import Testing

/// `beacond check`, run as a program.
@Suite struct CheckCommandTests {
  private struct Run {
    let output: String
    let code: Int32
  }

  /// The program lies beside the tests' own.
  private static let program: String = {
    var path = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &path, path.count - 1)
    let octets = path.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
    let parts = String(decoding: octets, as: UTF8.self).split(separator: "/").dropLast()
    return "/" + parts.joined(separator: "/") + "/beacond"
  }()

  /// Runs it on a file of this content, if one is given; gives one of its outputs, 1 or 2.
  private func check(_ content: String? = nil, arguments: String? = nil, output: Int) throws -> Run {
    var template = Array("/tmp/beacond-check-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    try #require(descriptor >= 0)
    defer {
      close(descriptor)
      unlink(template)
    }
    var text = content ?? ""
    let written = text.withUTF8 { write(descriptor, $0.baseAddress, $0.count) }
    try #require(written == text.utf8.count)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let redirection = output == 1 ? "2>/dev/null" : "2>&1 >/dev/null"
    let command = "'\(Self.program)' check \(arguments ?? "--config \(path)") \(redirection)"
    let pipe = try #require(popen(command, "r"))
    var octets: [UInt8] = []
    while case let octet = fgetc(pipe), octet != EOF { octets.append(UInt8(truncatingIfNeeded: octet)) }
    let status = pclose(pipe)
    let shown = String(decoding: octets, as: UTF8.self)
    return Run(
      output: shown.split(separator: path, omittingEmptySubsequences: false).joined(separator: "FILE"),
      code: status >> 8 & 0xff)
  }

  @Test func aGoodFileIsSummedUp() throws {
    let run = try check("regions: [{id: desk, match: [any], within: 2 m}]\n", output: 1)
    #expect(run.code == 0)
    #expect(run.output.hasPrefix("FILE: good\n"))
    #expect(run.output.hasSuffix("regions    1\n  desk  any beacon, within 2 m\n"))
    #expect(try check("", output: 2).output.isEmpty)
  }

  @Test func whatIsNotWatchedIsSaidWithTheKeyThatChangesIt() throws {
    let run = try check(
      "regions: [{id: yard, circle: {latitude: 1, longitude: 2, radius: 50 m}}]\n", output: 1)
    #expect(run.code == 0)
    #expect(
      run.output.hasSuffix("\n  yard  50 m around 1, 2 -- not watched: location.authorization is not set\n"))
    #expect(run.output.contains("off; 'location.authorization' with a 'location.purpose' turns it on"))
  }

  @Test func everyFaultIsALineOnStandardError() throws {
    let run = try check("gatway: x\nranging:\n  interval: 1\n", output: 2)
    #expect(run.code == 78)
    #expect(
      run.output == """
        FILE:1:1: gatway: unknown key; did you mean 'gateway'?
        FILE:3:13: ranging.interval: '1' has no unit; must be a duration, as in '1 s' (units: ms, s, min, h, d)
        beacond check: FILE: 2 faults

        """)
    #expect(try check("gatway: x\n", output: 1).output.isEmpty)
  }

  @Test func aFileThatIsNotThereIsNoInput() throws {
    let run = try check(arguments: "--config /nonexistent/beacond.yaml", output: 2)
    #expect(run.code == 66)
    #expect(run.output == "beacond check: /nonexistent/beacond.yaml: cannot open: No such file or directory\n")
  }

  @Test func aFolderIsNoInput() throws {
    let run = try check(arguments: "--config /", output: 2)
    #expect(run.code == 66)
    #expect(run.output == "beacond check: /: cannot read: Is a directory\n")
  }

  @Test func anEndlessFileIsRefused() throws {
    let run = try check(arguments: "--config /dev/zero", output: 2)
    #expect(run.code == 78)
    #expect(run.output.hasPrefix("/dev/zero:1:1: the file is larger than 1 MB"))
  }

  @Test(arguments: ["--confg x", "x", "--config"])
  func wrongUseIsSaid(arguments: String) throws {
    #expect(try check(arguments: arguments, output: 2).code == 64)
  }
}
