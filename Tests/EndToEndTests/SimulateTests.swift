import Foundation
import Simulation
import Testing

/// beacond-simulate, run as a person runs it.
struct SimulateTests {
  private func simulate(_ arguments: [String]) throws -> Beacond.Outcome {
    try Beacond.run(arguments, program: Beacond.folder + "/beacond-simulate")
  }

  @Test func itWritesTheFixtureAndTheOtherForm() throws {
    try withTemporaryFolder { folder in
      let path = folder + "/lobby.btsnoop"
      let standard = try simulate(["lobby", path])
      #expect(standard.code == 0 && standard.output == "" && standard.error == "")
      let fixture = try LobbyFixture.data("lobby.btsnoop")
      let written = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(written == fixture)
      let h4 = try simulate(["lobby", "--form", "1002", path])
      let writtenH4 = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(h4.code == 0 && Array(writtenH4) == LobbyFixture.capture(.h4))
      let other = try simulate(["lobby", "--seed", "7", path])
      let writtenOther = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(other.code == 0 && writtenOther != fixture)
    }
  }

  @Test func itWritesTheTruth() throws {
    try withTemporaryFolder { folder in
      let result = try simulate(["lobby", "--truth", folder + "/truth.json", folder + "/lobby.btsnoop"])
      #expect(result.code == 0)
      let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/truth.json"))
      let truth = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      #expect(truth["start"] as? String == "2026-11-02T08:30:00.000Z")
      let devices = try #require(truth["devices"] as? [[String: Any]])
      #expect(devices.compactMap { $0["name"] as? String } == Scene.lobby.devices.map { $0.name })
      let visitor = try #require(devices.first { $0["name"] as? String == "visitor" })
      #expect(visitor["enters"] as? [Double] == [68.5] && visitor["exits"] as? [Double] == [181.6])
      #expect((visitor["distances"] as? [Double])?[120] == 0.5)
      let cloakroom = try #require(devices.first { $0["name"] as? String == "cloakroom" })
      #expect(cloakroom["dies"] as? Double == 120)
    }
  }

  @Test func itNamesItsScenes() throws {
    let result = try simulate(["--list"])
    #expect(result.code == 0 && result.lines.count == Scene.all.count)
    #expect(result.output.hasPrefix("lobby  "))
  }

  @Test(arguments: [
    [], ["lobby"], ["attic", "/dev/null"], ["lobby", "--form", "1001", "/dev/null"], ["lobby", "--seed"],
    ["lobby", "--seed", "x", "/dev/null"], ["lobby", "--frob", "/dev/null"],
  ])
  func itSaysWhatIsWrongWithItsArguments(arguments: [String]) throws {
    let result = try simulate(arguments)
    #expect(result.code == 64 && result.output == "" && result.errorLines.count == 1)
  }

  @Test func itSaysWhenItCannotWrite() throws {
    let result = try simulate(["lobby", "/nowhere/lobby.btsnoop"])
    #expect(result.code == 74 && result.error.contains("No such file or directory"))
    let full = try simulate(["lobby", "/dev/full"])
    #expect(full.code == 74)
  }
}
