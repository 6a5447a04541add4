# The receive buffer of a raw socket, and how losses are told.
# shellcheck shell=dash
. /usr/local/lib/vm/lib.sh

controller a
up
start late hciprobe raw -E -q -F -p 1.5 -t 2.5
await late.txt 'Scan Enable: Command Complete'
tell a "flood 1000 addr=C0:00:00:00:00:07 rssi=-60 $ibeacon"
wait "$(cat late.pid)"
heard=$(number late.txt reports)
echo "# the default receive buffer held $heard reports of 30 octets of data"
check "the default receive buffer holds 200 reports or more" [ "$heard" -ge 200 ]
check "the drop counter of SO_MEMINFO is exact" [ "$(number late.txt drops)" = $((1000 - heard)) ]

start prompt hciprobe raw -E -q -F -t 30
await prompt.txt 'Scan Enable: Command Complete'
tell a "flood 1500 rate=1000 addr=C0:00:00:00:00:07 rssi=-60 $ibeacon"
await a.log 'flood sent=1500'
usleep 200000
end prompt
check "1000 reports a second, none lost" has prompt.txt 'summary reports=1500 .* lost=0 drops=0'
