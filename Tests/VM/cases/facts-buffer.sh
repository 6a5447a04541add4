# The receive buffer of a raw socket, and how losses are told.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

controller a
up 0
start late hciprobe raw -E -q -F -p 0.8 -t 1.3
await late.txt 'Scan Enable: Command Complete'
tell a "flood 1000 addr=C0:00:00:00:00:07 rssi=-60 $ibeacon"
wait "$(cat late.pid)"
heard=$(number late.txt reports)
echo "# the default receive buffer held $heard reports of 30 octets of data"
check "the default receive buffer holds 200 reports or more" [ "$heard" -ge 200 ]
check "the drop counter of SO_MEMINFO is exact" [ "$(number late.txt drops)" = $((1000 - heard)) ]

start prompt hciprobe raw -E -q -F -t 30
await prompt.txt 'Scan Enable: Command Complete'
tell a "flood 1200 rate=1000 addr=C0:00:00:00:00:07 rssi=-60 $ibeacon"
await a.log 'flood sent=1200'
usleep 200000
end prompt
check "1000 reports a second, none lost" has prompt.txt 'summary reports=1200 .* lost=0 drops=0'
