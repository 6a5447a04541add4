import CLibFuzzer
import Synchronization

/// What is fuzzed. A struct, because a bare closure in a `Mutex` gets one more thunk around it at every access.
private struct Body: Sendable {
  var run: @Sendable (UnsafeRawBufferPointer) -> Void
}

/// What the C callback calls: a C function carries no context.
private let body = Mutex<Body?>(nil)

/// Runs libFuzzer on `run` with the program's arguments and returns its exit status.
///
/// `run` is called with each input. The octets are valid only during the call, and the address sanitizer stops a read
/// past their end. Returning is well, whatever the result; a trap is a finding.
package func fuzz(_ run: @escaping @Sendable (UnsafeRawBufferPointer) -> Void) -> Int32 {
  body.withLock { $0 = Body(run: run) }
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  return LLVMFuzzerRunDriver(&count, &arguments, call)
}

private func call(_ octets: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  body.withLock { $0 }?.run(UnsafeRawBufferPointer(start: octets, count: count))
  return 0
}
