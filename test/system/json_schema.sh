#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Reports are as doc/report.schema.json says, and what differs from it is found. The other tests hold
# theirs against it as they end.
. "$(dirname "$0")/lib.sh"
need python3
python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"

valid() {
	python3 "$PG_SOURCE/test/system/schema.py" "$@" >"$DIR/faults" 2>&1
}

commands <<E
[kpktgend_0]
add_device net_null0@send
add_device net_null0@inject
add_device net_null0@mix
[net_null0@send]
count 1000
rate 100M
[net_null0@inject]
count 1000
xmit_mode netif_receive
[net_null0@mix]
count 1000
ratep 100000
imix_weights 64,7 576,4
[pgctrl]
start
seed 9223372036854775807
start
E
run_paced "$CMDS"
cp "$JSON" "$DIR/good.json"
run 0 -e 'pgctrl show'
check '.runs == []'
run 1 -e 'kpktgend_0 add_device net_null0' -e 'net_null0 count 2000000' -e 'net_null0 delay 1' -e 'pgctrl start'
check '.runs[0].fell_short'
run 2 -e 'none count 5'
start -e 'kpktgend_0 add_device net_null0' -e 'net_null0 count 0' -e 'pgctrl start' </dev/null
sleep 1
kill -INT "$PID"
finish 0
check '.runs[0].interrupted'

valid "$DIR/good.json" || fail "a good report: $(cat "$DIR/faults")"
# Each of these changes has to be found.
while read -r change; do
	jq "$change" "$DIR/good.json" >"$DIR/bad.json"
	if valid "$DIR/bad.json"; then fail "not found: $change"; fi
done <<'E'
del(.schema)
.schema = 2
.more = 1
del(.clock.hz)
.clock.hz = "1"
.runs = {}
del(.runs[0].seed)
.runs[1].seed = -1
.runs[0].devices[0].sent = 1.5
.runs[0].devices[0].more = 0
del(.runs[0].devices[0].bytes)
.runs[0].devices[0].fell_short = true | del(.runs[0].devices[0].shortfall)
.runs[0].devices[0].fell_short = false | .runs[0].devices[0].shortfall = "x"
.runs[0].devices[1].profile.nodes[0].drop = 0
del(.runs[0].devices[1].profile.nodes[0].name)
.runs[0].devices[1].profile.nodes = []
del(.runs[0].ports[0].lost)
.runs[0].devices[0].asked.pps = "1"
E
