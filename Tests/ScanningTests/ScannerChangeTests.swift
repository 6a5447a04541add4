import Proximity
import Scanning
import Testing

struct ScannerChangeTests {
  @Test func aLineIsSecondsAdapterStateAndReason() throws {
    let text = """
      # the stick was pulled out
      60 0 stopped unplugged by hand\t

        75.5\t1   degraded   # and not well
      1e2 65535 scanning
      """
    #expect(
      try ScannerChange.list(text) == [
        ScannerChange(seconds: 60, adapter: 0, ScannerReport(.stopped, name: "hci0", reason: "unplugged by hand")),
        ScannerChange(seconds: 75.5, adapter: 1, ScannerReport(.degraded, name: "hci1", reason: "as told")),
        ScannerChange(seconds: 100, adapter: 65535, ScannerReport(.scanning, name: "hci65535", reason: "as told")),
      ])
    #expect(try ScannerChange.list("").isEmpty)
    #expect(try ScannerChange.list("1 0 scanning\r\n2 0 stopped\r\n").map { $0.seconds } == [1, 2])
  }

  @Test(arguments: [
    ("1 0 scanning\n60 0\n", "2: a line is seconds, adapter, state and a reason, as in '60 0 stopped unplugged'"),
    ("soon 0 stopped", "1: 'soon' is not a number of seconds since the first packet"),
    ("-1 0 stopped", "1: '-1' is not a number of seconds since the first packet"),
    ("nan 0 stopped", "1: 'nan' is not a number of seconds since the first packet"),
    ("1 hci0 stopped", "1: 'hci0' is not the number of an adapter"),
    ("1 70000 stopped", "1: '70000' is not the number of an adapter"),
    ("\r\n\n1 0 Stopped", "3: 'Stopped' is not a state; it is one of scanning, degraded, stopped"),
  ])
  func aFaultSaysWhatAndWhere(text: String, says: String) {
    do throws(ScannerChange.Fault) {
      Issue.record("read as \(try ScannerChange.list(text))")
    } catch {
      #expect(error.description == says)
    }
  }
}
