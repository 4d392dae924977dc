#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The report: every figure follows from others by arithmetic, and is the text's figure.
. "$(dirname "$0")/lib.sh"

commands <<E
[kpktgend_0]
add_device net_null0@a
add_device net_null0@b
[net_null0@a]
min_pkt_size 60
max_pkt_size 70
count 1000
[net_null0@b]
count 200
pkt_size 1000
delay 500000
[pgctrl]
start
start
E
run_paced -v "$CMDS"

check '.schema == 1'
check '.pmdgen == $v' --arg v "$(sed -n "s/^ *version: '\(.*\)',.*/\1/p" "$PG_SOURCE/meson.build")"
check '.dpdk | test("^DPDK [0-9]+\\.[0-9]+")'
check '.cpu == $c' --arg c "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sed -n 1p)"
check '.clock | .hz > 1e8 and .hz < 1e11 and .error_ppm >= 0 and .error_ppm < 100 and (.source | length > 0)'
for word in --lcores "$LCORES" --no-pci "--file-prefix=$PREFIX"; do
	check 'any(.eal_args[]; . == $w)' --arg w "$word"
done
check '.runs | length == 2'
check 'all(.runs[]; has("seed") and has("started_ns") and has("interrupted"))'
# Wall clock: within the hour of this test's.
check 'all(.runs[]; .started_ns / 1e9 - $now | fabs < 3600)' --argjson now "$(date +%s)"
check '.runs[1].started_ns > .runs[0].started_ns'
check 'all(.runs[]; [.devices[].name] == ["net_null0@a", "net_null0@b"])'
for key in name thread port xmit_mode src_mac result asked sent errors bytes duration_ns idle_ns pps l2_bps \
	l1_bps cycles_per_packet burst isa interrupted fell_short; do
	check 'all(.runs[].devices[]; has($k))' --arg k $key
done
check 'all(.runs[].devices[]; .port == "net_null0" and .thread == "kpktgend_0" and .xmit_mode == "start_xmit")'
check 'all(.runs[].devices[]; .src_mac | test("^02(:[0-9a-fA-F]{2}){5}$"))'

# 1000 packets of 60, 61, ... 70, 60, ... bytes.
bytes=0
for ((i = 0; i < 1000; i++)); do bytes=$((bytes + 60 + i % 11)); done
check 'all(.runs[].devices[0]; .sent == 1000 and .bytes == $b and .asked.packets == 1000)' --argjson b $bytes
check 'all(.runs[].devices[1]; .sent == 200 and .bytes == 200000 and .asked.packets == 200)'
# 199 gaps of 0.5 ms, less the rounding of the clock.
check 'all(.runs[].devices[1]; .duration_ns >= 199 * 500000 * 0.9999)'

# The kernel's result line: whole microseconds, floored rates, S the last packet's size.
cat >"$DIR/text.jq" <<'E'
def near($a; $b): ($a - $b | fabs) <= 1e-9 * ($b | fabs);
.runs[].devices[] |
(.result | capture("^OK: (?<t>[0-9]+)\\(c(?<c>[0-9]+)\\+d(?<d>[0-9]+)\\) usec, (?<n>[0-9]+) \\((?<s>[0-9]+)byte,(?<f>-?[0-9]+)frags\\)\n  (?<pps>[0-9]+)pps (?<mb>[0-9]+)Mb/sec \\((?<bps>[0-9]+)bps\\) errors: (?<e>[0-9]+)$") | map_values(tonumber)) as $r |
{
	T: ($r.t == (.duration_ns / 1000 | floor)),
	D: ($r.d == (.idle_ns / 1000 | floor)),
	C: ($r.c == ((.duration_ns - .idle_ns) / 1000 | floor)),
	N: ($r.n == .sent),
	E: ($r.e == .errors),
	F: ($r.f == 0),
	S: ($r.s == (if .name == "net_null0@a" then 60 + 999 % 11 else 1000 end)),
	pps: ($r.pps == (.sent * 1000000000 / .duration_ns | floor)),
	bps: ($r.bps == $r.pps * 8 * $r.s),
	Mb: ($r.mb == ($r.bps / 1000000 | floor)),
	rate: near(.pps; .sent * 1e9 / .duration_ns),
	L2: near(.l2_bps; (.bytes + 4 * .sent) * 8e9 / .duration_ns),
	L1: near(.l1_bps; (.bytes + 24 * .sent) * 8e9 / .duration_ns)
} | to_entries[] | select(.value | not) | .key
E
same "$(jq -r -f "$DIR/text.jq" "$JSON")" "" "figures that do not follow from the others"
# Cycles of a device that is alone on its thread and never waits: its time, in the clock's unit.
jq -e '.clock.hz as $hz | .runs[].devices[0] | .cycles_per_packet > 0 and
	.cycles_per_packet * .sent <= .duration_ns * $hz / 1e9 * 1.001' "$JSON" >/dev/null || fail "cycles_per_packet"

# The text holds the same result lines.
for i in 0 1; do
	for d in 0 1; do
		get "\"\(.runs[$i].devices[$d].name): Result: \(.runs[$i].devices[$d].result)\"" >"$DIR/lines"
		while IFS= read -r line; do
			grep -qxF -- "$line" "$OUT" || fail "not in the text: $line"
		done <"$DIR/lines"
	done
done
check 'all(.runs[].ports[]; .name == "net_null0" and .offered == 1200 and .sent == 1200 and .lost == 0)'

# `-j -`: standard output is the report and nothing else, whatever -v wants to say.
eal
invoke "${EAL[@]}" -- -v -j - -e "pgctrl show" "$CMDS"
[ "$RC" -le 1 ] || fail "exit status $RC with -j -"
jq -e -s 'length == 1 and (.[0].runs | length == 2)' "$OUT" >/dev/null || fail "standard output is not one report"
says "$ERR" '^net_null0@a: Result: OK: '
says "$ERR" '^OK: add_device=net_null0@a$'
# Also when EAL talks, and when a command is wrong.
invoke "${EAL[@]}" --log-level='*:debug' -- -j - "$CMDS"
jq -e -s 'length == 1 and (.[0].runs | length == 2)' "$OUT" >/dev/null || fail "standard output is not one report"
eal
invoke "${EAL[@]}" -- -j - -e "kpktgend_0 add_device net_null0" -e "net_null0 count x"
same "$RC" 2 "exit status with a wrong line"
if [ -s "$OUT" ]; then
	jq -e -s 'length == 1 and .[0].runs == []' "$OUT" >/dev/null || fail "standard output is not a report"
fi

# A file that is there already is written anew, as a whole.
head -c 100000 /dev/zero | tr '\0' 'x' >"$DIR/old.json"
eal
invoke "${EAL[@]}" -- -j "$DIR/old.json" "$CMDS"
jq -e '.runs | length == 2' "$DIR/old.json" >/dev/null || fail "an old report is still there"

# What was asked for is kept as it was said: a packet each 500000 ns is 2000 a second, not nearly.
jq -e 'all(.runs[].devices[1]; .asked.pps == 2000)' "$DIR/old.json" >/dev/null ||
	fail "asked for 2000 pps, the report says $(jq -c '[.runs[].devices[1].asked.pps]' "$DIR/old.json")"
