enum BeaconsCommand: Command {
  static let name = "beacons"
  static let summary = ""
  static let help = ""

  static func run(_ arguments: [String]) throws(CommandFailure) {}
}
