import FuzzSupport
import Glibc
import TestSupport

exit(
  fuzz { octets in
    _ = TestSupport.octets(hex: String(decoding: octets, as: UTF8.self))
  })
