import Daemon
import Glibc
import Linux

/// The files that these tests read.
enum Files {
  static let allKeys = read("Tests/Fixtures/all-keys.yaml")
  static let shipped = read("config/beacond.yaml")
  static let documentation = String(decoding: read("docs/configuration.md"), as: UTF8.self)

  /// The normative list of keys lies outside the repository, beside the corpus: in the folder above the one that
  /// `BEACOND_CORPUS` names, or in `../shared`. Tests that want it are skipped where it is absent.
  static let normative: [UInt8]? = {
    let folder = getenv("BEACOND_CORPUS").map { String(cString: $0) + "/.." } ?? root + "/../shared"
    return try? FileDescriptor(reading: folder + "/beacond.example.yaml").octets(atMost: 1 << 20)
  }()

  private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  /// Empty when it is not there, and then every test of it fails.
  private static func read(_ path: String) -> [UInt8] {
    (try? FileDescriptor(reading: "\(root)/\(path)").octets(atMost: 1 << 20)) ?? []
  }
}

extension Configuration {
  init(_ text: String) throws(ConfigurationFaults) {
    try self.init(Array(text.utf8))
  }

  init(_ octets: some Collection<UInt8>) throws(ConfigurationFaults) {
    // In memory of its own, for the address sanitizer.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: octets.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: octets)
    self = try Configuration(yaml: UnsafeRawBufferPointer(memory))
  }
}

/// The faults of a configuration; none where it is good.
func faults(_ octets: some Collection<UInt8>) -> [ConfigurationFault] {
  do throws(ConfigurationFaults) {
    _ = try Configuration(octets)
    return []
  } catch {
    return error.listed
  }
}

/// The faults as `line:column: path: problem`.
func lines(_ text: String) -> [String] {
  faults(Array(text.utf8)).map { String($0.line(file: "").dropFirst()) }
}

/// The tree of a text; nil where there is none.
func tree(_ text: some Collection<UInt8>) throws(YAMLFailure) -> YAMLNode? {
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
  defer { memory.deallocate() }
  memory.copyBytes(from: text)
  return try YAMLDocument.parse(UnsafeRawBufferPointer(memory))
}

extension YAMLNode {
  /// Every value with its path, elements as `[0]`, the root's path empty.
  func walk(_ path: String = "", _ body: (String, YAMLNode) -> Void) {
    body(path, self)
    switch content {
    case .scalar, .alias: break
    case .sequence(let elements):
      for (index, element) in elements.enumerated() { element.walk("\(path)[\(index)]", body) }
    case .mapping(let members):
      for member in members {
        guard case .scalar(let key, _) = member.key.content else { continue }
        member.value.walk(path.isEmpty ? key : "\(path).\(key)", body)
      }
    }
  }
}

/// A path without the numbers of its elements.
func pattern(_ path: String) -> String {
  path.split(separator: "[", omittingEmptySubsequences: false)
    .map { part in part.firstIndex(of: "]").map { "[" + part[$0...] } ?? String(part) }.joined()
}
