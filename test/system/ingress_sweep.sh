#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/ingress-sweep: every step of its three sweeps has its figures or its reason, and they are drawn.
. "$(dirname "$0")/lib.sh"
need python3

CPU=${LCORES%%,*}
SWEEP=(timeout -k 5 100 "$PG_SOURCE/scripts/ingress-sweep" --build "${PMDGEN%/app/pmdgen}" --slices 2 --packets 4000
	--cpu "${CPU#0@}")
"${SWEEP[@]}" --rounds 2 --bursts 1,256 --flows 100 --routes 1000 --json "$JSON" --plot "$DIR/i.png" \
	--set 'pkt_size 64' >"$OUT" 2>"$ERR" || fail "exit status $?"
check '.schema == 1 and .rounds == 2 and .settings == ["pkt_size 64"] and .failed == []'
# 3 sweeps, one of 2 values, with 3 kinds of buffers; 100 flows do not fit into a hot burst of 64.
check '(.figures | length) + (.skipped | length) == 12'
check '[.skipped[] | select(.reason | startswith("hot"))] == [{axis: "flows", flows: 100, buffers: "hot",
	reason: "hot buffers hold 64 packets"}]'
check '[.figures[] | select(.axis == "burst") | [.burst, .buffers]] ==
	[(1, 256) as $b | ("hot", "fresh", "cold") as $k | [$b, $k]]'
check 'all(.figures[]; .gross.best > 0 and .gross.best <= .gross.median and .gross.median <= .gross.max)'
check 'all(.figures[]; .net.best >= 0 and .net.best < .gross.max and (.gross.rounds | length) == 2)'
for axis in burst flows routes; do
	says "$OUT" "^$axis +hot: gross +net +fresh: gross +net +cold: gross +net\$"
done
says "$OUT" '^256 +([0-9.]+ \([0-9.]+\.\.[0-9.]+\) +[0-9.]+ *){3}$'
says "$OUT" "^$(get '.skipped | length') steps skipped:\$"
says "$OUT" '^  flows 100, hot: hot buffers hold 64 packets$'
drawn "$DIR/i.png"

# A table that the memory does not hold is skipped with what it needs. (Ordinary memory is 512 MB here.)
if [ "$(free_hugepages)" -lt 256 ]; then
	"${SWEEP[@]}" --rounds 1 --bursts 1 --flows 1 --routes 1000000 --buffers fresh --json "$JSON" >"$OUT" 2>"$ERR" ||
		fail "exit status $?"
	check '[.skipped[] | [.axis, .routes]] == [["routes", 1000000]] and (.skipped[0].reason | test("need [0-9]+ MB"))'
fi

# What fails says why.
RC=0
"${SWEEP[@]}" --rounds 1 --bursts 1 --flows 1 --routes 1 --buffers fresh --set 'rx_graph nosuch' >"$OUT" 2>"$ERR" || RC=$?
same "$RC" 1 "exit status for a chain that is not there"
says "$ERR" "^ingress-sweep: burst 1, fresh: .*unknown node 'nosuch'"
for wrong in '--bursts 257' '--flows 0' '--routes 1000001' '--buffers warm'; do
	RC=0
	# shellcheck disable=SC2086 # an option and its value
	"${SWEEP[@]}" $wrong >"$OUT" 2>"$ERR" || RC=$?
	same "$RC" 2 "exit status for $wrong"
done
