# The daemon beside others: the kernel owns the scan, and programs that scan, discover, or end come and go.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

for daemon in stopped running; do
  rm -rf events ./*.pid ./*.in
  [ $daemon = stopped ] || bluetoothd-up
  configure "$@"
  gateway
  check "$daemon: the kernel owns the scan of both, all the time" has run.txt 'the kernel scans for us, 100 %' 2
  check "$daemon: passive, 60 ms in 60 ms, no duplicates filtered" has a.log 'cmd 2041 .* 0000010060006000$'
  check "$daemon: by legacy commands too" has b.log 'cmd 200b .* 00600060000000$'

  mark
  hciprobe raw -E -i 0 -t 0.3 >/dev/null
  hciprobe raw -i 1 -t 0.3 >/dev/null
  says "$daemon: another program's end stops a scan, which is seen and mended" 'hci0.*another program has stopped' 3
  says "$daemon: on the other adapter, too" 'hci1.*another program has stopped' 3
  delivers "$daemon: after it"

  tell a stall rescan
  tell b stall rescan
  sleep 8
  delivers "$daemon: after both stalled without a word"

  for _ in 1 2 3; do
    hciprobe ioctl -i 0 down >/dev/null
    hciprobe ioctl -i 1 down up >/dev/null
  done
  delivers "$daemon: after a storm of downs and ups"
  if [ $daemon = running ]; then
    discovery_start
    sleep 2
    discovery_stop
    delivers "$daemon: after a discovery that came and went"
    rm -f bluetoothctl.in
    mark
    bluetoothd-down
    says "bluetoothd's end takes the adapters down: they are powered on again" 'fa:1e:00:00:00:01: scanning' 10
    delivers "bluetoothd's end"
    mark
    bluetoothd-up
    says "bluetoothd's start removes the monitors: they are added again" 'hci0.*the monitor was removed' 10
    delivers "bluetoothd's start"
    [ -p bluetoothctl.in ] && rm -f bluetoothctl.in
    discovery_start
    sleep 1
    check "and a discovery finds the beacons" has bluetoothctl.txt 'C0:00:00:00:00:0[12]'
    discovery_stop
    delivers "after it"
  fi
  mark
  kill -USR1 "$(cat run.pid)"
  says "$daemon: asked by a signal, it says how much is on the disk" 'event [0-9]+ is the last; up to [0-9]+ they are' 3
  says "$daemon: and how each adapter does" 'hci0 fa:1e:00:00:00:01: scanning; [0-9.]+ reports/s, [0-9.]+ of beacons' 3
  nobody_moved $daemon
  end run
  check "$daemon: it ends in order" has run.txt 'ended after event'
  check "$daemon: and leaves no scan" has a.log 'cmd 2042 .* 000000000000$'
  mv run.txt run-$daemon.txt
  end a
  end b
done
