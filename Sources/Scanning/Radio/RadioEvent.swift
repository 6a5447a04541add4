import Proximity

/// What a live source tells beside what it has heard. Adapters are numbered in the order in which they were met, and keep
/// their number for as long as the source lives.
package enum RadioEvent {
  /// What an adapter's scanner does from now on.
  case scanner(Int, ScannerReport)
  /// The adapter delivers: the scan was enabled anew, as asked for.
  case proof(Int)
  /// A line for whoever runs it.
  case say(String)
}
