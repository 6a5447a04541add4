# A controller that fails: what of it reaches a raw scanner.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

controller a -e "$beacon"
up 0
start raw hciprobe raw -E -t 30
start none hciprobe raw -N -i 65535 -t 30
await raw.txt EXT
await none.txt FILTER
tell a hwerror 42
await none.txt 'event fd: 06 01 00 03 00 00 00'
check "hardware error: the scanner sees event 0x10" has raw.txt 'event 10: 01 42'
check "device none sees the adapter go down and up" has none.txt 'event fd: 06 01 00 0[34] 00 00 00' 2
usleep 300000
lines=$(grep -c EXT raw.txt)
usleep 300000
check "the scan is gone" [ "$(grep -c EXT raw.txt)" = "$lines" ]
end raw
end none

# The kernel resets after each one, as often as they come.
start events hciprobe mgmt -t 30
await events.txt 'bind.* ok'
for _ in 1 2 3; do
  tell a hwerror 42
  usleep 250000
done
hciprobe raw -E -n 1 >after.txt
check "after a storm of them it scans again" has after.txt EXT
end events

tell a stall rescan
start raw hciprobe raw -E -t 30
await raw.txt 'Scan Enable: Command Complete, status 0x00'
await raw.txt EXT
tell a stall rescan
usleep 200000
lines=$(grep -c EXT raw.txt)
usleep 300000
check "a stall shows nowhere: the reports end, and no more" [ "$(grep -c 'EXT\|event\|read' raw.txt)" = "$lines" ]
end raw
hciprobe raw -E -n 1 >after.txt
check "enabling the scan anew cures the one that this cures" has after.txt EXT

tell a fail 2041 01
tell a fail 2042 01
hciprobe raw -E -t 0.1 >refused.txt
check "extended commands that are refused are answered with their status" \
  has refused.txt 'Scan Enable: Command Complete, status 0x01'
tell a normal all

tell a mute 2042
start mute hciprobe raw -E -t 0.1
await mute.txt 'no answer'
# Before it asks for the end of the scan, and waits again.
kill -9 "$(cat mute.pid)"
check "a command without an answer: nothing on the socket" has mute.txt 'Extended Scan Enable: no answer within 3 s'
dmesg >dmesg.txt
check "and after 2 s a line in the kernel's log" has dmesg.txt 'hci0:.* (tx timeout|command.*timeout)'
tell a normal all
hciprobe ioctl down up >/dev/null
hciprobe raw -E -n 1 >after.txt
check "down and up again, it answers" has after.txt EXT
