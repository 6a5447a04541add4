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
    static let structure = Int32(UInt8(ascii: "r"))
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

  /// An answer to this call; nil when memory is short.
  func reply() -> DBusMessage? { dbus_message_new_method_return(pointer).map { DBusMessage($0) } }

  // MARK: What came

  var isCall: Bool { dbus_message_get_type(pointer) == DBUS_MESSAGE_TYPE_METHOD_CALL }
  var wantsReply: Bool { dbus_message_get_no_reply(pointer) == 0 }

  func isCall(_ method: String, of interface: String) -> Bool {
    dbus_message_is_method_call(pointer, interface, method) != 0
  }

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
  func append(_ text: String) -> Self { append { $0.put(text) } }

  /// Appends an object path.
  func append(path: String) -> Self { append { $0.put(path: path) } }

  /// Appends what `body` puts.
  func append(_ body: (DBusBuilder) -> Void) -> Self {
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(pointer, &iterator)
    withUnsafeMutablePointer(to: &iterator) { body(DBusBuilder($0)) }
    return self
  }
}
