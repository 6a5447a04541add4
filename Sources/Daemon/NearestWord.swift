/// The word of `words` that `word` was probably meant to be: the one that the fewest edits lead to, at most a third of
/// its length.
package func nearest(_ word: String, in words: [String]) -> String? {
  let octets = Array(word.utf8)
  var best: (word: String, edits: Int)?
  for candidate in words {
    let most = max(1, candidate.utf8.count / 3)
    // So many edits are needed at least, and a long word costs no time.
    guard abs(candidate.utf8.count - octets.count) <= most else { continue }
    let count = edits(octets, Array(candidate.utf8))
    if count <= most, count < best?.edits ?? .max { best = (candidate, count) }
  }
  return best?.word
}

/// The Levenshtein distance.
private func edits(_ a: [UInt8], _ b: [UInt8]) -> Int {
  var row = Array(0...b.count)
  for (i, octet) in a.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for j in 0..<b.count {
      let substituted = diagonal + (octet == b[j] ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(substituted, row[j] + 1, row[j + 1] + 1)
    }
  }
  return row[b.count]
}
