import Linux

/// What `body` puts into an output buffer, as text.
package func written(_ body: (inout OutputBuffer) -> Void) -> String {
  var output = OutputBuffer(.standardError)
  body(&output)
  defer { output.discard() }
  return output.withWaiting { String(decoding: $0, as: UTF8.self) }
}
