# Adapters that fail: unplugged, without an answer, with an error of the hardware, blocked.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

for daemon in stopped running; do
  rm -rf events ./*.pid ./*.in
  [ $daemon = stopped ] || bluetoothd-up
  configure "$@"
  gateway

  mark
  tell a unplug
  says "$daemon: unplugged is said" 'fa:1e:00:00:00:01: stopped, unplugged' 3
  tell a plug elsewhere
  says "$daemon: it goes on under another index" 'fa:1e:00:00:00:01: scanning' 8
  delivers "$daemon: back"

  mark
  tell a hwerror 42
  tell b hwerror 42
  says "$daemon: a hardware error is said" 'hardware error 0x42' 3
  says "$daemon: and gone on from" 'fa:1e:00:00:00:01: scanning' 12
  delivers "$daemon: after it"

  mark
  tell a mute all
  tell a stall rescan
  says "$daemon: an adapter that does not answer is a fault" 'fa:1e:00:00:00:01: stopped' 30
  tell a normal all
  says "$daemon: which ends with a remedy" 'fa:1e:00:00:00:01: scanning' 40
  delivers "$daemon: after it"

  mark
  rfkill block bluetooth
  says "$daemon: a block is said, and how to lift it" "stopped, blocked by rfkill; 'rfkill unblock bluetooth'" 3
  sleep 6
  rfkill unblock bluetooth
  says "$daemon: it goes on when it is lifted" 'fa:1e:00:00:00:01: scanning' 10
  delivers "$daemon: after it"
  nobody_moved $daemon
  end run
  mv run.txt run-$daemon.txt
  end a
  end b
  [ $daemon = stopped ] || bluetoothd-down
done
