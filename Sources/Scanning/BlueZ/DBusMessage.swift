import CDBus

/// A message on the bus, one of ours or one that came.
final class DBusMessage {
  /// Types of arguments. Source: D-Bus Specification, "Summary of types"; libdbus has them as casts, which are not
  /// imported.
  enum ArgumentType {
    static let none: Int32 = 0
    static let array = Int32(UInt8(ascii: "a"))
    static let boolean = Int32(UInt8(ascii: "b"))
    static let dictionaryEntry = Int32(UInt8(ascii: "e"))
    static let int16 = Int32(UInt8(ascii: "n"))
    static let objectPath = Int32(UInt8(ascii: "o"))
    static let octet = Int32(UInt8(ascii: "y"))
    static let string = Int32(UInt8(ascii: "s"))
    static let uint16 = Int32(UInt8(ascii: "q"))
    static let variant = Int32(UInt8(ascii: "v"))
  }

  let pointer: OpaquePointer

  /// Takes over a message.
  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// A call of a method, which starts no service; nil when memory is short or a name is none.
  init?(call method: String, of interface: String, at path: String, destination: String) {
    guard let pointer = dbus_message_new_method_call(destination, path, interface, method) else { return nil }
    dbus_message_set_auto_start(pointer, 0)
    self.pointer = pointer
  }

  deinit {
    dbus_message_unref(pointer)
  }

  // MARK: What came

  var isSignal: Bool { dbus_message_get_type(pointer) == DBUS_MESSAGE_TYPE_SIGNAL }

  var sender: String? { dbus_message_get_sender(pointer).map { String(cString: $0) } }
  var path: String? { dbus_message_get_path(pointer).map { String(cString: $0) } }

  /// The serial of the call that this answers; 0 where it is no answer.
  var replySerial: UInt32 { dbus_message_get_reply_serial(pointer) }

  func isSignal(_ name: String, of interface: String) -> Bool {
    dbus_message_is_signal(pointer, interface, name) != 0
  }

  /// What an error says; nil where this is none.
  var refusal: DBusRefusal? {
    guard dbus_message_get_type(pointer) == DBUS_MESSAGE_TYPE_ERROR else { return nil }
    let name = dbus_message_get_error_name(pointer).map { String(cString: $0) } ?? ""
    return DBusRefusal(name: name, text: arguments.text() ?? "")
  }

  var arguments: DBusArguments { DBusArguments(self) }

  // MARK: Arguments of a call

  /// Appends a string, or what is written as one.
  func append(_ text: String) -> Self {
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(pointer, &iterator)
    Self.append(text, to: &iterator)
    return self
  }

  /// Appends a variant of a truth value.
  func append(variant value: Bool) -> Self {
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(pointer, &iterator)
    Self.append(variant: .boolean(value), to: &iterator)
    return self
  }

  enum Value {
    case boolean(Bool)
    case string(String)
  }

  /// Appends a dictionary of variants.
  func append(_ entries: KeyValuePairs<String, Value>) -> Self {
    var iterator = DBusMessageIter()
    var array = DBusMessageIter()
    var entry = DBusMessageIter()
    dbus_message_iter_init_append(pointer, &iterator)
    guard dbus_message_iter_open_container(&iterator, ArgumentType.array, "{sv}", &array) != 0 else { return self }
    for (key, value) in entries {
      guard dbus_message_iter_open_container(&array, ArgumentType.dictionaryEntry, nil, &entry) != 0 else { break }
      Self.append(key, to: &entry)
      Self.append(variant: value, to: &entry)
      dbus_message_iter_close_container(&array, &entry)
    }
    dbus_message_iter_close_container(&iterator, &array)
    return self
  }

  private static func append(_ text: String, to iterator: inout DBusMessageIter) {
    text.withCString { text in
      var text: UnsafePointer<CChar>? = text
      _ = dbus_message_iter_append_basic(&iterator, ArgumentType.string, &text)
    }
  }

  private static func append(variant value: Value, to iterator: inout DBusMessageIter) {
    var variant = DBusMessageIter()
    let signature =
      switch value {
      case .boolean: "b"
      case .string: "s"
      }
    guard dbus_message_iter_open_container(&iterator, ArgumentType.variant, signature, &variant) != 0 else { return }
    switch value {
    case .boolean(let value):
      var word: dbus_bool_t = value ? 1 : 0
      dbus_message_iter_append_basic(&variant, ArgumentType.boolean, &word)
    case .string(let text):
      append(text, to: &variant)
    }
    dbus_message_iter_close_container(&iterator, &variant)
  }
}
