import BluetoothLE
import Linux
import TestSupport
import Testing

@testable import Scanning

struct AdapterMemoryTests {
  private let a = DeviceAddress(0xfa1e_0000_0001)
  private let b = DeviceAddress(0xfa1e_0000_0002)

  @Test func itIsReadAsItWasWritten() {
    let entries: [DeviceAddress: AdapterMemory.Entry] = [
      a: .init(monitor: 7, isLegacy: false), b: .init(monitor: 65535, isLegacy: true),
    ]
    let text = AdapterMemory.text(entries, boot: "6d0f1a2b")
    #expect(
      text == """
        fa:1e:00:00:00:01 monitor 7 6d0f1a2b
        fa:1e:00:00:00:02 monitor 65535 6d0f1a2b
        fa:1e:00:00:00:02 legacy

        """)
    #expect(AdapterMemory.entries(text, boot: "6d0f1a2b") == entries)
    // A reboot takes the monitors, and no controller's nature.
    #expect(AdapterMemory.entries(text, boot: "77777777") == [b: .init(monitor: nil, isLegacy: true)])
    #expect(AdapterMemory.entries(text, boot: "") == [b: .init(monitor: nil, isLegacy: true)])
  }

  @Test func whatIsNoneIsPassedOver() {
    let text = """
      6d0f1a2b
      fa:1e:00:00:00:01
      fa:1e:00:00:00:01 monitor
      fa:1e:00:00:00:01 monitor 70000 6d0f1a2b
      fa:1e:00:00:00:01 monitor -1 6d0f1a2b
      fa:1e:00:00:00:01 legacy indeed
      fa:1e:00:00:00:zz legacy
      fa:1e:00:00:00:02 legacy
      """
    #expect(AdapterMemory.entries(text, boot: "6d0f1a2b") == [b: .init(monitor: nil, isLegacy: true)])
  }

  @Test func aFileOutlivesTheProcess() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/adapters"
    var memory = AdapterMemory(path: path)
    #expect(memory[a] == .init())
    memory.set(.init(monitor: 3, isLegacy: true), of: a)
    #expect(AdapterMemory(path: path)[a] == .init(monitor: Host.boot.isEmpty ? nil : 3, isLegacy: true))
    memory.set(.init(), of: a)
    #expect(AdapterMemory(path: path)[a] == .init())
    // Nowhere is no failure.
    var lost = AdapterMemory(path: folder.path + "/none/adapters")
    lost.set(.init(monitor: 3), of: a)
    #expect(lost[a].monitor == 3)
  }
}
