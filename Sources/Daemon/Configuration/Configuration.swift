import Linux

/// What the daemon is told to do: the whole of its file, with the default of every key that is not in it.
package struct Configuration: Hashable, Sendable {
  /// What this gateway is called in its events; nil for the host's name.
  package var gateway: String?
  package var bluetooth = Bluetooth()
  package var location = Location()
  /// What is watched, in the order of the file; ids are unique.
  package var regions = [Region.everything]
  /// Known beacons; names and identities are unique.
  package var beacons: [Beacon] = []
  package var ranging = Ranging()
  package var log = Log()

  /// The defaults.
  package init() {}

  /// Where the file is installed.
  package static let standardPath = "/etc/beacond/beacond.yaml"

  /// The configuration in UTF-8 octets of YAML; an empty text is the defaults.
  ///
  /// Throws all faults at once, but only the first where the text is not YAML.
  package init(yaml octets: UnsafeRawBufferPointer) throws(ConfigurationFaults) {
    let root: YAMLNode?
    do throws(YAMLFailure) {
      root = try YAMLDocument.parse(octets)
    } catch {
      let fault = ConfigurationFault(mark: error.mark, path: "", problem: error.problem)
      throw ConfigurationFaults(listed: [fault], omitted: 0)
    }
    self.init()
    guard let root, !root.isNull else { return }
    let faults = FaultCollector()
    let document = Setting(root, path: "", keyMark: root.mark, faults: faults)
    _ = document.section { section in read(&section) }
    if let faults = faults.all() { throw faults }
  }

  /// The configuration in a file.
  package init(contentsOf path: String) throws(ConfigurationFailure) {
    let octets: [UInt8]
    do throws(SystemError) {
      octets = try FileDescriptor(reading: path).octets(atMost: YAMLDocument.longestText + 1)
    } catch {
      throw .unreadable(error)
    }
    // Array's closure cannot throw an error of a stated type in Swift 6.0.
    let result = octets.withUnsafeBytes { octets in
      Result { () throws(ConfigurationFaults) in try Configuration(yaml: octets) }
    }
    switch result {
    case .success(let configuration): self = configuration
    case .failure(let faults): throw .faulty(faults)
    }
  }

  private mutating func read(_ section: inout Section) {
    section.read("gateway", into: &gateway) { $0.text() }
    bluetooth = section.section("bluetooth") { Bluetooth(&$0) }
    location = section.section("location") { Location(&$0) }
    section.read("regions", into: &regions) { Region.list($0) }
    section.read("beacons", into: &beacons) { Beacon.list($0) }
    let beaconCount = beacons.count
    ranging = section.section("ranging") { Ranging(&$0, beacons: beaconCount) }
    log = section.section("log") { Log(&$0) }
    // Read by beacond-outputs, which has no output yet.
    section.section("outputs") { _ in }
  }

  /// Whether a service may be used, and when.
  package enum Authorization: String, CaseIterable, Sendable {
    case always
    /// Only while somebody looks.
    case whenInUse = "when-in-use"
    case denied
  }
}
