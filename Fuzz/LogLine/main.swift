import BluetoothLE
import EventLog
import FuzzChecks
import FuzzSupport
import Glibc
import Linux
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

// The input is a line of the log, or none; whatever it is, its beginning and its JSON are read.
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
    guard let json = line.json else { return }
    precondition(json["seq"]?.unsigned == line.sequence && json["event"]?.string != nil, "another line than its JSON")
  })
