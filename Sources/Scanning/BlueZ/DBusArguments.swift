import CDBus

/// The arguments of a message, or what an array, a structure, a dictionary's entry or a variant holds, from front to back.
///
/// Whoever is on the bus may send what it likes: a value of another type than asked for is nil. That lengths, nesting and
/// UTF-8 hold has been checked by libdbus when the message came.
struct DBusArguments {
  fileprivate typealias ArgumentType = DBusMessage.ArgumentType

  /// What the iterator points into.
  private let message: DBusMessage
  private var iterator = DBusMessageIter()

  init(_ message: DBusMessage) {
    self.message = message
    // With no arguments it stands at an end.
    dbus_message_iter_init(message.pointer, &iterator)
  }

  private init(_ message: DBusMessage, _ iterator: DBusMessageIter) {
    self.message = message
    self.iterator = iterator
  }

  /// A copy, as C's functions want to be able to write.
  private func withIterator<Result>(_ body: (UnsafeMutablePointer<DBusMessageIter>) -> Result) -> Result {
    var copy = iterator
    return body(&copy)
  }

  private var type: Int32 { withIterator { dbus_message_iter_get_arg_type($0) } }

  /// Goes on to the next value, if any.
  private mutating func advance() {
    dbus_message_iter_next(&iterator)
  }

  /// The arguments from the one behind this on.
  var next: DBusArguments {
    var next = self
    next.advance()
    return next
  }

  private func value<T>(_ type: Int32, _ initial: T) -> T? {
    guard self.type == type else { return nil }
    var value = initial
    withIterator { iterator in
      withUnsafeMutableBytes(of: &value) { dbus_message_iter_get_basic(iterator, $0.baseAddress) }
    }
    return value
  }

  func text() -> String? { text(ArgumentType.string) }
  func objectPath() -> String? { text(ArgumentType.objectPath) }

  private func text(_ type: Int32) -> String? {
    let start: UnsafePointer<CChar>?? = value(type, nil)
    return start.flatMap { $0 }.map { String(cString: $0) }
  }

  func int16() -> Int16? { value(ArgumentType.int16, 0) }
  func uint16() -> UInt16? { value(ArgumentType.uint16, 0) }
  func boolean() -> Bool? { value(ArgumentType.boolean, 0 as dbus_bool_t).map { $0 != 0 } }

  /// An array of octets, at most `most`; nil also where there are more.
  func octets(atMost most: Int) -> [UInt8]? {
    guard type == ArgumentType.array,
      withIterator({ dbus_message_iter_get_element_type($0) }) == ArgumentType.octet
    else { return nil }
    var array = withIterator { iterator in
      var array = DBusMessageIter()
      dbus_message_iter_recurse(iterator, &array)
      return array
    }
    var start: UnsafePointer<UInt8>?
    var count: Int32 = 0
    dbus_message_iter_get_fixed_array(&array, &start, &count)
    guard count >= 0, count <= most else { return nil }
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }

  /// What a variant holds.
  func variant() -> DBusArguments? { inside(ArgumentType.variant) }

  /// The elements of an array; none where this is no array.
  var elements: Elements { Elements(rest: inside(ArgumentType.array)) }

  /// Key and value of an entry of a dictionary, which is an array of such.
  var entry: (key: DBusArguments, value: DBusArguments)? {
    inside(ArgumentType.dictionaryEntry).map { ($0, $0.next) }
  }

  private func inside(_ container: Int32) -> DBusArguments? {
    guard type == container else { return nil }
    return withIterator { iterator in
      var inner = DBusMessageIter()
      dbus_message_iter_recurse(iterator, &inner)
      return DBusArguments(message, inner)
    }
  }

  struct Elements: Sequence, IteratorProtocol {
    fileprivate var rest: DBusArguments?

    mutating func next() -> DBusArguments? {
      guard let element = rest, element.type != ArgumentType.none else { return nil }
      rest?.advance()
      return element
    }
  }
}
