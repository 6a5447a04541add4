import BluetoothLE

/// Octets in memory of their own that is never freed: a read past their end is one that the address sanitizer sees.
package func kept(_ octets: [UInt8]) -> Octets {
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: octets.count, alignment: 1)
  memory.copyBytes(from: octets)
  return Octets(UnsafeRawBufferPointer(memory))
}

/// A test's own hex digits are none.
package struct NotHex: Error {
  let text: String
}

/// The octets of hex digits, likewise.
package func kept(hex text: String) throws -> Octets {
  guard let octets = octets(hex: text) else { throw NotHex(text: text) }
  return kept(octets)
}

/// Calls `body` with `octets` in memory of their own.
package func withMemory<Result>(
  _ octets: some Collection<UInt8>, _ body: (Octets) throws -> Result
) rethrows -> Result {
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: octets.count, alignment: 1)
  defer { memory.deallocate() }
  memory.copyBytes(from: octets)
  return try body(Octets(UnsafeRawBufferPointer(memory)))
}
