import FuzzSupport
import Glibc

// The same inputs give the same events, however time is cut up in between.
exit(
  fuzz { octets in
    var whole = EngineRun(octets, isCut: false)
    whole.run()
    var cut = EngineRun(octets, isCut: true)
    cut.run()
    precondition(whole.events == cut.events, "events depend on how time is cut up")
  })
