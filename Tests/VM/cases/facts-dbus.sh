# Discovery over D-Bus: what it asks of the controller, and what it does to a raw scanner and a raw scanner to it.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

# Lines of the controller's log about scans, from here on.
mark() { wc -l <a.log >mark; }
scans() { tail -n +"$(($(cat mark) + 1))" a.log | grep -E 'cmd (2041|2042|200b|200c)' >scans.txt; }

controller a -e "$beacon"
bluetoothd-up
bluetoothctl power on >power.txt
await a.log 'cmd 2001'
start raw hciprobe raw -E -t 30
await raw.txt EXT
mark
discovery_start
usleep 300000
scans
check "discovery replaces a raw scanner's parameters: active, with the duplicate filter on" \
  has scans.txt 'cmd 2042 .* 010100000000$'
check "although the client asked for duplicates" has bluetoothctl.txt 'SetDiscoveryFilter success'
check "the raw scanner sees answers to commands that it did not send" has raw.txt 'event 0e: 04 01 41 20 00'
discovery_stop
await a.log 'cmd 2042 .* 000000000000$'
usleep 300000
lines=$(grep -c EXT raw.txt)
usleep 300000
check "its end leaves the scan off" [ "$(grep -c EXT raw.txt)" = "$lines" ]
end raw

tell bluetoothctl 'scan on'
await bluetoothctl.txt 'Discovery started' 5
usleep 500000
hciprobe raw -E -t 0.3 >raw.txt
mark
check "a raw scanner may take its scan away" has a.log 'cmd 2042 .* 000000000000$'
usleep 1500000
scans
check "within 1.5 s it does not come back" [ ! -s scans.txt ]
dbus-send --system --print-reply --dest=org.bluez /org/bluez/hci0 org.freedesktop.DBus.Properties.Get \
  string:org.bluez.Adapter1 string:Discovering >discovering.txt 2>&1
check "though D-Bus says that it discovers" has discovering.txt 'boolean true'
