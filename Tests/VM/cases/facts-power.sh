# An adapter that loses its power: over the management channel, by ioctl, by rfkill. What a raw scanner sees of it.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

# A scanner, a listener of adapter changes (device none) and one of the management channel.
observe() {
  start raw hciprobe raw -E -t 30
  start none hciprobe raw -N -i 65535 -t 30
  start events hciprobe mgmt -t 30
  await raw.txt EXT
  await none.txt FILTER
  await events.txt 'bind.* ok'
}

# What holds for each way of going down.
went_down() {
  await none.txt 'event fd: 06 01 00 04 00 00 00'
  await events.txt 'event 0x0006 adapter 0: 00'
  usleep 100000
  kill -0 "$(cat raw.pid)" || echo "not ok - $1: the scanner still listens"
  end raw
  end none
  end events
  check "$1: a socket of device none sees event 0xfd 4 (down)" has none.txt 'event fd: 06 01 00 04 00 00 00'
  check "$1: the management channel sees event 0x0006, not powered" has events.txt 'event 0x0006 adapter 0: 00'
  check "$1: the scanner gets no error from poll or read" has_no raw.txt 'POLL|read ->'
  check "$1: only a write says ENETDOWN" has raw.txt 'write LE Set Extended Scan Enable.* -> ENETDOWN'
}

controller a -e "$beacon"
up 0

observe
hciprobe mgmt -t 0 set-powered=00 >off.txt
went_down "power off"
check "power off: the scanner sees the kernel end the scan" has raw.txt 'event 0e: 04 01 42 20 00'
hciprobe raw -E -t 0.1 >down.txt
check "a raw socket may bind to an adapter that is down" has down.txt 'bind.* -> ok'
check "but not write" has down.txt 'write .* -> ENETDOWN'
hciprobe mgmt -t 0 set-powered=01 >on.txt
hciprobe raw -E -n 1 >back.txt
check "powered again, it scans" has back.txt EXT

observe
hciprobe ioctl down >/dev/null
went_down "HCIDEVDOWN"
check "HCIDEVDOWN: the scanner sees nothing" has_no raw.txt ' event [01]'
hciprobe user -E -n 1 >user.txt
check "the user channel takes an adapter that is down" has user.txt EXT
up 0
hciprobe user -t 0.1 >user.txt
check "and none that is up" has user.txt 'bind.* -> EBUSY'

observe
rfkill block bluetooth
went_down "rfkill"
case $(uname -r) in
  6.1.*) check "rfkill: the scanner sees nothing" has_no raw.txt ' event [01]' ;;
  *) check "rfkill: the scanner sees the kernel end the scan" has raw.txt 'event 0e: 04 01 42 20 00' ;;
esac
hciprobe ioctl up >up.txt
check "rfkill: HCIDEVUP is refused" has up.txt 'HCIDEVUP.* -> ERFKILL'
hciprobe mgmt -t 0 set-powered=01 >on.txt
check "rfkill: so is set-powered" has on.txt 'set-powered -> status 0x03'
hciprobe user -t 0.1 >user.txt
check "rfkill: and the user channel" has user.txt 'bind.* -> ERFKILL'
rfkill unblock bluetooth
hciprobe ioctl info >info.txt
check "rfkill: unblocked, the adapter stays down" has info.txt ' down'
up 0
hciprobe raw -E -n 1 >back.txt
check "rfkill: until somebody takes it up" has back.txt EXT
