import CDBus
import Linux

/// A connection of our own to the system bus, for one thread, which polls its descriptor.
final class DBusConnection {
  private let pointer: OpaquePointer

  /// Where the system bus is. Source: D-Bus Specification, "Well-known Message Bus Instances".
  ///
  /// Not by libdbus, which looks once in a process' life.
  static var systemAddress: String {
    Host.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
  }

  /// Connects, without a word to the bus: `Hello` must be the first message.
  init(_ address: String) throws(DBusRefusal) {
    var error = DBusError()
    dbus_error_init(&error)
    guard let pointer = dbus_connection_open_private(address, &error) else { throw Self.refusal(&error) }
    dbus_connection_set_exit_on_disconnect(pointer, 0)
    self.pointer = pointer
  }

  deinit {
    dbus_connection_close(pointer)
    // Also what is still queued goes.
    dbus_connection_unref(pointer)
  }

  private static func refusal(_ error: inout DBusError) -> DBusRefusal {
    defer { dbus_error_free(&error) }
    return DBusRefusal(
      name: error.name.map { String(cString: $0) } ?? "", text: error.message.map { String(cString: $0) } ?? "")
  }

  /// The number to poll for reading; -1 where there is none.
  var descriptor: Int32 {
    var number: Int32 = -1
    return dbus_connection_get_unix_fd(pointer, &number) != 0 ? number : -1
  }

  var isConnected: Bool { dbus_connection_get_is_connected(pointer) != 0 }

  /// Messages wait for room in the socket, which is not polled for.
  var hasUnsent: Bool { dbus_connection_has_messages_to_send(pointer) != 0 }

  /// Queues a call; gives the serial that its answer will name, nil when memory is short.
  @discardableResult
  func send(_ call: DBusMessage?) -> UInt32? {
    guard let call else { return nil }
    var serial: UInt32 = 0
    return dbus_connection_send(pointer, call.pointer, &serial) != 0 ? serial : nil
  }

  /// Calls, and waits for the answer.
  func ask(_ call: DBusMessage?, milliseconds: Int32) throws(DBusRefusal) -> DBusMessage {
    guard let call else { throw .noReply }
    var error = DBusError()
    dbus_error_init(&error)
    guard let reply = dbus_connection_send_with_reply_and_block(pointer, call.pointer, milliseconds, &error) else {
      throw Self.refusal(&error)
    }
    return DBusMessage(reply)
  }

  /// Writes and reads what can be at once, or within a time. libdbus reads a few kilobytes a call.
  func exchange(milliseconds: Int32 = 0) {
    dbus_connection_read_write(pointer, milliseconds)
  }

  /// The next message that was read.
  func next() -> DBusMessage? { dbus_connection_pop_message(pointer).map { DBusMessage($0) } }
}
