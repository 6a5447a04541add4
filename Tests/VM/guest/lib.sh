# Sourced by every case. A case works in an empty folder; its files are kept when it fails.
# shellcheck shell=dash
set -u

ibeacon=data=ibeacon:11223344-5566-7788-99aa-bbccddeeff00,1,2,-59
# shellcheck disable=SC2034 # for the cases
beacon="beacon a addr=C0:00:00:00:00:01 every=100ms rssi=-55 $ibeacon"

# NAME COMMAND...: one check; what the command printed is shown when it fails.
check() {
  check_name=$1
  shift
  if "$@" >check.out 2>&1; then
    echo "ok - $check_name"
  else
    echo "not ok - $check_name"
    echo "#   $*"
    tail -n 12 check.out | cut -c 1-120 | sed 's/^/#   /'
  fi
}

# FILE PATTERN [COUNT]: at least one line, or COUNT, match.
has() {
  [ "$(grep -cE -- "$2" "$1")" -ge "${3:-1}" ] || { tail -n 20 "$1"; return 1; }
}

# FILE PATTERN: no line matches.
has_no() { ! grep -E -- "$2" "$1"; }

# FILE KEY: the number behind KEY= in the file's last line that has one.
number() { sed -n "s/.*\b$2=\(-\{0,1\}[0-9]*\).*/\1/p" "$1" | tail -n 1; }

# FILE PATTERN [SECONDS]: waits for a line; after the time (5 s) it has failed.
await() {
  await_left=$((${3:-5} * 50))
  until grep -qsE -- "$2" "$1"; do
    await_left=$((await_left - 1))
    if [ $await_left -le 0 ]; then
      echo "not ok - waiting for '$2' in $1"
      tail -n 12 "$1" | cut -c 1-120 | sed 's/^/#   /'
      return 1
    fi
    usleep 20000
  done
}

# NAME [OPTION...]: a controller, steered with `tell NAME LINE`; its log is NAME.log. Returns when the kernel has it.
controller() {
  controller_name=$1
  shift
  [ -e "$controller_name.in" ] || mkfifo "$controller_name.in"
  # Open for both ways, so that it has no end when nobody writes.
  fakectl --log "$controller_name.log" --stdin "$@" <>"$controller_name.in" >"$controller_name.out" 2>&1 &
  echo $! >"$controller_name.pid"
  await "$controller_name.out" '^hci'
}

tell() {
  tell_name=$1
  shift
  echo "$*" >"$tell_name.in"
}

# NAME: ends a controller, or what `start` has started.
end() {
  kill "$(cat "$1.pid")" 2>/dev/null
  wait "$(cat "$1.pid")"
}

# NAME COMMAND...: runs a command beside, its output in NAME.txt.
start() {
  start_name=$1
  shift
  "$@" >"$start_name.txt" 2>&1 &
  echo $! >"$start_name.pid"
}

# N: takes hciN up. A new one is up for its set-up already and then stays so (EALREADY).
up() {
  up_left=100
  until hciprobe ioctl -i "$1" up | grep -qE 'HCIDEVUP.* -> (ok|EALREADY)'; do
    up_left=$((up_left - 1))
    [ $up_left -gt 0 ] || { echo "not ok - the adapter is up within 5 s"; return 1; }
    usleep 50000
  done
}

# A D-Bus client that stays, so that its discovery does: `discovery_start` and `discovery_stop`.
discovery_start() {
  mkfifo bluetoothctl.in
  bluetoothctl <>bluetoothctl.in >bluetoothctl.txt 2>&1 &
  tell bluetoothctl 'menu scan'
  tell bluetoothctl 'transport le'
  tell bluetoothctl 'duplicate-data on'
  tell bluetoothctl 'back'
  tell bluetoothctl 'scan on'
  await bluetoothctl.txt 'Discovery started|Discovering: yes'
}
discovery_stop() {
  tell bluetoothctl 'scan off'
  await bluetoothctl.txt 'Discovery stopped|Discovering: no'
}

# [LINE...]: a configuration of beacond with its log in the case's folder, these lines, and one region whose beacons
# leave after 5 s of silence.
configure() {
  {
    echo "log: {folder: $PWD/events, sync: 200 ms}"
    echo 'regions: [{id: hall, match: [any], each: true, range: true, exit-after: 5 s}]'
    echo 'ranging: {interval: 200 ms}'
    printf '%s\n' "$@"
  } >beacond.yaml
}

# Two adapters, a with extended commands and b with legacy ones, each with a beacon of its own in the air; and the
# daemon, once it has both beacons.
gateway() {
  controller a --addr FA:1E:00:00:00:01 \
    -e 'beacon x addr=C0:00:00:00:00:01 every=100ms rssi=-60 data=ibeacon:11223344-5566-7788-99aa-bbccddeeff00,1,1,-59'
  controller b --legacy --addr FA:1E:00:00:00:02 \
    -e 'beacon y addr=C0:00:00:00:00:02 every=100ms rssi=-60 data=ibeacon:11223344-5566-7788-99aa-bbccddeeff00,2,2,-59'
  start run beacond run --config beacond.yaml --stdout --format text
  await run.txt '/1/1 entered' 15 && await run.txt '/2/2 entered' 15
}

# NAME PATTERN [SECONDS]: what the daemon says from here on has the line.
mark() { wc -l <run.txt >run.mark; }
since() { tail -n "+$(($(cat run.mark) + 1))" run.txt; }
says() {
  says_left=$((${3:-10} * 20))
  until since | grep -qE -- "$2"; do
    says_left=$((says_left - 1))
    if [ $says_left -le 0 ]; then
      echo "not ok - $1"
      since | tail -n 12 | cut -c 1-160 | sed 's/^/#   /'
      return 1
    fi
    usleep 50000
  done
  echo "ok - $1"
}

# NAME: both deliver again: the daemon's list has the beacons of both, with a distance, within 5 s.
delivers() {
  mark
  says "$1: both deliver" 'hall: 2 beacons:.*/[12]/[12] (near|far|imm)[^;]*; .*/[12]/[12] (near|far|imm)' 5
}

# Nobody has entered twice or left.
nobody_moved() {
  check "$1: nobody has left" has_no run.txt ' left '
  check "$1: nobody has entered twice" [ "$(grep -cE '/[12]/[12] entered' run.txt)" = 2 ]
}
