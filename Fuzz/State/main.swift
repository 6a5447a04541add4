import BluetoothLE
import Daemon
import FuzzSupport
import Glibc
import Proximity

// A state file that is read says the same when it is written again, and an engine can go on from it.
exit(
  fuzz { octets in
    // With the last line that its other lines ask for: hardly any input would have it.
    let newline = UInt8(ascii: "\n")
    let lines = Array(octets) + (octets.last == newline ? [] : [newline])
    let end = "{\"lines\":\(lines.count { $0 == newline } - 1),\"check\":\(SavedState.check(lines))}\n"
    let text = lines + Array(end.utf8)
    guard let state = text.withUnsafeBytes({ try? SavedState($0) }) else { return }
    let again = state.text.withUnsafeBytes { try? SavedState($0) }
    precondition(again == state, "a state is read back as another")
    let moment = Moment(utc: UnixTime(nanoseconds: 1_764_547_200_000_000_000), boot: "a", sinceBoot: 5_000_000_000)
    var gateway = Gateway(Configuration(), restoring: state, isProven: true, at: moment)
    gateway.advance(to: Instant(nanoseconds: 60_000_000_000))
  })
