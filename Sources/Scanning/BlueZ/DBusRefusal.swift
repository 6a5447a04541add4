import CDBus

/// An error that came instead of an answer.
struct DBusRefusal: Error, Hashable {
  /// `org.bluez.Error.NotReady`.
  let name: String
  /// For people; from whoever answered, in any language.
  let text: String

  /// Nobody answered in time.
  static let noReply = DBusRefusal(name: DBUS_ERROR_NO_REPLY, text: "")

  /// The bus keeps what was sent from whom it was for.
  static let accessDenied = DBUS_ERROR_ACCESS_DENIED
  /// Nobody has the name.
  static let nobodyThere: Set = [DBUS_ERROR_SERVICE_UNKNOWN, DBUS_ERROR_NAME_HAS_NO_OWNER]
}
