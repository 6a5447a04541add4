import Glibc

/// The recordings and reference data that lie outside the repository; tests that need them are skipped without.
///
/// `BEACOND_CORPUS` names the corpus folder; unset, it is looked for in `../shared/corpus` beside the package.
package enum Corpus {
  package static var folder: String? {
    existing(getenv("BEACOND_CORPUS").map { String(cString: $0) } ?? packageRoot + "/../shared/corpus")
  }

  /// The benchmark pack of the ranging estimator; it lies beside the corpus.
  package static var rssiBench: String? {
    existing(
      getenv("BEACOND_CORPUS").map { String(cString: $0) + "/../rssi-bench" } ?? packageRoot + "/../shared/rssi-bench")
  }

  /// One capture as the corpus' index describes it.
  package struct Capture: Sendable {
    /// Path in the corpus folder.
    package let file: String
    /// Some of its reports carry an iBeacon, an Eddystone frame or an AltBeacon.
    package let holdsBeacons: Bool
  }

  /// The captures that the index lists; nil if there is none.
  package static var captures: [Capture]? {
    guard let lines = folder.flatMap({ table($0 + "/INDEX.tsv", separator: "\t") }), let titles = lines.first,
      let file = titles.firstIndex(of: "file"), let beacons = titles.firstIndex(of: "beacons")
    else { return nil }
    return lines.dropFirst().compactMap { line in
      guard line.count > max(file, beacons), line[file].hasPrefix("captures/"), !line[file].hasSuffix(".csv") else {
        return nil
      }
      let kinds = line[beacons].split(separator: ";").map { $0.drop { $0 == " " } }
      let holdsBeacons = kinds.contains { kind in
        ["iBeacon ", "AltBeacon ", "Eddystone-UID", "Eddystone-URL", "Eddystone-EID"].contains { kind.hasPrefix($0) }
      }
      return Capture(file: String(line[file]), holdsBeacons: holdsBeacons)
    }
  }

  /// The lines of a text file, each split at its separators, blanks kept; nil if it cannot be read.
  package static func table(_ path: String, separator: Character = ",") -> [[Substring]]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
      .split(whereSeparator: \.isNewline)
      .map { $0.split(separator: separator, omittingEmptySubsequences: false) }
  }

  private static func existing(_ path: String) -> String? { access(path, R_OK) == 0 ? path : nil }

  /// The folder of Package.swift.
  static var packageRoot: String {
    var parts = #filePath.split(separator: "/")
    parts.removeLast(3)
    return "/" + parts.joined(separator: "/")
  }
}
