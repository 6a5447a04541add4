# Ways to receive: the raw and the monitor channel, with own scan commands and without.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

for kind in extended legacy; do
  if [ $kind = extended ]; then
    controller "$kind" -e "$beacon"
    family=-E form=EXT enable='Scan Enable'
  else
    controller "$kind" --legacy -e "$beacon"
    family='' form=ADV enable='Scan Enable'
  fi
  up 0
  report="$form event=[0-9a-f]* C0:00:00:00:00:01/random rssi=-55 length=30 0201061aff4c000215112233"

  # shellcheck disable=SC2086 # no word for the legacy family
  hciprobe raw $family -n 3 >own.txt
  check "$kind: a raw socket scans with commands of its own" has own.txt "$report" 3

  # shellcheck disable=SC2086
  start scanner hciprobe raw $family -t 30
  await scanner.txt "$enable: Command Complete, status 0x00"
  hciprobe raw -N -n 2 >listener.txt
  check "$kind: a raw socket that only listens hears another's scan" has listener.txt "$report" 2
  hciprobe monitor -n 2 >monitor.txt
  check "$kind: so does the monitor channel" has monitor.txt "$report" 2
  as none hciprobe raw -N -t 0.4 >plain.txt
  check "$kind: without CAP_NET_RAW the listener may bind" has plain.txt 'bind.* -> ok'
  check "$kind: but hears nothing, and no error says so" has plain.txt 'summary reports=0'
  as +net_raw hciprobe raw -N -n 1 >capable.txt
  check "$kind: with CAP_NET_RAW it hears" has capable.txt "$report"
  as none hciprobe monitor -t 0.1 >plain.txt
  check "$kind: the monitor channel refuses to bind without it" has plain.txt 'bind.* -> EPERM'
  # shellcheck disable=SC2086
  as none hciprobe raw $family -t 0.1 >plain.txt
  check "$kind: nor are scan commands taken" has plain.txt 'write .*Scan.* -> EPERM'

  kill -9 "$(cat scanner.pid)"
  hciprobe raw -N -n 1 >after.txt
  check "$kind: a scanner that is killed leaves the scan on" has after.txt "$report"
  # shellcheck disable=SC2086
  hciprobe raw $family -t 0.1 >again.txt
  check "$kind: parameters are refused while it is on" has again.txt 'Scan Parameters: Command Complete, status 0x0c'
  end "$kind"
done

controller both -e "$beacon"
up 0
hciprobe raw -n 1 >legacy.txt
check "legacy commands work on a 5.x controller" has legacy.txt 'ADV event=03'
hciprobe mgmt -t 0 start-discovery=06 >discovery.txt
check "afterwards the kernel's own discovery is Busy" has discovery.txt 'start-discovery -> status 0x0a'
end both

controller two -e "$beacon"
up 0
start first hciprobe raw -E -t 30
await first.txt EXT
hciprobe raw -E -t 0.3 >second.txt
lines=$(grep -c EXT first.txt)
usleep 400000
check "a second scanner's end stops the first" [ "$(grep -c EXT first.txt)" -le $((lines + 1)) ]
check "which sees the answer to a command that it did not send" has first.txt 'event 0e: 04 01 42 20 00'
end two
