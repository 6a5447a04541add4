import Daemon
import Testing

@Suite struct NearestWordTests {
  @Test(arguments: [
    ("withn", "within"), ("wthin", "within"), ("Within", "within"), ("exit_after", "exit-after"), ("ide", "id"),
    ("mach", "match"),
  ])
  func aSlipIsRecognized(word: String, meant: String) {
    #expect(nearest(word, in: ["id", "match", "within", "exit-after"]) == meant)
  }

  @Test(arguments: ["", "colour", "x", "withinwithin"])
  func whatIsFarFromEveryWordIsNone(word: String) {
    #expect(nearest(word, in: ["match", "within", "exit-after"]) == nil)
  }

  @Test func theFirstOfEquallyNearWordsIsTaken() {
    #expect(nearest("cat", in: ["hat", "bat"]) == "hat")
  }
}
