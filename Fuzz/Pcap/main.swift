import FuzzChecks
import FuzzSupport
import Glibc

exit(fuzz { check(capture: $0) })
