# A controller that takes extended scan commands and reports nothing by them; and one in an empty room.
# shellcheck shell=dash source=Tests/VM/guest/lib.sh
. /usr/local/lib/vm/lib.sh

configure "$@"
controller a --deaf -e "$beacon"
controller b --addr FA:1E:00:00:00:02
start run beacond run --config beacond.yaml --stdout --format text
await run.txt 'fa:fa:00:01: the kernel scans for us' 10
await run.txt 'trying the legacy ones' 75
check "after 60 s of nothing the other family is tried" has run.txt 'hci0.*nothing heard for 60 s with extended commands'
await run.txt '/1/2 entered' 10
check "it delivers, and is kept" has run.txt 'hci0.*it delivers with legacy commands'
await run.txt 'back to extended' 30
check "where nothing comes either way, nothing is changed" has run.txt 'hci1.*nothing with legacy commands either'
sleep 3
check "the families are never mixed" has_no a.log 'legacy and extended commands mixed'
# The kernel's own, at power off, are refused then, which does no harm.
check "on neither" has_no b.log 'cmd (2041|200b|200c) .*mixed'
check "an empty room is no fault" has_no run.txt 'fa:1e:00:00:00:02: stopped'

end run
start run beacond run --config beacond.yaml --stdout --format text
mark
says "the next process knows it" 'hall: 1 beacon: .*/1/2 (near|far|imm)' 15
check "and does not try extended commands first" has_no run.txt 'hci0.*nothing heard'
