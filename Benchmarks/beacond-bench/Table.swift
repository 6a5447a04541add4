import Linux

/// A text file of a benchmark pack: a line of column names, then as many fields in every line, commas between.
///
/// Nothing is quoted in it. Every fault names the file and the line.
package struct Table {
  private let path: String
  private let octets: [UInt8]
  private let columns: [String: Int]
  private let width: Int

  /// Reads a file that must have these columns; others are ignored.
  package init(_ path: String, columns wanted: [String]) throws(BenchFailure) {
    try self.init(path, try content(path), columns: wanted)
  }

  /// The same of a file that was read, for its name in messages.
  package init(_ path: String, _ octets: [UInt8], columns wanted: [String]) throws(BenchFailure) {
    let lines = octets.split(separator: newline, maxSplits: 1, omittingEmptySubsequences: false)
    let names = fields(lines[0]).map { String($0) }
    self.path = path
    self.octets = octets
    width = names.count
    columns = Dictionary(zip(names, 0...), uniquingKeysWith: { first, _ in first })
    for name in wanted where columns[name] == nil { throw .failed("\(path):1: there is no column \(name)") }
  }

  /// Calls `body` with each line but the first.
  package func forEachRow(_ body: (Row) throws(BenchFailure) -> Void) throws(BenchFailure) {
    var number = 0
    var start = 0
    while start < octets.count {
      let end = octets[start...].firstIndex(of: newline) ?? octets.count
      number += 1
      if number > 1 {
        let row = Row(place: "\(path):\(number)", columns: columns, fields: fields(octets[start..<end]))
        guard row.fields.count == width else {
          throw .failed("\(row.place): \(row.fields.count) fields where line 1 has \(width)")
        }
        try body(row)
      }
      start = end + 1
    }
  }

  /// A line of a table.
  package struct Row {
    /// `FILE:LINE`.
    fileprivate let place: String
    fileprivate let columns: [String: Int]
    fileprivate let fields: [Substring]

    package subscript(_ column: String) -> Substring { columns[column].map { fields[$0] } ?? "" }

    /// The number in a column.
    package func number(_ column: String, in range: ClosedRange<Double>) throws(BenchFailure) -> Double {
      guard let number = Double(self[column]), range.contains(number) else {
        throw fault(column, "is no number in \(text(range.lowerBound))...\(text(range.upperBound))")
      }
      return number
    }

    /// The whole number in a column.
    package func integer(_ column: String, in range: ClosedRange<Int>) throws(BenchFailure) -> Int {
      guard let number = Int(self[column]), range.contains(number) else {
        throw fault(column, "is no whole number in \(range.lowerBound)...\(range.upperBound)")
      }
      return number
    }

    /// The level in a column, dBm.
    package func rssi(_ column: String) throws(BenchFailure) -> Int8 {
      Int8(truncatingIfNeeded: try integer(column, in: -128...127))
    }

    /// What is wrong with a field, which may hold anything.
    package func fault(_ column: String, _ what: String) -> BenchFailure {
      .failed("\(place): \(column): \(String(self[column].prefix(40)).debugDescription) \(what)")
    }

    private func text(_ bound: Double) -> String {
      bound == bound.rounded() ? decimal(bound, places: 0) : decimal(bound, places: 3)
    }
  }
}

/// The octets of a file.
func content(_ path: String) throws(BenchFailure) -> [UInt8] {
  do throws(SystemError) {
    let octets = try FileDescriptor(reading: path).octets(atMost: largestFile)
    if octets.count < largestFile { return octets }
  } catch {
    throw .failed("\(path): \(error)")
  }
  throw .failed("\(path): too large")
}

private let newline = UInt8(ascii: "\n")
/// The pack's files are far below that; a file without an end must not fill the memory.
private let largestFile = 256 << 20

private func fields(_ line: ArraySlice<UInt8>) -> [Substring] {
  let text = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
  return text.split(separator: ",", omittingEmptySubsequences: false)
}
