#!/usr/bin/python3
"""usage: bluetoothd.py ADDRESS

A bluetoothd that does as a test says, on the bus at ADDRESS. Each line on standard input is a line of Python over the
functions below; what others ask of it is a line on standard output. It needs Debian's python3-dbus and python3-gi.
"""
import os
import sys
import traceback

import dbus
import dbus.bus
import dbus.lowlevel
import dbus.mainloop.glib
from dbus import Array, Boolean, Byte, Dictionary, Int16, Int32, ObjectPath, String, UInt16  # noqa: F401 (for the tests)
from gi.repository import GLib

ADAPTER, DEVICE, AGENT = "org.bluez.Adapter1", "org.bluez.Device1", "org.bluez.AgentManager1"
PROPERTIES, OBJECTS = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"

bus = None
objects = {"/org/bluez": {AGENT: {}}}
refusals = {}
rest = b""
client = None
ignored = set()
discovering = {}
filters = {}


def say(text):
    print(text, flush=True)


def variants(properties):
    return Dictionary(properties, signature="sv")


def octets(text):
    return Array([Byte(b) for b in bytes.fromhex(text)], signature="y")


def signal(path, interface, member, signature, *arguments, destination=None):
    message = dbus.lowlevel.SignalMessage(path, interface, member)
    message.append(*arguments, signature=signature)
    if destination:
        message.set_destination(destination)
    bus.send_message(message)


def changed(path, interface, properties, gone=()):
    objects.get(path, {}).setdefault(interface, {}).update(properties)
    for name in gone:
        objects[path][interface].pop(name, None)
    signal(path, PROPERTIES, "PropertiesChanged", "sa{sv}as", interface, variants(properties), list(gone))


def add(path, interface, properties):
    objects[path] = {interface: dict(properties)}
    if bus:
        signal(path, OBJECTS, "InterfacesAdded", "oa{sa{sv}}", ObjectPath(path), {interface: variants(properties)})


def remove(path):
    for below in [other for other in objects if other == path or other.startswith(path + "/")]:
        signal("/", OBJECTS, "InterfacesRemoved", "oas", ObjectPath(below), list(objects.pop(below)))
    discovering.pop(path, None)


def adapter(name, address, powered=True):
    add("/org/bluez/" + name, ADAPTER, {
        "Address": String(address), "Powered": Boolean(powered), "Discovering": Boolean(False)})


def path_of(adapter_name, address):
    return "/org/bluez/%s/dev_%s" % (adapter_name, address.replace(":", "_"))


def device(adapter_name, address, **properties):
    """A device that bluetoothd did not know."""
    add(path_of(adapter_name, address), DEVICE, {
        "Address": String(address), "AddressType": String("random"), **properties})


def heard(adapter_name, address, gone=(), **properties):
    """A device that it knows."""
    changed(path_of(adapter_name, address), DEVICE, properties, gone)


def manufacturer(**companies):
    """Of `c004c="0215..."`: a company's number in hex, its octets in hex."""
    return Dictionary({UInt16(int(k[1:], 16)): octets(v) for k, v in companies.items()}, signature="qv")


def service(uuid, text):
    return Dictionary({String(uuid): octets(text)}, signature="sv")


def refuse(method, name=None, text=""):
    """Answers a method with an error from now on; without one, does as it is asked."""
    refusals[method] = (name, text)


def ignore(method):
    """Does not answer a method any more."""
    ignored.add(method)


def others(name, count):
    """How many other clients discover."""
    discovering.setdefault("/org/bluez/" + name, set()).update("other%d" % n for n in range(count))


def come():
    global bus
    bus = dbus.bus.BusConnection(sys.argv[1])
    bus.set_exit_on_disconnect(False)
    bus.add_message_filter(answer)
    bus.request_name("org.bluez", 4)
    say("there")


def leave(in_order=False):
    global bus
    kept = dict(objects)
    for path in [path for path, interfaces in objects.items() if in_order and ADAPTER in interfaces]:
        remove(path)
    objects.update(kept)
    bus.flush()
    bus.close()
    bus = None
    discovering.clear()
    filters.clear()
    for path in [path for path in objects if "/dev_" in path]:
        del objects[path]
    say("gone")


def others_signal(path, interface, member, signature, *arguments):
    """A signal of somebody who is not bluetoothd, to whoever asked it last: what is for one is held against no match."""
    global bus
    own, bus = bus, dbus.bus.BusConnection(sys.argv[1])
    bus.set_exit_on_disconnect(False)
    signal(path, interface, member, signature, *arguments, destination=client)
    bus.flush()
    bus = own


def answer(_, message):
    global client
    if message.get_type() != dbus.lowlevel.MESSAGE_TYPE_METHOD_CALL:
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
    client = message.get_sender()
    method, path, arguments = message.get_member(), message.get_path(), message.get_args_list()
    say(" ".join([method, path] + [str(dict(a) if isinstance(a, dict) else a) for a in arguments]))
    if method in ignored:
        return dbus.lowlevel.HANDLER_RESULT_HANDLED
    name, text = refusals.get(method, (None, ""))
    if name is None and path not in objects and path != "/":
        name, text = "org.freedesktop.DBus.Error.UnknownObject", "no such object"
    if name:
        bus.send_message(dbus.lowlevel.ErrorMessage(message, name, text))
        return dbus.lowlevel.HANDLER_RESULT_HANDLED
    reply = dbus.lowlevel.MethodReturnMessage(message)
    refused = carry_out(method, path, arguments, message.get_sender(), reply)
    bus.send_message(dbus.lowlevel.ErrorMessage(message, refused, "") if refused else reply)
    return dbus.lowlevel.HANDLER_RESULT_HANDLED


def carry_out(method, path, arguments, client, reply):
    """Fills the reply; gives the name of an error instead."""
    if method == "GetManagedObjects":
        listed = {p: {i: variants(v) for i, v in interfaces.items()} for p, interfaces in objects.items()}
        reply.append(Dictionary(listed, signature="oa{sa{sv}}"), signature="a{oa{sa{sv}}}")
    elif method == "GetAll":
        reply.append(variants(objects[path][arguments[0]]), signature="a{sv}")
    elif method == "Get":
        reply.append(objects[path][arguments[0]][arguments[1]], signature="v")
    elif method == "Set":
        changed(path, arguments[0], {arguments[1]: arguments[2]})
    elif method == "SetDiscoveryFilter":
        filters[client] = arguments[0]
    elif method == "StartDiscovery":
        clients = discovering.setdefault(path, set())
        if not objects[path][ADAPTER]["Powered"]:
            return "org.bluez.Error.NotReady"
        if client in clients:
            return "org.bluez.Error.InProgress"
        clients.add(client)
        changed(path, ADAPTER, {"Discovering": Boolean(True)})
    elif method == "StopDiscovery":
        clients = discovering.setdefault(path, set())
        if client not in clients:
            return "org.bluez.Error.Failed"
        clients.remove(client)
        if not clients:
            changed(path, ADAPTER, {"Discovering": Boolean(False)})
    return None


def obey(source, _):
    global rest
    chunk = os.read(source, 65536)
    if not chunk:
        os._exit(0)
    *lines, rest = (rest + chunk).split(b"\n")
    for line in lines:
        try:
            exec(line, globals())
        except Exception:
            # A mistake of the test's: it must not wait for what does not come.
            traceback.print_exc()
            os._exit(1)
        if bus:
            bus.flush()
    return True


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN | GLib.IO_HUP, obey)
say("ready")
GLib.MainLoop().run()
