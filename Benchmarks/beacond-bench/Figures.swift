import Glibc
import Linux

extension OutputBuffer {
  /// A line of a table: a name, then columns to the right.
  mutating func put(row name: String, _ columns: [String]) {
    let start = count
    put(string: name)
    pad(to: 36, from: start)
    for column in columns {
      put(string: String(repeating: " ", count: max(1, 11 - column.count)))
      put(string: column)
    }
    endLine()
  }
}

/// A number with `places` decimals.
func decimal(_ value: Double, places: Int) -> String {
  guard value.isFinite else { return "-" }
  var factor = 1.0
  for _ in 0..<places { factor *= 10 }
  let units = Int((value.magnitude * factor).rounded())
  let sign = value < 0 && units > 0 ? "-" : ""
  guard places > 0 else { return sign + String(units) }
  let fraction = String(units % Int(factor))
  return sign + "\(units / Int(factor))." + String(repeating: "0", count: places - fraction.count) + fraction
}

/// The value below which the share `share` of the values lies, linear between the two next to it; NaN where there are none.
func quantile(_ values: [Double], _ share: Double) -> Double {
  guard !values.isEmpty else { return .nan }
  let sorted = values.sorted()
  let place = Double(sorted.count - 1) * share
  let below = Int(place)
  let above = min(below + 1, sorted.count - 1)
  return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
}
