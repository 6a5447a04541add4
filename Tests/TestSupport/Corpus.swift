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

  /// The lines of a text file, each split at its commas, blanks kept; nil if it cannot be read.
  package static func table(_ path: String) -> [[Substring]]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
      .split(whereSeparator: \.isNewline)
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
  }

  private static func existing(_ path: String) -> String? { access(path, R_OK) == 0 ? path : nil }

  private static var packageRoot: String {
    var parts = #filePath.split(separator: "/")
    parts.removeLast(3)
    return "/" + parts.joined(separator: "/")
  }
}
