#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/numa-matrix on the nodes that this machine has; test/vm/numa.sh gives it two.
. "$(dirname "$0")/lib.sh"
need python3

NODES=$(compgen -G '/sys/devices/system/node/node[0-9]*' | wc -l) || true
export TMPDIR=$DIR/tmp
mkdir "$TMPDIR"
[ "$NODES" -le 1 ] || [ "$(free_hugepages)" -ge 256 ] || skip "too few hugepages for $NODES nodes"

# matrix STATUS ARGUMENT...
matrix() {
	local want=$1
	shift
	RC=0
	timeout -k 5 "$LIMIT" python3 "$PG_SOURCE/scripts/numa-matrix" --pmdgen "$PMDGEN" "$@" >"$OUT" 2>"$ERR" || RC=$?
	[ "$RC" -eq "$want" ] || fail "exit status $RC, not $want, of: numa-matrix $*"
}

# Every pair has its row, and the figures follow from one another: 60 bytes and 4 of FCS.
matrix 0 --rounds 1 --seconds 0.2 --size 60 --json "$JSON"
check '.schema == 1 and .frame_bytes == 60 and .ports == ["net_null0"]'
check '(.rows | length) == (.lcore_nodes | length) * (.memory_nodes | length)'
check 'all(.rows[]; .lcore_node as $l | .memory_node as $m | all(.ports[];
	.lcore_node == $l and .pool_node == $m and .sent > 0 and .pps > 0 and .page_bytes >= 4096))'
check 'all(.rows[].ports[]; (.bps / .pps - 8 * 64 | fabs) < 1e-6)'
same "$(grep -c '^node ' "$OUT")" "$(get '.rows | length')" "rows of the table"
says "$OUT" '^lcores on +memory on +port +port on +Mbit/s +kpps$'
line=$(get '.rows[0] | "\(.bps / 1e5 | round) \(.pps / 1e2 | round)"')
same "$(awk '/^node / { gsub(/[.]/, ""); print $(NF - 1), $NF; exit }' "$OUT")" "$line" "figures of the first row"
if [ "$NODES" -le 1 ]; then
	says "$OUT" '^This machine has one memory node, 0: '
	same "$(get '[.lcore_nodes, .memory_nodes, (.rows | length)] | tostring')" '[[0],[0],1]' "nodes and rows"
fi

# Several ports, at the same time: a line each, and their sum. A setting reaches each of them.
matrix 0 --rounds 3 --seconds 0.1 --set 'delay 100000' --json "$JSON" net_null0 net_null1
check 'all(.rows[]; [.ports[].port] == ["net_null0", "net_null1"] and (.rounds_pps | length) == 3)'
check 'all(.rows[]; .pps == ([.ports[].pps] | add) and .bps == ([.ports[].bps] | add))'
check 'all(.rows[].ports[]; .pps <= 10500)'
check 'all(.rows[]; .pps as $p | .rounds_pps | sort | .[1] == $p)'
says "$OUT" '^ +sum +[0-9.]+ +[0-9.]+$'

# JSON alone on standard output.
matrix 0 --rounds 1 --seconds 0.1 --json -
jq -e -s 'length == 1 and (.[0].rows | length > 0)' "$OUT" >/dev/null || fail "standard output is not one document"

# What cannot be measured is said, with the cause, and the status tells.
matrix 1 --rounds 1 --seconds 0.1 no_such_port
says "$OUT" "^Not measured: lcores on node 0, memory on node 0: .*unknown device 'no_such_port'"
matrix 2 --seconds 0
matrix 2 --no-such-option
PMDGEN=/no/such/program matrix 3
says "$ERR" '^numa-matrix: there is no /no/such/program; '
# Nothing is left behind, after a signal either.
python3 "$PG_SOURCE/scripts/numa-matrix" --pmdgen "$PMDGEN" --seconds 30 >"$OUT" 2>"$ERR" &
pid=$!
sleep 1
kill -TERM $pid
RC=0
wait $pid || RC=$?
same "$RC" 143 "exit status after SIGTERM"
same "$(ls "$TMPDIR")" "" "what is left behind"
