# Who may not, or has nothing to hear with: one line that says what to do, and the right exit code or a patient wait.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

# FILE CODE COMMAND...: runs it to its end.
ends() {
  ends_file=$1 ends_code=$2
  shift 2
  timeout 8 "$@" >"$ends_file" 2>&1
  code=$?
  [ $code = "$ends_code" ] || { echo "exit code $code"; cat "$ends_file"; return 1; }
}

chmod 777 .
configure "$@"
check "no capability and no bluetoothd: code 77" ends no.txt 77 as none beacond run --config beacond.yaml
check "with the command that grants it" has no.txt 'CAP_NET_RAW.*setcap'
check "one line" [ "$(wc -l <no.txt)" = 1 ]
check "no adapter, and one is required: code 69" ends gone.txt 69 beacond run --config beacond.yaml --require-adapter
check "in one line that says what to do" has gone.txt 'no Bluetooth adapter is there; plug one in'

start run beacond run --config beacond.yaml --stdout --format text
await run.txt 'bluetooth: restricted, no Bluetooth adapter' 5
check "no adapter: it waits, and says so" has run.txt 'restricted, no Bluetooth adapter is there; plug one in'
controller a -e "$beacon"
await run.txt '/1/2 entered' 10
check "until there is one" has run.txt 'bluetooth: authorizedAlways'
rfkill block bluetooth
await run.txt 'restricted, blocked by rfkill' 5
check "rfkill restricts it" has run.txt "restricted, blocked by rfkill; 'rfkill unblock bluetooth'"
rfkill unblock bluetooth
await run.txt 'scanning again' 10
end run
rm -rf events

configure 'bluetooth: {unblock-rfkill: true}'
rfkill block bluetooth
start run beacond run --config beacond.yaml --stdout --format text
await run.txt '/1/2 entered' 10
check "unblock-rfkill lifts a block" has run.txt 'lifting the block'
end run
rm -rf events

configure 'bluetooth: {power-on: false}'
hciprobe ioctl down >/dev/null
start run beacond run --config beacond.yaml --stdout --format text
await run.txt 'stopped, powered off' 5
check "power-on: false leaves an adapter off, and says so" has run.txt 'powered off; .*bluetooth.power-on'
up 0
await run.txt '/1/2 entered' 10
check "and goes on when somebody powers it on" has run.txt '/1/2 entered'
end run
rm -rf events

configure "$@"
start run as +net_raw beacond run --config beacond.yaml --stdout --format text
await run.txt '/1/2 entered' 10
await run.txt 'scanning with' 5
check "with CAP_NET_RAW alone it scans with commands of its own" has run.txt 'scanning with extended commands'
mark
hciprobe ioctl down >/dev/null
says "and cannot power on" "stopped, powered off; 'bluetoothctl power on', or give CAP_NET_ADMIN"
up 0
says "but goes on" 'scanning, scanning again'
end run
rm -rf events

configure 'bluetooth: {exclusive: true}'
hciprobe ioctl up >/dev/null
start run beacond run --config beacond.yaml --stdout --format text
await run.txt '/1/2 entered' 10
await run.txt 'scanning with' 5
check "the user channel" has run.txt 'scanning with extended commands'
tell a stall rescan
sleep 8
mark
says "after a stall it delivers" '1 beacon: .*/1/2 (near|far|imm)' 5
check "and nobody has left" has_no run.txt ' left '
end run
check "at the end the adapter is the kernel's again" [ -e /sys/class/bluetooth/hci0 ]
rm -rf events

configure "$@"
bluetoothd-up
start run as none beacond run --config beacond.yaml --stdout --format text
await run.txt '/1/2 entered' 15
check "without capabilities, but with bluetoothd: through it" has run.txt 'degraded'
check "which powers the adapter on" has run.txt '/1/2 entered'
end run
