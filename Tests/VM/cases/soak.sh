# The daemon while a random fault befalls its adapter or its neighbours every 12 s, and a visitor comes and goes every
# minute: it scans at the end, its memory is as it was, and the log has each visit and nothing else.
#
# SOAK_SEED and SOAK_MINUTES (1 and 2) are set by `scripts/vm-test --soak SEED MINUTES`.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

seed=${SOAK_SEED:-1}
minutes=${SOAK_MINUTES:-2}

# N: a number below N. Source: the generator of POSIX's rand, which every machine has the same.
state=$seed
random() {
  state=$(((state * 1103515245 + 12345) & 0x7fffffff))
  drawn=$((state / 65536 % $1))
}

memory() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$(cat run.pid)/status"; }

fault() {
  random 10
  case $drawn in
    0) tell a unplug; sleep 2; tell a plug ;;
    1) tell a stall rescan ;;
    2) tell a mute all; tell a stall rescan; sleep 4; tell a normal all ;;
    3) tell a hwerror 42 ;;
    4) rfkill block bluetooth; sleep 2; rfkill unblock bluetooth ;;
    5) hciprobe ioctl down >/dev/null ;;
    6) hciprobe raw -E -t 0.5 >/dev/null ;;
    7) bluetoothd-down; bluetoothd-up ;;
    8) timeout 3 bluetoothctl scan on >/dev/null 2>&1 ;;
    9) tell a fail 2042 0c; sleep 3; tell a normal 2042 ;;
  esac
  echo "$drawn" >>faults.txt
}

configure "$@"
bluetoothd-up
controller a -e 'beacon x addr=C0:00:00:00:00:01 every=100ms rssi=-60 data=ibeacon:11223344-5566-7788-99aa-bbccddeeff00,1,1,-59'
start run beacond run --config beacond.yaml --stdout --format text
await run.txt '/1/1 entered' 15
sleep 5
before=$(memory)
visits=0
while [ $visits -lt "$minutes" ]; do
  visits=$((visits + 1))
  tell a 'beacon v addr=C0:00:00:00:00:05 every=100ms rssi=-58 data=ibeacon:11223344-5566-7788-99aa-bbccddeeff00,5,5,-59'
  for _ in 1 2; do
    fault
    sleep 12
  done
  tell a stop v
  for _ in 1 2; do
    fault
    sleep 12
  done
  sleep 6
done
delivered() { since | grep -qE 'hall: [12] beacons?:.*/1/1 (near|far|imm)'; }
mark
left=200
until delivered || [ $left = 0 ]; do
  left=$((left - 1))
  usleep 100000
done
check "it scans at the end" delivered
after=$(memory)
end run
check "it ends in order" has run.txt 'ended after event'
beacond events --folder events --event didEnter,didExit --format text >events.txt
check "the one that stays enters once" [ "$(grep -c '/1/1 entered' events.txt)" = 1 ]
check "and never leaves" has_no events.txt '/1/1 left'
check "each visit is an enter" [ "$(grep -c '/5/5 entered' events.txt)" = $visits ]
check "and an exit" [ "$(grep -c '/5/5 left' events.txt)" = $visits ]
check "memory is flat: $before KB, then $after KB" [ $((after - before)) -lt 1024 ]
echo "# seed $seed: $visits visits, $(wc -l <faults.txt) faults, $(grep -c . events.txt) enters and exits"
