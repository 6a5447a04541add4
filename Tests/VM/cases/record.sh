# A run that records itself, and a recording made beside it: what of these minutes is in the log is what a replay says.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

# FILE: the lines of a log without what one more of the same has of its own.
same() { sed -E 's/"seq":[0-9]+,//; s/"gateway":"[^"]*",//' "$1"; }

# PATTERN: how many lines of the log have it.
counted() { cat events/*.jsonl | grep -cE -- "$1"; }

# FILE: who entered and who left, in the order of names.
moves() {
  grep -E '"event":"did(Enter|Exit)".*"scope":"beacon"' "$1" |
    sed -E 's/.*"event":"(did[A-Za-z]*)".*"(minor|instance|id|url|eid)":"?([^",]*).*/\3 \1/' | sort
}

bluetoothd-up
# Their levels go from -40 to -90 dBm and back.
cat >air.fc <<'END'
beacon ibeacon addr=C0:00:00:00:00:01 every=100ms jitter=10ms rssi=-40..-90/20s data=ibeacon:11223344-5566-7788-99aa-bbccddeeff00,1,2,-59
beacon uid addr=C0:00:00:00:00:02 every=200ms rssi=-40..-90/23s data=uid:-20,00010203040506070809,0a0b0c0d0e0f
beacon tlm addr=C0:00:00:00:00:02 every=1s rssi=-70 data=tlm:3012,21.5,4711,86400
beacon url addr=C0:00:00:00:00:03 every=250ms rssi=-40..-90/17s data=url:-22,036578616d706c6507
beacon eid addr=C0:00:00:00:00:04 every=250ms rssi=-40..-90/19s data=0201060303aafe0d16aafe30ec0102030405060708
beacon altbeacon addr=C0:00:00:00:00:05 every=150ms rssi=-40..-90/21s data=altbeacon:0x0118,000102030405060708090a0b0c0d0e0f10111213,-59,1
beacon stranger addr=D0:00:00:00:00:09 every=200ms rssi=-70 data=020106
END
configure "$@"
controller a --addr FA:1E:00:00:00:01
controller b --legacy --addr FA:1E:00:00:00:02
while read -r line; do tell a "$line"; tell b "$line"; done <air.fc
start run beacond run --config beacond.yaml --record run.btsnoop --stdout --format text
await run.txt '/1/2 entered' 15
sleep 3
# Before somebody else enables the scan anew as well.
tell a stall rescan
tell b stall rescan
sleep 12
start beside beacond record --config beacond.yaml beside.btsnoop
await beside.txt ':02: scanning' 15
await beside.txt ':01: scanning' 15
tell a 'beacon v addr=C0:00:00:00:00:06 every=100ms rssi=-58 data=ibeacon:11223344-5566-7788-99aa-bbccddeeff00,5,5,-59'
sleep 8
tell a stop v
tell a stall rescan
tell b stall rescan
sleep 12
await run.txt '/5/5 left' 20
tell a unplug
sleep 2
tell a plug elsewhere
hciprobe ioctl -i 1 down >/dev/null
sleep 3
rfkill block bluetooth
sleep 2
rfkill unblock bluetooth
sleep 10
# The wall clock is set, a second time by less than a second.
date -s "@$(($(date +%s) + 3600))" >/dev/null
sleep 3
date -s "@$(($(date +%s) - 600))" >/dev/null
sleep 3
# One leaves while the run ends.
tell b stop all
tell a stop all
sleep 4
end run
end beside
check 'the run says what it recorded' has run.txt 'recorded [0-9]{3,} packets$'

beacond replay --quiet --config beacond.yaml --format json run.btsnoop >replay.jsonl 2>replay.txt
check 'the recording is replayed without a word' [ ! -s replay.txt ]
cat events/*.jsonl >log.jsonl
same log.jsonl >log.same
same replay.jsonl >replay.same
check 'a replay of it says what the log has, octet for octet' cmp log.same replay.same
check 'there are hundreds of lists' [ "$(counted didRange)" -gt 150 ]
check 'six beacons entered' [ "$(counted '"didEnter".*"scope":"beacon"')" = 6 ]
check 'and only the visitor left' [ "$(counted '"didExit".*"scope":"beacon"')" = 1 ]
check 'adapters stopped and went on' [ "$(counted '"scannerDidChange"')" -ge 8 ]
check 'nobody could be watched meanwhile' [ "$(counted '"monitoringDidFail"')" -ge 1 ]
check 'Bluetooth was restricted meanwhile' [ "$(counted '"didChangeAuthorization".*restricted')" -ge 1 ]
check 'every line says that nobody keeps the clock right' [ "$(counted '"clock":"unsynchronized"')" = "$(wc -l <log.jsonl)" ]

beacond replay --quiet --config beacond.yaml --format json beside.btsnoop >beside.jsonl
moves log.jsonl >log.moves
moves beside.jsonl >beside.moves
check 'seven moves are to be found there, too' [ "$(wc -l <log.moves)" = 7 ]
check 'in the recording made beside, the same have entered and left' cmp log.moves beside.moves

beacond decode --beacons --format text run.btsnoop >decoded.txt
for kind in ibeacon 'eddystone-uid|uid' 'eddystone-url|url' 'eddystone-tlm|tlm' 'eddystone-eid|eid' altbeacon; do
  check "decode finds $kind" grep -qiE "$kind" decoded.txt
done
btmon -r run.btsnoop >btmon.txt 2>&1
check 'btmon shows the adapters' has btmon.txt 'New Index: FA:1E:00:00:00:0[12]' 2
check 'btmon shows the notes' has btmon.txt 'beacond: scanner scanning fa:1e:00:00:00:01'
check 'among them the answer to a request for proof' has btmon.txt 'beacond: proof'
check 'btmon shows the reports' has btmon.txt 'LE (Extended )?Advertising Report' 100
