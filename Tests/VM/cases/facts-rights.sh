# What each capability opens.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

controller a -e "$beacon"
up 0
monitor=add-adv-monitor=01ff00044c000215$(printf '%054d' 0)

as none hciprobe mgmt -t 0 version index-list info adv-monitor-features "$monitor" set-powered=01 >none.txt
check "without capabilities: version, index list and info" has none.txt '(version|index-list|info) -> status 0x00' 3
check "but no monitors and no power (0x14)" \
  has none.txt '(adv-monitor-features|add-adv-monitor|set-powered) -> status 0x14' 3
as +net_raw hciprobe mgmt -t 0 "$monitor" >raw.txt
check "CAP_NET_RAW does not add monitors" has raw.txt 'add-adv-monitor -> status 0x14'
as +net_admin hciprobe mgmt -t 0 "$monitor" remove-adv-monitor=0000 >admin.txt
check "CAP_NET_ADMIN does" has admin.txt '(add|remove)-adv-monitor -> status 0x00' 2

as none hciprobe ioctl info down >none.txt
check "the ioctls: anybody may ask" has none.txt 'HCIGETDEVINFO.* -> ok'
check "only CAP_NET_ADMIN may change" has none.txt 'HCIDEVDOWN.* -> EPERM'
as +net_raw hciprobe raw -E -n 1 >raw.txt
check "CAP_NET_RAW scans" has raw.txt EXT
as +net_admin hciprobe raw -E -t 0.1 >admin.txt
check "CAP_NET_ADMIN does not" has admin.txt 'write .* -> EPERM'
hciprobe ioctl down >/dev/null
as +net_admin hciprobe user -E -n 1 >user.txt
check "but it has the user channel" has user.txt EXT

cp "$(command -v hciprobe)" capable
setcap cap_net_raw+ep capable
up 0
start scanner hciprobe raw -E -t 30
await scanner.txt EXT
# Over a shell: setpriv itself keeps its capabilities until it runs something, and they would pass on to the next.
setpriv --reuid=1000 --regid=1000 --clear-groups sh -c './capable raw -N -n 1 -t 1; :' >capable.txt
check "a file capability gives it" has capable.txt EXT
setpriv --reuid=1000 --regid=1000 --clear-groups --no-new-privs sh -c './capable raw -N -n 1 -t 0.5; :' >capable.txt
check "and is void under NoNewPrivileges" has capable.txt 'summary reports=0'
as +net_raw setpriv --no-new-privs hciprobe raw -N -n 1 -t 1 >ambient.txt
check "an ambient one is not" has ambient.txt EXT
