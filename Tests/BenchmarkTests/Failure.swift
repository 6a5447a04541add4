import beacond_bench

/// The message of the failure that `body` ends with; nil if it ends with none.
func failure(_ body: () throws -> Void) -> String? {
  do {
    try body()
  } catch BenchFailure.failed(let message) {
    return message
  } catch {
    return "\(error)"
  }
  return nil
}
