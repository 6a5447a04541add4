enum ReplayCommand: Command {
  static let name = "replay"
  static let summary = ""
  static let help = ""

  static func run(_ arguments: [String]) throws(CommandFailure) {}
}
