# The daemon on the kernel's stack: it starts in every state of an adapter, and scans on when others disturb it.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

configure
controller a -e "$beacon"
start run beacond run --config beacond.yaml --stdout --format text
await run.txt 'the kernel scans for us' 10
check "it powers the adapter on, and the kernel owns the scan" has run.txt 'the kernel scans for us, 100 %'
await run.txt ' entered'
check "the beacon enters" has run.txt 'everything: iBeacon .* entered'
sleep 1
tell a unplug
await run.txt 'stopped.*unplugged' 10
check "unplugged is said" has run.txt 'unplugged'
sleep 2
tell a plug
await run.txt 'scanning again' 10
check "scans again" has run.txt 'scanning again'
sleep 1
end run
check "ends in order" has run.txt 'ended after event'
check "nobody has left" has_no run.txt ' left '
cat run.txt | cut -c 1-150
cat a.log | tail -40
