# Scanning with commands of the daemon's own, as for an active scan: families, refusals, and others beside it.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

for daemon in stopped running; do
  rm -rf events ./*.pid ./*.in
  [ $daemon = stopped ] || bluetoothd-up
  configure 'bluetooth: {scan: active}'
  gateway
  check "$daemon: extended commands where there are" has run.txt 'hci0.*scanning with extended commands'
  check "$daemon: legacy ones where there are not" has run.txt 'hci1.*scanning with legacy commands'
  check "$daemon: active" has a.log 'cmd 2041 .* 0000010160006000$'

  mark
  hciprobe raw -E -i 0 -t 0.3 >/dev/null
  hciprobe raw -i 1 -t 0.3 >/dev/null
  says "$daemon: a scan that another program has ended is enabled again" 'hci0.*another program has stopped' 3
  says "$daemon: with legacy commands, too" 'hci1.*another program has stopped' 3
  delivers "$daemon: after it"

  tell a stall rescan
  tell b stall rescan
  sleep 8
  delivers "$daemon: after a stall without a word"

  if [ $daemon = running ]; then
    discovery_start
    sleep 2
    check "a discovery finds the beacons" has bluetoothctl.txt 'C0:00:00:00:00:0[12]'
    delivers "in the discovery"
    discovery_stop
    delivers "after the discovery"
    mark
    bluetoothd-down
    says "bluetoothd's end: powered on again" 'fa:1e:00:00:00:01: scanning' 10
    delivers "after bluetoothd's end"
  fi

  mark
  tell a mute 2042
  tell a stall rescan
  says "$daemon: a command that is not answered is a fault" 'LE Set Extended Scan Enable was not answered' 20
  tell a normal all
  says "$daemon: which a remedy ends" 'fa:1e:00:00:00:01: scanning' 30
  delivers "$daemon: after it"
  nobody_moved $daemon
  end run
  mv run.txt run-$daemon.txt
  end a
  end b
done

# Another program has used legacy commands since the controller's reset: extended ones are refused, 0x0c.
controller c -e "$beacon"
up 0
hciprobe raw -t 0.2 >/dev/null
rm -rf events
start run beacond run --config beacond.yaml --stdout --format text
await run.txt 'going on with legacy commands' 10
check "refused as the other family was used before: that one is gone on with" has run.txt 'LE Set Extended.*disallowed \(0x0c\)'
await run.txt '/1/2 entered' 5
check "and delivers" has run.txt '/1/2 entered'
end run
end c

# A controller that says it has extended commands, and has not.
controller d -e "$beacon" -e 'fail 2041 01' -e 'fail 2042 01'
rm -rf events
start run beacond run --config beacond.yaml --stdout --format text
await run.txt '/1/2 entered' 10
check "unknown commands lead to the legacy family" has run.txt 'unknown command \(0x01\); going on with legacy commands'
check "which delivers" has run.txt '/1/2 entered'
end run
