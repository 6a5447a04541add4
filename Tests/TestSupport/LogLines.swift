import BluetoothLE
import EventLog

/// A line of the log with its end; `time` is in milliseconds after 2026-12-01T08:30:00Z.
package func logLine(
  _ sequence: UInt64, at time: Int64 = 0, _ event: String = "didEnter", isSynchronized: Bool = true, padding: Int = 0
) -> String {
  let text = written { $0.put(iso8601: logTime(time)) }
  let clock = isSynchronized ? "" : #","clock":"unsynchronized""#
  let name = String(repeating: "x", count: padding)
  return
    #"{"seq":\#(sequence),"time":"\#(text)","event":"\#(event)","gateway":"test"\#(clock),"region":"hall\#(name)"}"#
    + "\n"
}

package func logTime(_ milliseconds: Int64) -> UnixTime {
  UnixTime(nanoseconds: 1_796_113_800_000_000_000 + milliseconds * 1_000_000)
}

/// In milliseconds.
package func day(_ days: Int64) -> Int64 { days * 86_400_000 }
