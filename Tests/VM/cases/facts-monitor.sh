# The kernel scans, for a monitor of patterns that was added over the management channel; a raw socket listens.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

# One pattern: AD type 0xff, offset 0, 4 octets of 31.
monitor=add-adv-monitor=01ff00044c000215$(printf '%054d' 0)
other='beacon b addr=C0:00:00:00:00:02 every=100ms rssi=-70 data=uid:-20,00010203040506070809,0a0b0c0d0e0f'
report='EXT event=10 C0:00:00:00:00:01/random rssi=-55'

# What a raw listener hears from now on.
hears() {
  hciprobe raw -N -n 3 -t 3 >heard.txt
  has heard.txt "$1" 2
}

controller a -e "$beacon" -e "$other"
up 0
hciprobe mgmt -t 0 adv-monitor-features "$monitor" >add.txt
check "the controller offloads nothing (supported features 0)" \
  has add.txt 'adv-monitor-features -> status 0x00, values 00 00 00 00'
check "a monitor is added with bluetoothd stopped" has add.txt 'add-adv-monitor -> status 0x00, values 01 00'
await a.log 'cmd 2042 .* 0100'
check "the kernel scans passively, 30 ms in 60 ms" has a.log 'cmd 2041 .* 0000010060003000$'
check "and filters no duplicates" has a.log 'cmd 2042 .* 010000000000$'
check "the raw listener hears it" hears "$report"
hciprobe mgmt -t 0.5 >events.txt
check "the management channel has each report with its level" \
  has events.txt 'event 0x002f adapter 0: 00 00 01 00 00 00 00 c0 02 c9' 2
check "those too that match no pattern" has events.txt 'event 0x002f adapter 0: 00 00 02 00 00 00 00 c0 02 ba'

start events hciprobe mgmt -t 60
start listener hciprobe raw -N -q -t 60
bluetoothd-up
await events.txt 'event 0x002c adapter 0: 00 00'
check "bluetoothd removes all monitors at its start: event 0x002c, handle 0" \
  has events.txt 'event 0x002c adapter 0: 00 00$'
await a.log 'cmd 2042 .* 000000000000$'
hciprobe raw -N -t 0.5 >silent.txt
check "then there is silence" has silent.txt 'summary reports=0'

hciprobe mgmt -t 0 "$monitor" >add.txt
check "it is added again beside an idle bluetoothd" has add.txt 'add-adv-monitor -> status 0x00'
check "and the raw listener hears" hears "$report"

tell a stop all
start numbers hciprobe raw -N -q -F -t 30
tell a "flood 60 rate=20 addr=C0:00:00:00:00:01 rssi=-55 $ibeacon"
usleep 500000
discovery_start
usleep 500000
discovery_stop
await a.log 'flood sent'
usleep 200000
end numbers
check "a discovery over D-Bus that comes and goes takes at most a tenth of the reports" \
  [ "$(number numbers.txt reports)" -ge 54 ]
tell a "$beacon"
check "and afterwards the scan goes on" hears "$report"

bluetoothd-down
await events.txt 'event 0x0006'
hciprobe ioctl info >info.txt
check "bluetoothd's end takes the adapter down" has info.txt ' down'
up 0
check "the monitor outlives that: up again, the kernel scans" hears "$report"

end listener
hciprobe mgmt -t 0 remove-adv-monitor=0000 >remove.txt
check "handle 0 removes all" has remove.txt 'remove-adv-monitor -> status 0x00'
hciprobe mgmt -t 0 "$monitor" >add.txt
tell a unplug
await a.log 'unplug'
tell a plug
await a.log ' plug.* plug|plug hci0' && up 0
hciprobe raw -N -t 0.4 >silent.txt
check "an adapter that was unplugged has no monitor when it is back" has silent.txt 'summary reports=0'
