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
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == LobbyFixture.data("lobby.btsnoop"))
      #expect(try simulate(["lobby", "--form", "1002", path]).code == 0)
      #expect(try Array(Data(contentsOf: URL(fileURLWithPath: path))) == LobbyFixture.capture(.h4))
      #expect(try simulate(["lobby", "--seed", "7", path]).code == 0)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) != LobbyFixture.data("lobby.btsnoop"))
    }
  }

  @Test func itWritesTheTruth() throws {
    try withTemporaryFolder { folder in
      #expect(try simulate(["lobby", "--truth", folder + "/truth.json", folder + "/lobby.btsnoop"]).code == 0)
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
    #expect(try simulate(["lobby", "/dev/full"]).code == 74)
  }
}
