import CDBus

/// Puts values behind each other into a message, or a container in it. Where memory is short the message stays incomplete,
/// and libdbus sends none such.
struct DBusBuilder {
  private typealias ArgumentType = DBusMessage.ArgumentType

  private let iterator: UnsafeMutablePointer<DBusMessageIter>

  init(_ iterator: UnsafeMutablePointer<DBusMessageIter>) {
    self.iterator = iterator
  }

  func put(_ text: String) { put(text, as: ArgumentType.string) }
  func put(path: String) { put(path, as: ArgumentType.objectPath) }

  private func put(_ text: String, as type: Int32) {
    text.withCString { text in
      var text: UnsafePointer<CChar>? = text
      _ = dbus_message_iter_append_basic(iterator, type, &text)
    }
  }

  func put(_ octet: UInt8) {
    var octet = octet
    dbus_message_iter_append_basic(iterator, ArgumentType.octet, &octet)
  }

  func put(_ value: Bool) {
    var word: dbus_bool_t = value ? 1 : 0
    dbus_message_iter_append_basic(iterator, ArgumentType.boolean, &word)
  }

  func put(_ number: UInt16) {
    var number = number
    dbus_message_iter_append_basic(iterator, ArgumentType.uint16, &number)
  }

  /// Puts an array whose elements have the signature.
  func array(of signature: String, _ body: (DBusBuilder) -> Void) {
    container(ArgumentType.array, signature, body)
  }

  func structure(_ body: (DBusBuilder) -> Void) { container(ArgumentType.structure, nil, body) }

  /// Puts an entry of a dictionary.
  func entry(_ body: (DBusBuilder) -> Void) { container(ArgumentType.dictionaryEntry, nil, body) }

  func variant(_ signature: String, _ body: (DBusBuilder) -> Void) {
    container(ArgumentType.variant, signature, body)
  }

  /// Puts an entry of a dictionary of variants; `body` puts the value, which has the signature.
  func entry(_ key: String, variant signature: String, _ body: (DBusBuilder) -> Void) {
    entry { entry in
      entry.put(key)
      entry.variant(signature, body)
    }
  }

  private func container(_ type: Int32, _ signature: String?, _ body: (DBusBuilder) -> Void) {
    var inner = DBusMessageIter()
    guard dbus_message_iter_open_container(iterator, type, signature, &inner) != 0 else { return }
    withUnsafeMutablePointer(to: &inner) { body(DBusBuilder($0)) }
    dbus_message_iter_close_container(iterator, &inner)
  }
}
