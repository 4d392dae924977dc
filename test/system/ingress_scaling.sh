#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Where drops are counted, on one lcore and on as many as there are: the counts are right either way, and
# scripts/ingress-scaling has a row for each and the difference.
. "$(dirname "$0")/lib.sh"
need python3

N=$(nproc)
[ "$N" -le 2 ] || N=2
CPU=${LCORES%%,*}
SCALING=(timeout -k 5 100 "$PG_SOURCE/scripts/ingress-scaling" --build "${PMDGEN%/app/pmdgen}" --lcores "$N"
	--rounds 2 --slices 2 --packets 40000 --cpu "${CPU#0@}")
"${SCALING[@]}" --json "$JSON" --set 'pkt_size 64' >"$OUT" 2>"$ERR" || fail "exit status $?"
check '.schema == 1 and .burst == 32 and .rounds == 2'
check '[.rows[] | [.lcores, .counters]] == [range(1; $n + 1) | [., "percpu"], [., "atomic"]]' --argjson n "$N"
check 'all(.rows[]; .cycles_per_packet | .best > 0 and .best <= .median and .median <= .max and (.rounds | length) == 2)'
check 'all(.rows[]; .pps.min > 0 and .pps.min <= .pps.best)'
check '.rows[0].times == 1 and (.rows as $r | all($r[]; (.times - .pps.best / $r[0].pps.best | fabs) < 1e-9))'
# Each cost is the difference of two rows, in cycles and by the clock.
check '[.costs[].lcores] == [range(1; $n + 1)]' --argjson n "$N"
check '.rows as $r | .clock.hz as $hz | all(.costs[]; .lcores as $n |
	([$r[] | select(.lcores == $n) | .cycles_per_packet.best] | .[1] - .[0]) as $c |
	(.cycles - $c | fabs) < 1e-9 and (.ns * $hz / 1e9 - $c | fabs) < 1e-6)'
says "$OUT" '^lcores +counters +cycles/packet and lcore +Mpps of all +times one$'
says "$OUT" '^1 +percpu +[0-9.]+ \([0-9.]+\.\.[0-9.]+\) +[0-9.]+ +1\.00$'
says "$OUT" '^cost of the atomic counter, 1 lcore: -?[0-9.]+ cycles a packet \(-?[0-9.]+ ns\), median of the rounds -?[0-9.]+$'

# What is delivered is not dropped; what the shared counter holds is the text's, the report's and the devices' own.
cat >"$CMDS" <<E
[kpktgend_0]
add_device net_null0@0
add_device net_null0@1
add_device net_null0@2
E
for i in 0 1 2; do
	printf '[net_null0@%d]\nxmit_mode netif_receive\nrx_counters %s\ncount %d\ndst_mac %s\n' $i \
		"$([ $i = 2 ] && echo percpu || echo atomic)" $((1000 * (i + 1))) \
		"$([ $i = 1 ] && echo ff:ff:ff:ff:ff:ff || echo 90:e2:ba:ff:ff:ff)" >>"$CMDS"
done
run 0 "$CMDS" -e 'pgctrl start' -e '[net_null0@1]' -e 'rx_graph drop' -e 'pgctrl start' -e 'pgctrl show net_null0@1'
check '[.runs[].devices[].errors] == [1000, 0, 3000, 1000, 2000, 3000]'
check '[.runs[].devices[].profile.drop_counters] == ["atomic", "atomic", "percpu", "atomic", "atomic", "percpu"]'
check '[.runs[].devices[].profile.shared_drops] == [1000, 1000, null, 3000, 3000, null]'
same "$(grep -c '^     counters: atomic, 1000 packets dropped by all threads$' "$OUT")" 2 "lines of the first run"
same "$(grep -c '^     counters: atomic, 3000 packets dropped by all threads$' "$OUT")" 2 "lines of the second run"
says "$OUT" '^     rx_counters: atomic$'

# What fails says why.
RC=0
"${SCALING[@]}" --set 'rx_graph nosuch' >"$OUT" 2>"$ERR" || RC=$?
same "$RC" 1 "exit status for a chain that is not there"
says "$ERR" "unknown node 'nosuch'"
RC=0
"${SCALING[@]}" --lcores 0 >"$OUT" 2>"$ERR" || RC=$?
same "$RC" 2 "exit status for no lcores"
