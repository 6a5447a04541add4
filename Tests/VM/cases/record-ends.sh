# `record` and `beacons live` as a person calls them: how they end, and what they leave out.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

# FILE: it is whole, and not empty.
is_whole() { beacond decode --format tsv "$1" >decoded.txt 2>decode.err && [ ! -s decode.err ] && [ -s decoded.txt ]; }

# FILE MOST: its size in octets is at most that.
is_at_most() { [ "$(wc -c <"$1")" -le "$2" ]; }

# CODE COMMAND...: ends with the exit code.
ends_with() {
  wanted=$1
  shift
  "$@"
  got=$?
  [ $got = "$wanted" ] || { echo "exit code $got"; return 1; }
}

check 'without an adapter it ends with 69' ends_with 69 beacond record none.btsnoop
check 'and makes no file' [ ! -e none.btsnoop ]
check 'so does beacons live' ends_with 69 beacond beacons live

controller a --addr FA:1E:00:00:00:01 \
  -e 'beacon x addr=C0:00:00:00:00:01 every=50ms rssi=-60 data=ibeacon:11223344-5566-7788-99aa-bbccddeeff00,1,1,-59' \
  -e 'beacon s addr=D0:00:00:00:00:09 every=50ms rssi=-70 data=020106'

check 'it ends after a time' ends_with 0 beacond record --for 2s time.btsnoop
check 'the recording is whole' is_whole time.btsnoop
check 'strangers are in it' has decoded.txt 'd0:00:00:00:00:09' 10
check 'a file that is there is not touched' ends_with 73 beacond record --for 1s time.btsnoop
check 'it is replaced when that is asked for' ends_with 0 beacond record --for 1s --force time.btsnoop

check 'it ends before a size' ends_with 0 beacond record --max-size 5KB size.btsnoop
check 'which it keeps' is_at_most size.btsnoop 5000
check 'and the recording is whole' is_whole size.btsnoop

start interrupted beacond record interrupted.btsnoop
sleep 3
kill -INT "$(cat interrupted.pid)"
wait "$(cat interrupted.pid)"
check 'it ends at Ctrl-C in order' [ $? = 0 ]
check 'and says how much there is' has interrupted.txt '[0-9]+ packets in interrupted.btsnoop'
check 'the recording is whole, too' is_whole interrupted.btsnoop

check 'strangers are left out' ends_with 0 beacond record --beacons-only --for 3s beacons.btsnoop
check 'the recording is whole then' is_whole beacons.btsnoop
check 'the beacon is in it' has decoded.txt 'c0:00:00:00:00:01' 10
check 'and no stranger' has_no decoded.txt 'd0:00:00:00:00:09'

beacond record --for 2s - 2>/dev/null | beacond decode --format tsv - >piped.txt
check 'it goes through a pipe' has piped.txt 'c0:00:00:00:00:01' 10
check 'form 1002 is the packets alone' ends_with 0 beacond record --for 2s --format h4 h4.btsnoop
check 'and is whole' is_whole h4.btsnoop
check 'its datalink is 1002' [ "$(hexdump -s 12 -n 4 -e '4/1 "%02x"' h4.btsnoop)" = 000003ea ]

check 'beacons live lists who is there' ends_with 0 beacond beacons live --for 3s
cp check.out live.txt
check 'with its name' has live.txt '11223344-5566-7788-99aa-bbccddeeff00'
check 'as a configuration, too' ends_with 0 beacond beacons live --yaml --for 2s
check 'a full disk ends it with 74' ends_with 74 beacond record --for 5s /dev/full
check 'and no scan is left behind' has a.log 'cmd 2042 .* 000000000000$'

# Through bluetoothd, which anybody may.
bluetoothd-up
check 'through bluetoothd it records as well' ends_with 0 beacond record --source bluez --for 4s bluez.btsnoop
check 'what that tells' is_whole bluez.btsnoop
check 'the beacon with it' has decoded.txt 'c0:00:00:00:00:01'
btmon -r bluez.btsnoop >btmon.txt 2>&1
check 'and what the adapter is' has btmon.txt 'New Index: FA:1E:00:00:00:01'
