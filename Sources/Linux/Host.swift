import CLinux
import Glibc

/// What the machine calls itself.
package enum Host {
  /// Its name, up to the first dot.
  package static var name: String {
    // The longest that Linux takes, and its end.
    var name = [CChar](repeating: 0, count: 65)
    guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
    let octets = name.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: ".")) }.map { UInt8(bitPattern: $0) }
    return octets.isEmpty ? "localhost" : String(decoding: octets, as: UTF8.self)
  }

  /// Which boot this is; empty where the kernel does not say. Source: proc_sys_kernel(5), random/boot_id.
  package static let boot: String = {
    guard let file = try? FileDescriptor(reading: "/proc/sys/kernel/random/boot_id"),
      let octets = try? file.octets(atMost: 64)
    else { return "" }
    return String(decoding: octets.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }()

  /// What a variable of the environment says; nil also where the program has rights, by its file, that whoever set the
  /// variable has not.
  package static func variable(_ name: String) -> String? {
    linux_is_privileged() == 0 ? getenv(name).map { String(cString: $0) } : nil
  }
}
