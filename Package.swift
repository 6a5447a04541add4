// swift-tools-version: 6.0
import PackageDescription

// Warnings are errors, and a target may import only what it declares (scripts/check-layers adds the pure modules' rule).
let strict: [SwiftSetting] = [.unsafeFlags(["-warnings-as-errors"])]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: strict)
}

let package = Package(
  name: "beacond",
  products: [
    .executable(name: "beacond", targets: ["beacond"]),
    .executable(name: "beacond-simulate", targets: ["beacond-simulate"]),
    .executable(name: "beacond-bench", targets: ["beacond-bench"]),
  ],
  targets: [
    .systemLibrary(name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

    // Pure: no clock, no I/O, no C module.
    library("BluetoothLE"),
    library("Proximity", ["BluetoothLE"]),
    library("Simulation", ["BluetoothLE"]),

    library("Linux", ["CLinux"]),
    library("EventLog", ["BluetoothLE", "Linux", "Proximity"]),
    library("Scanning", ["BluetoothLE", "CBluetooth", "CDBus", "Linux", "Proximity"]),
    library("Daemon", ["BluetoothLE", "CYAML", "EventLog", "Linux", "Proximity", "Scanning"]),
    library("Inspection", ["BluetoothLE", "EventLog", "Linux", "Proximity", "Scanning"]),

    .executableTarget(
      name: "beacond",
      dependencies: ["BluetoothLE", "Daemon", "EventLog", "Inspection", "Linux", "Proximity", "Scanning"],
      swiftSettings: strict),

    .executableTarget(
      name: "beacond-simulate", dependencies: ["BluetoothLE", "EventLog", "Linux", "Simulation"],
      path: "Tools/simulate", swiftSettings: strict),

    .executableTarget(
      name: "beacond-bench",
      dependencies: [
        "BluetoothLE", "Daemon", "EventLog", "Linux", "Proximity", "Scanning", "Simulation", "TestSupport",
      ],
      path: "Benchmarks/beacond-bench", swiftSettings: strict),

    .target(
      name: "TestSupport", dependencies: ["BluetoothLE", "EventLog", "Linux", "Proximity", "Simulation"],
      path: "Tests/TestSupport", swiftSettings: strict),
    tests("BenchmarkTests", ["beacond-bench"]),
    tests("BluetoothLETests", ["BluetoothLE", "CBluetooth"]),
    tests("ProximityTests", ["BluetoothLE", "Proximity"]),
    tests("CorpusTests", ["BluetoothLE", "Daemon", "Inspection", "Linux", "Proximity", "Scanning"]),
    tests(
      "DaemonTests",
      ["BluetoothLE", "Daemon", "EventLog", "Inspection", "Linux", "Proximity", "Scanning", "Simulation"]),
    tests("EndToEndTests", ["BluetoothLE", "EventLog", "Linux", "Simulation"]),
    tests("EventLogTests", ["BluetoothLE", "EventLog", "Linux", "Proximity"]),
    tests("InspectionTests", ["BluetoothLE", "CYAML", "Inspection", "Linux", "Proximity", "Scanning"]),
    tests("LinuxTests", ["Linux"]),
    tests("ScanningTests", ["BluetoothLE", "CDBus", "Linux", "Proximity", "Scanning", "Simulation"]),
    tests("SimulationTests", ["BluetoothLE", "Proximity", "Simulation"]),
  ],
  swiftLanguageModes: [.v6]
)

// Fuzz targets: only scripts/fuzz asks for them, since they link only with -sanitize=fuzzer.
if Context.environment["BEACOND_FUZZ"] == "1" {
  func fuzz(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
      name: "Fuzz\(name)", dependencies: dependencies + ["FuzzSupport"], path: "Fuzz/\(name)", swiftSettings: strict)
  }
  package.targets += [
    .systemLibrary(name: "CLibFuzzer", path: "Fuzz/CLibFuzzer"),
    .target(name: "FuzzSupport", dependencies: ["CLibFuzzer"], path: "Fuzz/Support", swiftSettings: strict),
    .target(
      name: "FuzzChecks", dependencies: ["BluetoothLE", "Inspection", "Linux", "TestSupport"], path: "Fuzz/Checks",
      swiftSettings: strict),
    fuzz("Advertisement", ["BluetoothLE", "FuzzChecks"]),
    fuzz("Event", ["BluetoothLE", "FuzzChecks"]),
    fuzz("Command", ["BluetoothLE"]),
    fuzz("Management", ["BluetoothLE"]),
    fuzz("BTSnoop", ["FuzzChecks"]),
    fuzz("Pcap", ["FuzzChecks"]),
    fuzz("PcapNG", ["FuzzChecks"]),
    fuzz("PacketLogger", ["FuzzChecks"]),
    fuzz("HCIDump", ["FuzzChecks"]),
    fuzz("Configuration", ["Daemon"]),
    fuzz("State", ["BluetoothLE", "Daemon", "Proximity"]),
    fuzz("Engine", ["BluetoothLE", "Proximity", "TestSupport"]),
    fuzz("LogLine", ["BluetoothLE", "EventLog", "FuzzChecks", "Linux", "Proximity", "TestSupport"]),
  ]
}
