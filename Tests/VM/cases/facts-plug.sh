# An adapter that is pulled out and put back.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

hciprobe raw -E -t 0.1 >absent.txt
check "a raw socket of an absent adapter: ENODEV" has absent.txt 'bind.* -> ENODEV'
hciprobe user -t 0.1 >absent.txt
check "the user channel: ENODEV" has absent.txt 'bind.* -> ENODEV'
hciprobe ioctl up info >absent.txt
check "the ioctls: ENODEV" has absent.txt '-> ENODEV' 2

controller a --addr FA:1E:00:00:00:01 -e "$beacon"
hciprobe ioctl up >up.txt
check "a new adapter is up for its set-up: HCIDEVUP says ok or EALREADY" has up.txt 'HCIDEVUP.* -> (ok|EALREADY)'
usleep 2500000
hciprobe ioctl info >info.txt
check "and it stays up, though it would have powered itself off" has info.txt ' up'

start raw hciprobe raw -E -t 30
start none hciprobe raw -N -i 65535 -t 30
start events hciprobe mgmt -t 30 index-list
start extended hciprobe mgmt -t 30 ext-index-list
await raw.txt EXT
await extended.txt 'ext-index-list -> status'
tell a unplug
await raw.txt 'read ->'
check "unplugged: poll says POLLERR" has raw.txt 'poll -> POLLERR'
check "and read EPIPE" has raw.txt 'read -> EPIPE'
usleep 200000
check "once" [ "$(grep -c 'read ->' raw.txt)" = 1 ]
check "device none sees events 0xfd 4 (down) and 2 (gone)" has none.txt 'event fd: 06 01 00 0[42] 00 00 00' 2
check "the management channel sees 0x0005" has events.txt 'event 0x0005 adapter 0'
check "or 0x0021 if it has read the extended list" has extended.txt 'event 0x0021 adapter 0'

tell a plug
await events.txt 'event 0x0004 adapter'
check "plugged in while a dead socket is open, it is another hciN" has events.txt 'event 0x0004 adapter 1'
await extended.txt 'event 0x0020 adapter 1'
check "or 0x0020" has extended.txt 'event 0x0020 adapter 1'
end raw
check "the dead socket's writes: EPIPE" has raw.txt 'write .* -> EPIPE'
tell a unplug
await events.txt 'event 0x0005 adapter 1'
tell a plug
await events.txt 'event 0x0004 adapter 0'
check "with that socket closed it is hci0 again" has events.txt 'event 0x0004 adapter 0'
tell a unplug
usleep 200000
start moved hciprobe mgmt -t 30
await moved.txt 'bind.* ok'
tell a plug elsewhere
check "an adapter may come back as another hciN at any time" await moved.txt 'event 0x0004 adapter 1'
check "and nothing is heard of who took its place meanwhile" has_no moved.txt 'adapter 0'
up 1
hciprobe raw -i 1 -E -n 1 >back.txt
check "where it scans" has back.txt 'EXT event=10 C0:00:00:00:00:01'

bluetoothd-up
(sleep 1) | btmgmt --index 1 info >info.txt 2>&1
check "it is known by its address" has info.txt 'addr FA:1E:00:00:00:01'
dbus-monitor --system "type='signal',sender='org.bluez'" >dbus.txt 2>&1 &
usleep 300000
tell a unplug
await dbus.txt 'InterfacesRemoved'
check "D-Bus tells of the unplugging" has dbus.txt 'object path "/org/bluez/hci1"'
tell a plug
await dbus.txt 'InterfacesAdded'
check "and of the adapter that is back" has dbus.txt 'object path "/org/bluez/hci0"'
