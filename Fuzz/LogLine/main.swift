import BluetoothLE
import EventLog
import FuzzChecks
import FuzzSupport
import Glibc
import Linux
import Proximity
import TestSupport

/// Reads all that a value has; the text of every string in it.
private func walk(_ value: JSONValue, _ texts: inout [String]) {
  if let text = value.string { texts.append(text) }
  if let whole = value.unsigned { precondition(value.number == Double(whole), "a number of two values") }
  value.forEachElement { walk($0, &texts) }
  value.forEachMember { name, member in
    walk(name, &texts)
    walk(member, &texts)
    precondition(name.string.map { value[$0] != nil } == true, "a member that its name does not find")
  }
}

/// Reads the line as an event, and holds what is written of that against itself, read and written again.
private func readBack(_ line: LogLine) {
  var reader = EventReader()
  var events = EventBatch()
  guard reader.read(line, into: &events) else { return }
  let first = json(events)
  var again = EventBatch()
  let isRead = first.dropLast().withUnsafeBytes { octets in
    LogLine(Octets(octets)).map { reader.read($0, into: &again) } ?? false
  }
  precondition(isRead && json(again) == first, "an event that is another one when it is read back")
  precondition(text(again) == text(events), "an event whose text is another one when it is read back")
}

/// The octets of a batch of one event, with the line end.
private func json(_ events: EventBatch) -> [UInt8] {
  var json = EventJSON(gateway: "")
  return octets { json.put(events, into: &$0) }
}

private func text(_ events: EventBatch) -> [UInt8] {
  let text = EventText(isColored: false)
  return octets { output in
    for event in events.events { text.put(event, of: events, into: &output) }
  }
}

/// What `body` puts out. libFuzzer gives 4 KB at most, and so all of it waits.
private func octets(_ body: (inout OutputBuffer) -> Void) -> [UInt8] {
  var output = OutputBuffer(FileDescriptor(-1, isOwned: false))
  body(&output)
  defer { output.discard() }
  return output.withWaiting { Array($0) }
}

// The input is a line of the log, or none; whatever it is, its beginning, its JSON and its event are read.
exit(
  fuzz { input in
    let octets = Octets(input)
    let value = JSONValue(octets)
    precondition(value != nil || !isJSONLine(input), "JSON that is refused")
    if let value {
      precondition(String(validating: input, as: UTF8.self) != nil, "no UTF-8")
      var texts: [String] = []
      walk(value, &texts)
    }
    guard let line = LogLine(octets) else { return }
    _ = line.region
    let beginning = written {
      $0.put("{\"seq\":")
      $0.put(decimal: line.sequence)
      $0.put(",\"time\":\"")
      $0.put(iso8601: line.time)
      $0.put("\",\"event\":\"")
      if let event = line.event { $0.put(word: event.word) }
    }
    precondition(input.starts(with: beginning.utf8), "another beginning than what is there")
    guard let value = line.json else { return }
    readBack(line)
    precondition(value["seq"]?.unsigned == line.sequence && value["event"]?.string != nil, "another line than its JSON")
  })
