import Daemon
import FuzzSupport
import Glibc

exit(
  fuzz { octets in
    do throws(ConfigurationFaults) {
      _ = try Configuration(yaml: octets).summary
    } catch {
      _ = error.text(file: "fuzz")
    }
  })
