import CDBus
import TestSupport

@testable import Scanning

/// Messages with arguments like bluetoothd's, of which some have another type or another content.
struct RandomMessage {
  private typealias ArgumentType = DBusMessage.ArgumentType

  private static let names = [
    "Address", "AddressType", "RSSI", "ManufacturerData", "ServiceData", "UUIDs", "AdvertisingFlags", "Powered",
    "Discovering", "Name",
  ]
  private static let texts = [
    "", "public", "random", "C0:00:00:00:00:01", "c0:ff", "0000feaa-0000-1000-8000-00805f9b34fb",
    "1234feaa-0000-1000-8000-00805f9b34fb", "11223344-5566-7788-99aa-bbccddeeff00",
    "0000feaa-0000-1000-8000-00805f9b34f",
    "0000feag-0000-1000-8000-00805f9b34fb", "org.bluez.Device1", "org.bluez.Adapter1", "é", "RSSI",
  ]
  private static let paths = ["/", "/org/bluez/hci0", "/org/bluez/hci0/dev_C0_00_00_00_00_01"]

  private var random: SplitMix
  /// Variants around what is appended.
  private var depth = 0

  private init(_ random: SplitMix) {
    self.random = random
  }

  private mutating func below(_ count: Int) -> Int { Int(random.next() >> 33) % count }
  private mutating func one<T>(of choices: [T]) -> T { choices[below(choices.count)] }

  /// Nil when memory is short.
  static func message(_ random: inout SplitMix) -> DBusMessage? {
    guard let pointer = dbus_message_new_signal("/org/bluez", "org.bluez.Test", "Test") else { return nil }
    let message = DBusMessage(pointer)
    var made = RandomMessage(random)
    defer { random = made.random }
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(pointer, &iterator)
    switch made.below(4) {
    case 0:
      made.appendProperties(to: &iterator)
      made.append("as", to: &iterator)
    case 1:
      made.append(ArgumentType.objectPath, one: made.one(of: paths), to: &iterator)
      made.appendInterfaces(to: &iterator)
    case 2:
      made.appendObjects(to: &iterator)
    default:
      for _ in 0..<made.below(4) { made.appendAnything(to: &iterator) }
    }
    return message
  }

  private mutating func append(_ type: Int32, one text: String, to iterator: inout DBusMessageIter) {
    text.withCString { text in
      var text: UnsafePointer<CChar>? = text
      _ = dbus_message_iter_append_basic(&iterator, type, &text)
    }
  }

  private mutating func append<T>(_ type: Int32, value: T, to iterator: inout DBusMessageIter) {
    var value = value
    withUnsafeBytes(of: &value) { _ = dbus_message_iter_append_basic(&iterator, type, $0.baseAddress) }
  }

  private mutating func inside(
    _ type: Int32, _ signature: String?, of iterator: inout DBusMessageIter,
    _ body: (inout RandomMessage, inout DBusMessageIter) -> Void
  ) {
    var inner = DBusMessageIter()
    dbus_message_iter_open_container(&iterator, type, signature, &inner)
    body(&self, &inner)
    dbus_message_iter_close_container(&iterator, &inner)
  }

  /// Appends a value of a type that is written as a signature, with as many elements as chance will have.
  private mutating func append(_ signature: String, to iterator: inout DBusMessageIter) {
    switch signature {
    case "y": append(ArgumentType.octet, value: UInt8(truncatingIfNeeded: random.next()), to: &iterator)
    case "b": append(ArgumentType.boolean, value: UInt32(below(2)), to: &iterator)
    case "n":
      let value = below(2) == 0 ? -below(130) : below(65536) - 32768
      append(ArgumentType.int16, value: Int16(value), to: &iterator)
    case "q": append(ArgumentType.uint16, value: UInt16(below(65536)), to: &iterator)
    case "s": append(ArgumentType.string, one: one(of: Self.texts), to: &iterator)
    case "o": append(ArgumentType.objectPath, one: one(of: Self.paths), to: &iterator)
    case "v":
      depth += 1
      // Of dictionaries in dictionaries there would be no end.
      let simple = ["y", "b", "n", "q", "s", "o", "ay", "as"]
      appendVariant(one(of: depth > 1 ? simple : simple + ["a{qv}", "a{sv}", "a{sy}"]), to: &iterator)
      depth -= 1
    default:
      let count = one(of: [0, 1, 2, 3, 20, 26, 31, 250])
      inside(ArgumentType.array, String(signature.dropFirst()), of: &iterator) { made, array in
        for _ in 0..<count {
          guard signature.hasPrefix("a{") else {
            made.append(String(signature.dropFirst()), to: &array)
            continue
          }
          made.inside(ArgumentType.dictionaryEntry, nil, of: &array) { made, entry in
            made.append(String(signature.dropFirst(2).prefix(1)), to: &entry)
            if made.below(4) > 0, signature.hasSuffix("v}") {
              made.appendVariant("ay", to: &entry)
            } else {
              made.append(String(signature.dropFirst(3).prefix(1)), to: &entry)
            }
          }
        }
      }
    }
  }

  private mutating func appendVariant(_ signature: String, to iterator: inout DBusMessageIter) {
    inside(ArgumentType.variant, signature, of: &iterator) { $0.append(signature, to: &$1) }
  }

  private mutating func appendAnything(to iterator: inout DBusMessageIter) {
    append(one(of: ["y", "b", "n", "q", "s", "o", "v", "ay", "as", "a{qv}", "a{sv}", "a{sy}", "av"]), to: &iterator)
  }

  /// A dictionary of properties, most of the types that bluetoothd gives them.
  private mutating func appendProperties(to iterator: inout DBusMessageIter) {
    let types = [
      "RSSI": "n", "ManufacturerData": "a{qv}", "ServiceData": "a{sv}", "UUIDs": "as", "AdvertisingFlags": "ay",
      "Powered": "b", "Discovering": "b",
    ]
    inside(ArgumentType.array, "{sv}", of: &iterator) { made, array in
      for _ in 0..<made.below(6) {
        let name = made.one(of: Self.names)
        made.inside(ArgumentType.dictionaryEntry, nil, of: &array) { made, entry in
          made.append(ArgumentType.string, one: name, to: &entry)
          if made.below(8) == 0 {
            made.append("v", to: &entry)
          } else {
            made.appendVariant(types[name] ?? "s", to: &entry)
          }
        }
      }
    }
  }

  private mutating func appendInterfaces(to iterator: inout DBusMessageIter) {
    inside(ArgumentType.array, "{sa{sv}}", of: &iterator) { made, array in
      for _ in 0..<made.below(3) {
        made.inside(ArgumentType.dictionaryEntry, nil, of: &array) { made, entry in
          made.append("s", to: &entry)
          made.appendProperties(to: &entry)
        }
      }
    }
  }

  private mutating func appendObjects(to iterator: inout DBusMessageIter) {
    inside(ArgumentType.array, "{oa{sa{sv}}}", of: &iterator) { made, array in
      for _ in 0..<made.below(4) {
        made.inside(ArgumentType.dictionaryEntry, nil, of: &array) { made, entry in
          made.append("o", to: &entry)
          made.appendInterfaces(to: &entry)
        }
      }
    }
  }
}
