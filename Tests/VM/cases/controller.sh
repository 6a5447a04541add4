# The fake controller itself: what a script says is what is received, and beacond reads it.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

fakectl --check /vm/cases/hostile.fc 2>hostile.txt
check "every line of hostile.fc is refused" [ "$(wc -l <hostile.txt)" = "$(wc -l </vm/cases/hostile.fc)" ]

controller a --addr FA:1E:00:00:00:01 /vm/cases/beacons.fc
controller b --addr FA:1E:00:00:00:02 --legacy -e 'beacon x addr=C0:00:00:00:00:09 every=100ms rssi=-66 data=020106'
up 0
up 1
btmon -w capture.btsnoop >/dev/null 2>&1 &
# It is there once it has recorded both adapters.
until [ "$(stat -c %s capture.btsnoop 2>/dev/null || echo 0)" -gt 200 ]; do
  usleep 50000
done
start second hciprobe raw -i 1 -t 2.2
hciprobe raw -E -a -t 2.2 >first.txt
check "two adapters at once: the first hears its own" has first.txt \
  'EXT event=10 C0:00:00:00:00:01/random rssi=-(5[6-9]|6[0-2]) length=30 0201061aff4c0002151122334455667788' 5
check "and not the other's" has_no first.txt C0:00:00:00:00:09
check "the second its own, by legacy commands" has second.txt \
  'ADV event=03 C0:00:00:00:00:09/random rssi=-66 length=3 020106' 5
check "a scan response for an active scan" has first.txt \
  'EXT event=1b C0:00:00:00:00:05/random rssi=-75 length=5 0409626c65'
check "a ramp falls" has first.txt 'C0:00:00:00:00:06/random rssi=-4[0-9]'
check "to its end" has first.txt 'C0:00:00:00:00:06/random rssi=-(8[5-9]|90)'
check "an extended advertisement in two fragments" has first.txt \
  'EXT event=20 D0:00:00:00:00:07/random rssi=-71 length=229'
check "the second of them" has first.txt \
  'EXT event=00 D0:00:00:00:00:07/random rssi=-71 length=21'
wait "$(cat second.pid)"
usleep 300000
killall btmon
beacond beacons capture.btsnoop >beacons.txt
check "beacond reads the capture: iBeacon" has beacons.txt '11223344-5566-7788-99aa-bbccddeeff00'
check "Eddystone-UID" has beacons.txt '00010203040506070809'
check "Eddystone-URL" has beacons.txt 'https://example\.com'
check "AltBeacon" has beacons.txt '000102030405060708090a0b0c0d0e0f10111213'
beacond decode capture.btsnoop >decode.txt
check "as many reports as the sockets heard, or more" \
  [ "$(grep -ci 'C0:00:00:00:00:01' decode.txt)" -ge "$(grep -c 'C0:00:00:00:00:01' first.txt)" ]
end a
end b

controller c
up 0
sed -n 's/.*C0:00:00:00:00:06.*\(rssi=[-0-9]*\).*/\1/p' first.txt >sent.txt
start again hciprobe raw -E -t 30
await again.txt 'Scan Enable: Command Complete'
tell c replay "$PWD/capture.btsnoop" speed=0
await c.log 'replay done'
usleep 200000
end again
# The capture has what came after the first listener's end, too.
sed -n 's/.*C0:00:00:00:00:06.*\(rssi=[-0-9]*\).*/\1/p' again.txt | head -n "$(wc -l <sent.txt)" >heard.txt
check "a replay has the same levels in the same order" cmp sent.txt heard.txt

tell c "beacon a addr=C0:00:00:00:00:01 every=20ms $ibeacon"
start raw hciprobe raw -E -t 30
await raw.txt EXT
tell c stall 500ms
usleep 100000
lines=$(grep -c EXT raw.txt)
usleep 200000
check "a stall of 500 ms: silence" [ "$(grep -c EXT raw.txt)" = "$lines" ]
usleep 400000
check "and its end" [ "$(grep -c EXT raw.txt)" -gt $((lines + 3)) ]
tell c hwerror
wait "$(cat c.pid)"
check "a bad line ends the controller with its place" has c.out 'fakectl: stdin:[0-9]*: .*hwerror'
